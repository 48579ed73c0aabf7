-- Fires that are owed to triggers after a place, in the order in which runs ended: with the job of each, if it is there. `:shards` has a character for
-- each shard, '1' for those asked for.
SELECT i.id, i.trigger_id, i.cause, i.fire_time, i.ended_at, j.id, j.version
FROM after_inbox i
LEFT JOIN job_trigger t ON t.id = i.trigger_id
LEFT JOIN job j ON j.id = t.job_id
WHERE i.id > :after AND (j.id IS NULL OR SUBSTR(CAST(:shards AS TEXT), j.shard + 1, 1) = '1')
ORDER BY i.id
LIMIT :limit
