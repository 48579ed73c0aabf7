SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input, claimed_at
FROM run
WHERE state = 'running' AND (claimed_by IS NULL OR claimed_by <> :incarnation)
ORDER BY id
