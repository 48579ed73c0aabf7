-- Backfills that start runs or have some under way. `:shards` has a character for each shard, '1' for those asked for.
SELECT b.id
FROM backfill b
JOIN job j ON j.id = b.job_id
WHERE b.ended_at IS NULL AND (b.state = 'active' OR b.running_items > 0)
    AND SUBSTR(CAST(:shards AS TEXT), j.shard + 1, 1) = '1'
ORDER BY b.id
LIMIT :limit
