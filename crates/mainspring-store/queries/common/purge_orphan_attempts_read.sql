-- Attempts whose run is gone with a part of the history.
-- The offset keeps servers from a join: see end_usual.
SELECT DISTINCT run_id
FROM attempt a
WHERE run_id < :below
    AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = a.run_id LIMIT 1 OFFSET 0)
    AND NOT EXISTS (SELECT 1 FROM history h WHERE h.id = a.run_id)
LIMIT :limit
