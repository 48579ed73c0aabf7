-- The newest final runs of a job. Tasks count with their run.
SELECT r.id, r.state, r.origin, r.fire_time, r.started_at, r.ended_at
FROM history r
WHERE r.job_id = :job AND r.job_version < 4294967296
ORDER BY r.id DESC
LIMIT :limit
