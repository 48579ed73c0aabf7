-- The runs that triggers await, locked.
SELECT id, awaiting_run
FROM trigger_state
WHERE id = ANY (ARRAY(
        SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:triggers AS json)) AS r (v)))
    AND status = 'active' AND awaiting_run IS NOT NULL
ORDER BY id
FOR UPDATE
