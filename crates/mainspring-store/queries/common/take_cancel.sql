DELETE FROM cancel_change WHERE run_id = :run
