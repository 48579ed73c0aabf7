DELETE FROM deadline_miss WHERE run_id = :run
