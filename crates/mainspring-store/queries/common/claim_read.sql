SELECT id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input, coalesce(queue, 'default')
FROM run
WHERE state = 'queued' AND (queue IS NULL OR queue NOT LIKE '%/%' AND queue NOT LIKE '%#%')
ORDER BY due_at - priority * 60000, due_at, id
LIMIT :limit
