-- As fire_advance, for a trigger that leaves memory: its place in the due index is renewed.
UPDATE trigger_state
SET next_fire_at = :next, due_at = :due, previous_fire_at = :previous, start_at = :start, repeat_count = :repeat,
    times_triggered = :times, fired_through = :through, awaiting_run = NULL, batch = :batch, tzdata = :tzdata,
    scan_at = :due
WHERE id = :id AND version = :version AND next_fire_at = :expected AND status = 'active' AND paused = 0
    AND (fired_through IS NULL OR fired_through < :first)
