SELECT t.id, t.job_id, t.position
FROM JSON_TABLE(:jobs, '$[*]' COLUMNS (id BIGINT PATH '$')) AS k
STRAIGHT_JOIN job_trigger t FORCE INDEX (job_trigger_name) ON t.job_id = k.id
