-- The first runs of a line, in the order of claims.
SELECT id, due_at - priority * 60000, due_at
FROM run
WHERE state = 'queued' AND coalesce(queue, 'default') = :line
ORDER BY due_at - priority * 60000, due_at, id
LIMIT :limit
