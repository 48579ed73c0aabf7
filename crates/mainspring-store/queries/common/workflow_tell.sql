-- Tells live runs of workflows of the ends of their tasks' runs.
INSERT INTO workflow_inbox (run_id, child, state)
SELECT h.parent_run, h.id, h.state
FROM json_each(:runs) AS e
CROSS JOIN history h ON h.id = unhex(e.value)
CROSS JOIN run p ON p.id = h.parent_run
WHERE h.task IS NOT NULL
