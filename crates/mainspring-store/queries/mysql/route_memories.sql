-- What the strategies of jobs remember, as far as they do.
SELECT m.job_id, m.memory
FROM JSON_TABLE(:jobs, '$[*]' COLUMNS (id BIGINT PATH '$')) AS r
STRAIGHT_JOIN route_memory m FORCE INDEX (PRIMARY) ON m.job_id = r.id
