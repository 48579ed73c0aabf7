SELECT MIN(expires_at) FROM workflow_run WHERE expires_at > 0
