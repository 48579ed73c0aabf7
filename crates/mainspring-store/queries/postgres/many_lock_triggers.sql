SELECT id FROM trigger_state
WHERE id IN (
    SELECT t.id
    FROM json_array_elements(CAST(:jobs AS json)) AS k (v)
    JOIN job_trigger t ON t.job_id = CAST(CAST(k.v AS text) AS bigint))
ORDER BY id
