SELECT j.id, j.version, j."change", j.paused, j.created_at, j.updated_at, v.definition
FROM JSON_TABLE(:jobs, '$[*]' COLUMNS (id BIGINT PATH '$')) AS r
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = r.id
STRAIGHT_JOIN job_version v FORCE INDEX (PRIMARY) ON v.job_id = j.id AND v.version = j.version
WHERE j.deleted_at IS NULL
