-- The newest final runs of a job.
SELECT r.id, r.state, r.origin, r.fire_time, r.started_at, r.ended_at
FROM history r
WHERE r.job_id = :job
ORDER BY r.id DESC
LIMIT :limit
