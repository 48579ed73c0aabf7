-- Leaves the end of a task's run in the inbox of a run that is locked, if its task still waits for that and it is not there.
INSERT INTO workflow_inbox (run_id, child, state)
SELECT t.run_id, h.id, h.state
FROM workflow_task t
JOIN workflow_run w ON w.run_id = t.run_id
JOIN history h ON h.id = t.child
WHERE t.run_id = :run AND t.child = :child AND t.state = 'running' AND w.turn > 0
    AND NOT EXISTS (SELECT 1 FROM workflow_inbox i WHERE i.run_id = t.run_id AND i.child = t.child)
