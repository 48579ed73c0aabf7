SELECT 1 FROM workflow_inbox WHERE run_id = :run LIMIT 1
