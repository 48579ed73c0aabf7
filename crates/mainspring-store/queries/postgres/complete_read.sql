-- Attempts under way, of these runs, locked.
SELECT id, attempt, claimed_by, job_id, trigger_id, gated, cancel_requested_at IS NOT NULL
FROM run
WHERE id = ANY (ARRAY(SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS r (v)))
    AND state = 'running'
ORDER BY id
FOR UPDATE
