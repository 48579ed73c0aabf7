-- Tasks of live runs that wait for the end of a run that is final and of which nothing is left to hear, in the order in which runs are locked.
SELECT t.run_id, t.child
FROM workflow_run w
JOIN workflow_task t ON t.run_id = w.run_id
JOIN history h ON h.id = t.child
WHERE w.turn > 0 AND t.state = 'running' AND t.child IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM workflow_inbox i WHERE i.run_id = t.run_id AND i.child = t.child)
ORDER BY t.run_id, t.child
LIMIT :limit
