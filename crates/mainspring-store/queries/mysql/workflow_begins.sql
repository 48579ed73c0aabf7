-- Runs of workflows that wait to be begun, in the order of claims. `:shards` has a character for each shard, '1' for those asked for.
SELECT r.id, r.job_id, r.job_version
FROM run r FORCE INDEX (run_waiting)
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = r.job_id
WHERE r.queued_line = 'workflow/tasks' AND SUBSTRING(:shards, j.shard + 1, 1) = '1'
ORDER BY r.queued_place, r.due_at, r.id
LIMIT :limit
