INSERT IGNORE INTO worker_token (name, hash, queues, created_at, expires_at)
VALUES (:name, :hash, :queues, :created_at, :expires_at)
