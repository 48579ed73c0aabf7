-- The usual fire, in one step: the trigger is as expected, stays in the window, and no run of these instants can exist.
-- Zero rows: look closer (fire_read).
UPDATE trigger_state
SET next_fire_at = :next, due_at = :due, previous_fire_at = :previous, start_at = :start, repeat_count = :repeat,
    times_triggered = :times, fired_through = :through, awaiting_run = NULL, batch = :batch, tzdata = :tzdata
WHERE id = :id AND version = :version AND next_fire_at = :expected AND status = 'active' AND paused = 0
    AND scan_at <= :due AND (fired_through IS NULL OR fired_through < :first)
