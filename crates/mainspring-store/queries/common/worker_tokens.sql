SELECT name, hash, queues, created_at, expires_at FROM worker_token ORDER BY name
