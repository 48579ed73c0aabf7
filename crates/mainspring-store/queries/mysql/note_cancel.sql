INSERT IGNORE INTO cancel_change (run_id) VALUES (:run)
