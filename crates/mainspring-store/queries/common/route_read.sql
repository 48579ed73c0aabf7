-- The runs of a line for which a worker is to be picked, in the order of claims.
SELECT id, job_id, job_version, input, shard_index
FROM run
WHERE state = 'queued' AND coalesce(queue, 'default') = :line
ORDER BY due_at - priority * 60000, due_at, id
LIMIT :limit
