INSERT INTO queue_slot (queue, run_id) VALUES (:queue, :run)
