-- The first runs of a line, in the order of claims.
SELECT id, queued_place, due_at
FROM run FORCE INDEX (run_waiting)
WHERE queued_line = :line
ORDER BY queued_place, due_at, id
LIMIT :limit
