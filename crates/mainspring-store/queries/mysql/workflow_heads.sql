-- What steps have to know of their runs, whose rows are locked in the order of the list: where both are, the run before that of its workflow.
SELECT w.run_id, w.turn, w.children, r.job_id, r.job_version, r.gated, r.trigger_id
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS e
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(e.id)
STRAIGHT_JOIN workflow_run w FORCE INDEX (PRIMARY) ON w.run_id = r.id
FOR UPDATE /*!80001 OF w */
