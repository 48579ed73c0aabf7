SELECT s.id, t.job_id, j.version, t.position, s.version, s.paused, s.next_fire_at, s.due_at, s.previous_fire_at,
    s.start_at, s.repeat_count, s.times_triggered, s.fired_through, s.status, s.awaiting_run, s.scan_at, j.shard,
    t.name, t.paused, t.jitter_ms
FROM json_array_elements(CAST(:jobs AS json)) AS k (v)
JOIN job_trigger t ON t.job_id = CAST(CAST(k.v AS text) AS bigint)
JOIN trigger_state s ON s.id = t.id
JOIN job j ON j.id = t.job_id
ORDER BY t.job_id, t.position
