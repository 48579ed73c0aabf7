SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input
FROM run FORCE INDEX (run_queued)
WHERE queued_place IS NOT NULL AND (queue IS NULL OR queue NOT LIKE '%/%')
ORDER BY queued_place, due_at, id
LIMIT :limit
FOR UPDATE SKIP LOCKED
