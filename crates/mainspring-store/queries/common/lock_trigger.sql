SELECT id FROM trigger_state WHERE id = :id
