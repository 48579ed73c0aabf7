SELECT v.job_id, v.version, v.definition
FROM JSON_TABLE(:keys, '$[*]' COLUMNS (job BIGINT PATH '$[0]', version BIGINT PATH '$[1]')) AS k
STRAIGHT_JOIN job_version v FORCE INDEX (PRIMARY) ON v.job_id = k.job AND v.version = k.version
