DELETE FROM run_output WHERE run_id = :run
