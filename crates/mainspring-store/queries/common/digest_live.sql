-- The newest unfinished runs, of all jobs. Tasks count with their run.
SELECT r.id, r.job_id, r.state, r.origin, r.fire_time, r.claimed_at
FROM run r
WHERE r.job_version < 4294967296
ORDER BY r.id DESC
LIMIT :limit
