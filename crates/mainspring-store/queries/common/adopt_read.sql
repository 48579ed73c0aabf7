SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input, claimed_at,
    cancel_requested_at IS NOT NULL
FROM run
WHERE state = 'running' AND claimed_by <> :incarnation
    AND NOT EXISTS (SELECT 1 FROM worker w WHERE w.incarnation = run.claimed_by)
ORDER BY id
