SELECT bytes FROM run_output WHERE run_id = :run AND attempt = :attempt AND part = :part
