SELECT t.id, t.job_id, t.position
FROM json_array_elements(CAST(:jobs AS json)) AS k (v)
JOIN job_trigger t ON t.job_id = CAST(CAST(k.v AS text) AS bigint)
