INSERT INTO trigger_state (id, version, paused, status, next_fire_at, due_at, scan_at, previous_fire_at, start_at,
    repeat_count, times_triggered, fired_through, awaiting_run, tzdata)
VALUES (:id, :version, :paused, :status, :next, :due, :scan, :previous, :start, :repeat, :times, :through, :awaiting,
    :tzdata)
ON CONFLICT (id) DO UPDATE SET version = excluded.version, paused = excluded.paused, status = excluded.status,
    next_fire_at = excluded.next_fire_at, due_at = excluded.due_at, scan_at = excluded.scan_at,
    previous_fire_at = excluded.previous_fire_at, start_at = excluded.start_at, repeat_count = excluded.repeat_count,
    times_triggered = excluded.times_triggered, fired_through = excluded.fired_through,
    awaiting_run = excluded.awaiting_run, tzdata = excluded.tzdata
