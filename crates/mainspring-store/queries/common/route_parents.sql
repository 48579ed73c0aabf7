-- Runs that wait for their shards.
SELECT run_id, job_id, shards FROM route_parent ORDER BY run_id LIMIT :limit
