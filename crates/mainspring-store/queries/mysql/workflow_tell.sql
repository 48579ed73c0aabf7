-- Tells live runs of workflows of the ends of their tasks' runs.
INSERT INTO workflow_inbox (run_id, child, state)
SELECT h.parent_run, h.id, h.state
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (n FOR ORDINALITY, id CHAR(32) PATH '$')) AS e
STRAIGHT_JOIN history h FORCE INDEX (PRIMARY) ON h.id = UNHEX(e.id)
STRAIGHT_JOIN run p FORCE INDEX (PRIMARY) ON p.id = h.parent_run
WHERE h.task IS NOT NULL
ORDER BY e.n
