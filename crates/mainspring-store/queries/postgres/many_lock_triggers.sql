SELECT id
FROM trigger_state
WHERE id = ANY (ARRAY(
    SELECT t.id
    FROM json_array_elements(CAST(:jobs AS json)) AS k (v)
    CROSS JOIN LATERAL (SELECT id FROM job_trigger WHERE job_id = CAST(CAST(k.v AS text) AS bigint) OFFSET 0) AS t))
ORDER BY id
FOR UPDATE
