-- What is known of runs that are gone, unless the workflow run that started them may ask for them again. An id has the time of that run.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
SELECT child
FROM workflow_call c
WHERE child < :below
    AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = c.child LIMIT 1 OFFSET 0)
    AND NOT EXISTS (SELECT 1 FROM history h WHERE h.id = c.child)
    AND NOT EXISTS (SELECT 1 FROM run p WHERE p.id = c.parent LIMIT 1 OFFSET 0)
LIMIT :limit
