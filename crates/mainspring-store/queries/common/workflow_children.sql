UPDATE workflow_run SET children = :children WHERE run_id = :run
