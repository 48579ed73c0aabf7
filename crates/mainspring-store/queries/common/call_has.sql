-- Whether a run was started for a task before, though it may be gone.
SELECT 1 FROM workflow_call WHERE child = :id
