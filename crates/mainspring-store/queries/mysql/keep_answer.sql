INSERT INTO idempotency_key ("key", request_hash, status, body, kept_at)
VALUES (:key, :request_hash, :status, :body, :at)
ON DUPLICATE KEY UPDATE status = status
