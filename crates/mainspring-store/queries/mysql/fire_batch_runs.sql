-- Where runs of a repeated batch are now: unfinished ones with their state, and those that have ended.
SELECT r.id, r.state, r.attempt, r.claimed_by
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS w
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(w.id)
UNION ALL
SELECT h.id, NULL, NULL, NULL
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS w
STRAIGHT_JOIN history h FORCE INDEX (PRIMARY) ON h.id = UNHEX(w.id)
