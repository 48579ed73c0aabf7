SELECT j.id, j.version, j.change, j.paused, j.created_at, j.updated_at, v.definition
FROM job j
JOIN job_version v ON v.job_id = j.id AND v.version = j.version
WHERE j.id IN (SELECT value FROM json_each(:jobs)) AND j.deleted_at IS NULL
