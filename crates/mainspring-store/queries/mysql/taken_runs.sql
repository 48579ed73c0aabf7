-- Of runs that were taken, those that are still executed by who took them.
SELECT r.id, r.job_id, r.job_version, r.trigger_id, r.fire_time, r.due_at, r.attempt, r.input, r.claimed_at,
    r.cancel_requested_at IS NOT NULL, coalesce(r.queue, 'default')
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS w
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(w.id)
WHERE r.state = 'running' AND r.claimed_by = :owner
