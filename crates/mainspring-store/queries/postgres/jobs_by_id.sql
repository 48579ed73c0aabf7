SELECT j.id, j.version, j.change, j.paused, j.created_at, j.updated_at, v.definition
FROM job j
JOIN job_version v ON v.job_id = j.id AND v.version = j.version
WHERE j.id = ANY (ARRAY(
        SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:jobs AS json)) AS r (v)))
    AND j.deleted_at IS NULL
