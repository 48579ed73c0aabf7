-- Runs that wait for their shards, of which none is known to be unfinished.
SELECT p.run_id, p.job_id, p.shards
FROM route_parent p
WHERE (SELECT r.id FROM run r WHERE r.id = p.live_shard) IS NULL
ORDER BY p.run_id
LIMIT :limit
