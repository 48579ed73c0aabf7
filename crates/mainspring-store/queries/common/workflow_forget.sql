DELETE FROM workflow_inbox WHERE run_id = :run
