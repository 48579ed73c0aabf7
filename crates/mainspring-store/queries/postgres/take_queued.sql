SELECT 1 FROM run WHERE state = 'queued' LIMIT 1
