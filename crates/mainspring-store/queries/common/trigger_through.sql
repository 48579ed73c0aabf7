UPDATE trigger_state SET fired_through = :through WHERE id = :id
