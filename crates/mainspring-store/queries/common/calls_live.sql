-- Runs that tasks of a workflow run have started and that are not final.
SELECT c.child, c.task
FROM workflow_call c
JOIN run r ON r.id = c.child
WHERE c.parent = :run
ORDER BY c.child
