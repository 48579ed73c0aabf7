DELETE i
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS e
STRAIGHT_JOIN workflow_inbox i FORCE INDEX (workflow_inbox_run) ON i.run_id = UNHEX(e.id)
WHERE i.child IS NULL AND i.request IS NULL
