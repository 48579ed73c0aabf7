-- The begun runs of a workflow.
SELECT id FROM run WHERE job_id = :job AND state = 'running' AND claimed_by IS NULL ORDER BY id
