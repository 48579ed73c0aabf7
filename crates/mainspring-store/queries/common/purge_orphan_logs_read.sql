-- Logs whose run is gone: with a part of the history, or before they came.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
SELECT DISTINCT run_id
FROM log_chunk c
WHERE run_id < :below
    AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = c.run_id LIMIT 1 OFFSET 0)
    AND NOT EXISTS (SELECT 1 FROM history h WHERE h.id = c.run_id)
LIMIT :limit
