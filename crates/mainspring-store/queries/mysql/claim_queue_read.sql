SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input, coalesce(queue, 'default')
FROM run FORCE INDEX (run_waiting)
WHERE queued_line = :queue
ORDER BY queued_place, due_at, id
LIMIT :limit
FOR UPDATE SKIP LOCKED
