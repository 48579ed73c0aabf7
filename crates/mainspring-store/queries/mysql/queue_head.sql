SELECT queued_place
FROM run FORCE INDEX (run_waiting)
WHERE queue_name = :queue AND queued_place IS NOT NULL
ORDER BY queued_place
LIMIT 1
