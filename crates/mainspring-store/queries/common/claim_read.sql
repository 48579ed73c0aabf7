SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input
FROM run
WHERE state = 'queued'
ORDER BY due_at - priority * 60000, due_at, id
LIMIT :limit
