-- Locks the runs that end in the usual way: running, at their attempt, for who says so, and in no gate. Answers them.
SELECT r.id
FROM JSON_TABLE(:ends, '$[*]' COLUMNS (id CHAR(32) PATH '$[0]', attempt BIGINT PATH '$[1]', holder BIGINT PATH '$[9]')) AS e
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(e.id)
WHERE r.state = 'running' AND r.attempt = e.attempt AND r.claimed_by = e.holder AND r.gated = 0
FOR UPDATE /*!80001 OF r */
