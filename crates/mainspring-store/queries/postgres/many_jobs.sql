SELECT j.id, j.version, j.change, j.paused, j.created_at, j.updated_at, v.definition, j.namespace, j.name
FROM json_array_elements(CAST(:keys AS json)) AS k (v)
JOIN job j ON j.namespace = k.v ->> 0 AND j.name = k.v ->> 1 AND j.deleted_at IS NULL
JOIN job_version v ON v.job_id = j.id AND v.version = j.version
