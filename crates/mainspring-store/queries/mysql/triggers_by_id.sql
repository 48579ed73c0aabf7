SELECT s.id, t.job_id, j.version, t.position, s.version, s.paused, s.next_fire_at, s.due_at, s.previous_fire_at,
    s.start_at, s.repeat_count, s.times_triggered, s.fired_through, s.status, s.awaiting_run, s.scan_at, j.shard,
    s.tzdata
FROM JSON_TABLE(:triggers, '$[*]' COLUMNS (id BIGINT PATH '$')) AS r
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = r.id
STRAIGHT_JOIN job_trigger t FORCE INDEX (PRIMARY) ON t.id = s.id
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = t.job_id
