-- The running runs that a process start executes, as far as the store knows.
SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input, claimed_at,
    cancel_requested_at IS NOT NULL
FROM run
WHERE state = 'running' AND claimed_by = (SELECT number FROM incarnation WHERE id = :id)
ORDER BY id
