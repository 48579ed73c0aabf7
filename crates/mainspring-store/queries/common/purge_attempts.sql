DELETE FROM attempt WHERE run_id = :run
