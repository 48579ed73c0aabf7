-- Of these runs, those of workflows.
SELECT w.run_id
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS r
STRAIGHT_JOIN workflow_run w FORCE INDEX (PRIMARY) ON w.run_id = UNHEX(r.id)
