INSERT INTO trigger_state (id, version, paused, status, next_fire_at, due_at, scan_at, previous_fire_at, start_at,
    repeat_count, times_triggered, fired_through, awaiting_run, tzdata, shard)
VALUES (:id, :version, :paused, :status, :next, :due, :scan, :previous, :start, :repeat, :times, :through, :awaiting,
    :tzdata, (SELECT j.shard FROM job_trigger t JOIN job j ON j.id = t.job_id WHERE t.id = :id))
ON DUPLICATE KEY UPDATE version = VALUES(version), paused = VALUES(paused), status = VALUES(status),
    next_fire_at = VALUES(next_fire_at), due_at = VALUES(due_at), scan_at = VALUES(scan_at),
    previous_fire_at = VALUES(previous_fire_at), start_at = VALUES(start_at), repeat_count = VALUES(repeat_count),
    times_triggered = VALUES(times_triggered), fired_through = VALUES(fired_through),
    awaiting_run = VALUES(awaiting_run), tzdata = VALUES(tzdata)
