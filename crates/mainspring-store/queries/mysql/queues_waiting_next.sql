SELECT queue_name
FROM run FORCE INDEX (run_waiting)
WHERE queue_name > :after AND queued_place IS NOT NULL
ORDER BY queue_name
LIMIT 1
