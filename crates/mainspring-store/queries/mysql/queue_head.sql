SELECT queued_place
FROM run FORCE INDEX (run_waiting)
WHERE queued_line = :queue
ORDER BY queued_place
LIMIT 1
