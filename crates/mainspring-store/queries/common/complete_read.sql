-- An open attempt. No row: it is over, or another process holds it.
SELECT job_id, trigger_id, gated, cancel_requested_at IS NOT NULL
FROM run
WHERE id = :id AND state = 'running' AND attempt = :attempt AND claimed_by = :owner
