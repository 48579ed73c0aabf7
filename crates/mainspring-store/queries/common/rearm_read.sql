-- The runs that triggers await.
SELECT id, awaiting_run
FROM trigger_state
WHERE id IN (SELECT value FROM json_each(:triggers)) AND status = 'active' AND awaiting_run IS NOT NULL
