SELECT MIN(expires_at) FROM run WHERE expires_at IS NOT NULL AND state <> 'running'
