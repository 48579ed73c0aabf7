DELETE FROM workflow_inbox WHERE run_id = :run AND child IS NULL AND request IS NULL
