-- The state of a task of a workflow run as a whole.
SELECT state FROM workflow_task WHERE run_id = :run AND task = :task AND item = -1
