-- The newest unfinished runs, of all jobs.
SELECT r.id, r.job_id, r.state, r.origin, r.fire_time, r.claimed_at
FROM run r
ORDER BY r.id DESC
LIMIT :limit
