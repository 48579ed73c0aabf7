-- A change from outside: a new version, and the pause and the place in the due index that follow.
UPDATE trigger_state
SET version = version + 1, paused = :paused,
    scan_at = CASE WHEN :paused = 0 AND status = 'active' THEN due_at END
WHERE id = :id
