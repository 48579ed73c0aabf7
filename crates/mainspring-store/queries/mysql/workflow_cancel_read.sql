-- Locks runs that are to end, and reads them.
SELECT r.id, r.job_id, r.state, r.gated, r.trigger_id, r.job_version, r.claimed_by IS NULL
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS e
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(e.id)
FOR UPDATE /*!80001 OF r */
