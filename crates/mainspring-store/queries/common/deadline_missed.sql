SELECT 1 FROM deadline_miss WHERE run_id = :run
