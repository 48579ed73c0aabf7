-- Of these runs, those that were made before.
SELECT r.id
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS w
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(w.id)
UNION ALL
SELECT h.id
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS w
STRAIGHT_JOIN history h FORCE INDEX (PRIMARY) ON h.id = UNHEX(w.id)
