DELETE FROM workflow_run WHERE run_id = :run
