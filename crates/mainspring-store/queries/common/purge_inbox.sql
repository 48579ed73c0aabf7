-- What was left to runs that had just ended.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
DELETE FROM workflow_inbox
WHERE id IN (
    SELECT i.id FROM workflow_inbox i
    WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.id = i.run_id LIMIT 1 OFFSET 0)
    ORDER BY i.id LIMIT :limit)
