SELECT s.id, t.job_id, j.version, t.position, s.version, s.paused, s.next_fire_at, s.due_at, s.previous_fire_at,
    s.start_at, s.repeat_count, s.times_triggered, s.fired_through, s.status, s.awaiting_run, s.scan_at, j.shard,
    s.tzdata, t.name, t.paused, t.jitter_ms, CASE WHEN s.status = 'error' THEN t.error END
FROM JSON_TABLE(:jobs, '$[*]' COLUMNS (id BIGINT PATH '$')) AS k
STRAIGHT_JOIN job_trigger t FORCE INDEX (job_trigger_name) ON t.job_id = k.id
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = t.id
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = t.job_id
ORDER BY t.job_id, t.position
