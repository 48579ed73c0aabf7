SELECT s.id, t.job_id, j.version, t.position, s.version, s.paused, s.next_fire_at, s.due_at, s.previous_fire_at,
    s.start_at, s.repeat_count, s.times_triggered, s.fired_through, s.status, s.awaiting_run, s.scan_at, j.shard,
    s.tzdata, t.name, t.paused, t.jitter_ms, CASE WHEN s.status = 'error' THEN t.error END
FROM job_trigger t
JOIN trigger_state s ON s.id = t.id
JOIN job j ON j.id = t.job_id
WHERE t.job_id = :job
ORDER BY t.position
