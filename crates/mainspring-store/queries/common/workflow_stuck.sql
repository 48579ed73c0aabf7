-- Counts tasks of live runs that wait for the end of a run that has ended and of which nothing is left to hear. COUNT keeps the planner to
-- the keys.
SELECT COUNT(*)
FROM workflow_run w
JOIN workflow_task t ON t.run_id = w.run_id
WHERE w.turn > 0 AND t.state = 'running' AND t.child IS NOT NULL
    AND (SELECT COUNT(*) FROM run r WHERE r.id = t.child) = 0
    AND NOT EXISTS (SELECT 1 FROM workflow_inbox i WHERE i.run_id = t.run_id AND i.child = t.child)
