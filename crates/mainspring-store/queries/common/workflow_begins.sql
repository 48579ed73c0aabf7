-- Runs of workflows that wait to be begun, in the order of claims. `:shards` has a character for each shard, '1' for those asked for.
SELECT r.id, r.job_id, r.job_version
FROM run r
JOIN job j ON j.id = r.job_id
WHERE r.state = 'queued' AND coalesce(r.queue, 'default') = 'workflow/tasks'
    AND SUBSTR(CAST(:shards AS TEXT), j.shard + 1, 1) = '1'
ORDER BY r.due_at - r.priority * 60000, r.due_at, r.id
LIMIT :limit
