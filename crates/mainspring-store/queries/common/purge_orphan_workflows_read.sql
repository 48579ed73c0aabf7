-- What is kept of runs of workflows that are gone with a part of the history.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
SELECT run_id
FROM workflow_run w
WHERE run_id < :below
    AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = w.run_id LIMIT 1 OFFSET 0)
    AND NOT EXISTS (SELECT 1 FROM history h WHERE h.id = w.run_id)
LIMIT :limit
