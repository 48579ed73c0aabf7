DELETE FROM workflow_task WHERE run_id = :run
