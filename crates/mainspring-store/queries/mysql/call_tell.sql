-- Tells live runs of workflows of the ends of runs that their tasks have started. Where no task ever did, nothing is read.
INSERT INTO workflow_inbox (run_id, child, state)
SELECT c.parent, h.id, h.state
FROM (SELECT 1 AS one FROM workflow_call LIMIT 1) AS used
STRAIGHT_JOIN JSON_TABLE(:runs, '$[*]' COLUMNS (n FOR ORDINALITY, id CHAR(32) PATH '$')) AS e
STRAIGHT_JOIN workflow_call c FORCE INDEX (PRIMARY) ON c.child = UNHEX(e.id)
STRAIGHT_JOIN history h FORCE INDEX (PRIMARY) ON h.id = c.child
STRAIGHT_JOIN run p FORCE INDEX (PRIMARY) ON p.id = c.parent
ORDER BY e.n
