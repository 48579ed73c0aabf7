SELECT rerun_as FROM workflow_run WHERE run_id = :run
