SELECT s.id
FROM JSON_TABLE(:jobs, '$[*]' COLUMNS (id BIGINT PATH '$')) AS k
STRAIGHT_JOIN job_trigger t FORCE INDEX (job_trigger_name) ON t.job_id = k.id
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = t.id
ORDER BY s.id
FOR UPDATE /*!80001 OF s */
