SELECT run_id FROM workflow_run WHERE run_id = :run
