-- The last runs of a line, the last one first.
SELECT id, due_at - priority * 60000
FROM run
WHERE state = 'queued' AND coalesce(queue, 'default') = :line
ORDER BY due_at - priority * 60000 DESC, due_at DESC, id DESC
LIMIT :limit
