INSERT INTO trigger_change (trigger_id) VALUES (:trigger) ON CONFLICT (trigger_id) DO NOTHING
