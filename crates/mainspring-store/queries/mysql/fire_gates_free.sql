-- Locks what nobody else has locked.
SELECT g.job_id
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (id BIGINT PATH '$')) AS r
STRAIGHT_JOIN job_gate g FORCE INDEX (PRIMARY) ON g.job_id = r.id
FOR UPDATE /*!80001 OF g */ SKIP LOCKED
