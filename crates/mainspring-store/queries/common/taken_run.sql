SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input, claimed_at,
    cancel_requested_at IS NOT NULL
FROM run
WHERE id = :id AND state = 'running' AND claimed_by = :owner AND attempt = :attempt
