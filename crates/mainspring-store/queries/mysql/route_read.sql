-- The runs of a line for which a worker is to be picked, in the order of claims.
SELECT id, job_id, job_version, input, shard_index
FROM run FORCE INDEX (run_waiting)
WHERE queued_line = :line
ORDER BY queued_place, due_at, id
LIMIT :limit
