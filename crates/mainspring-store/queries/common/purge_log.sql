DELETE FROM log_chunk WHERE run_id = :run
