-- What is known of runs that are gone. An id has the time of its run.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
SELECT run_id
FROM deadline_miss d
WHERE run_id < :below
    AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = d.run_id LIMIT 1 OFFSET 0)
    AND NOT EXISTS (SELECT 1 FROM history h WHERE h.id = d.run_id)
LIMIT :limit
