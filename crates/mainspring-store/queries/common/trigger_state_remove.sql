DELETE FROM trigger_state WHERE id = :trigger
