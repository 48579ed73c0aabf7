SELECT MIN(expiry_at) FROM run
