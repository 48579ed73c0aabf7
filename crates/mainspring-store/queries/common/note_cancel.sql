INSERT INTO cancel_change (run_id) VALUES (:run) ON CONFLICT (run_id) DO NOTHING
