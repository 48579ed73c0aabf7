UPDATE workflow_run SET rerun_as = :again WHERE run_id = :run
