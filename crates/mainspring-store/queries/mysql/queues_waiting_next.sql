SELECT queued_line
FROM run FORCE INDEX (run_waiting)
WHERE queued_line > :after
ORDER BY queued_line
LIMIT 1
