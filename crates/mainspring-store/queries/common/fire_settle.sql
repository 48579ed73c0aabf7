-- Writes where a trigger stands; the caller has compared it with what it expected, in this transaction. Without
-- :batch, no batch advances it.
UPDATE trigger_state
SET status = :status, next_fire_at = :next, due_at = :due, scan_at = :scan, previous_fire_at = :previous,
    start_at = :start, repeat_count = :repeat, times_triggered = :times, fired_through = :through,
    awaiting_run = :awaiting, batch = COALESCE(:batch, batch), tzdata = :tzdata
WHERE id = :id
