-- Attempts under way, of these runs.
SELECT id, attempt, claimed_by, job_id, trigger_id, gated, cancel_requested_at IS NOT NULL
FROM run
WHERE id IN (SELECT unhex(value) FROM json_each(:runs)) AND state = 'running'
