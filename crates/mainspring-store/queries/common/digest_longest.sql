-- Of the oldest unfinished runs, those that are executed, oldest first. Running ones are in no index.
SELECT l.id, l.job_id, l.state, l.origin, l.fire_time, l.claimed_at
FROM (SELECT r.id, r.job_id, r.state,
    r.origin, r.fire_time, r.claimed_at
    FROM run r WHERE r.job_version < 4294967296 ORDER BY r.id LIMIT :looked_at) l
WHERE l.state = 'running'
ORDER BY l.claimed_at, l.id
LIMIT :limit
