-- The last runs of a line, the last one first.
SELECT id, queued_place
FROM run FORCE INDEX (run_waiting)
WHERE queued_line = :line
ORDER BY queued_place DESC, due_at DESC, id DESC
LIMIT :limit
