-- The gates of jobs, as far as they have one, locked in the order of the list.
SELECT g.job_id, g.active, g.held
FROM JSON_TABLE(:jobs, '$[*]' COLUMNS (id BIGINT PATH '$')) AS r
STRAIGHT_JOIN job_gate g FORCE INDEX (PRIMARY) ON g.job_id = r.id
FOR UPDATE /*!80001 OF g */
