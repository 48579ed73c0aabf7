-- Tells live runs of workflows of the ends of runs that their tasks have started. Where no task ever did, nothing is read.
INSERT INTO workflow_inbox (run_id, child, state)
SELECT c.parent, h.id, h.state
FROM (SELECT 1 FROM workflow_call LIMIT 1) AS used
CROSS JOIN json_each(:runs) AS e
CROSS JOIN workflow_call c ON c.child = unhex(e.value)
CROSS JOIN history h ON h.id = c.child
CROSS JOIN run p ON p.id = c.parent
