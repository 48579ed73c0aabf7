SELECT s.id, t.job_id, j.version, t.position, s.version, s.paused, s.next_fire_at, s.due_at, s.previous_fire_at,
    s.start_at, s.repeat_count, s.times_triggered, s.fired_through, s.status, s.awaiting_run, s.scan_at, j.shard,
    s.tzdata
FROM trigger_state s
JOIN job_trigger t ON t.id = s.id
JOIN job j ON j.id = t.job_id
WHERE s.id IN (SELECT value FROM json_each(:triggers))
