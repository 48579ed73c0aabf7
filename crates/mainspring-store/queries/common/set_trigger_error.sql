-- Puts an active trigger aside. Zero rows: it has changed meanwhile.
UPDATE trigger_state
SET version = version + 1, status = 'error', next_fire_at = NULL, due_at = NULL, scan_at = NULL
WHERE id = :id AND version = :version AND status = 'active'
