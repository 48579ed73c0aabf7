-- Runs that tasks of a workflow run have started and that are not final. No join: a server that knows of one run would read them all.
SELECT c.child, c.task
FROM workflow_call c
WHERE c.parent = :run AND (SELECT r.id FROM run r WHERE r.id = c.child) IS NOT NULL
ORDER BY c.child
