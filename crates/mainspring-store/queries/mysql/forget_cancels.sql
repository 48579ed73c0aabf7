DELETE c
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS heard
STRAIGHT_JOIN cancel_change c FORCE INDEX (PRIMARY) ON c.run_id = UNHEX(heard.id)
