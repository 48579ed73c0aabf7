-- Locks runs that are to end, and reads them.
SELECT id, job_id, state, gated, trigger_id, job_version, claimed_by IS NULL
FROM run
WHERE id = ANY (ARRAY(SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS r (v)))
ORDER BY id
FOR UPDATE
