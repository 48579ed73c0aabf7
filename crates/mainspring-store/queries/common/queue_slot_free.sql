DELETE FROM queue_slot WHERE queue = :queue AND run_id = :run
