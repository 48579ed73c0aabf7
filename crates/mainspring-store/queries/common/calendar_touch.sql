UPDATE trigger_state SET version = version + 1 WHERE id = :trigger
