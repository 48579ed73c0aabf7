-- Runs that are over or gone and awaited something.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
SELECT DISTINCT run_id
FROM workflow_await w
WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.id = w.run_id LIMIT 1 OFFSET 0)
LIMIT :limit
