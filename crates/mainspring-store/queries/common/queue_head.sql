SELECT due_at - priority * 60000
FROM run
WHERE state = 'queued' AND coalesce(queue, 'default') = :queue
ORDER BY due_at - priority * 60000, due_at, id
LIMIT 1
