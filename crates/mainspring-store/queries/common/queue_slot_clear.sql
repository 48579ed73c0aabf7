DELETE FROM queue_slot WHERE queue = :queue
