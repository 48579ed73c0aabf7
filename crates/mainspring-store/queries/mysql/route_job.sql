-- The runs of a version of a job in a line for which a worker is to be picked, in the order of claims.
SELECT id, job_id, job_version, input, shard_index
FROM run FORCE INDEX (run_routed)
WHERE routed_line = :line AND job_id = :job AND job_version = :version
ORDER BY queued_place, due_at, id
LIMIT :limit
