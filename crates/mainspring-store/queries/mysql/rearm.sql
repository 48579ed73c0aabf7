-- Sets a `delay` trigger's next instant, if it still awaits the run. Without one, the trigger is complete.
UPDATE trigger_state
SET next_fire_at = :next, due_at = :due, awaiting_run = NULL, tzdata = :tzdata,
    scan_at = CASE WHEN paused = 0 THEN :due END,
    status = CASE WHEN :next IS NULL THEN 'complete' ELSE 'active' END
WHERE id = :id AND awaiting_run = :run AND status = 'active'
