-- A status of 0: there is no answer yet.
INSERT INTO idempotency_key ("key", request_hash, status, body, kept_at, claimed_at, claimed_by)
VALUES (:key, :request_hash, 0, '', :at, :at, :by)
ON DUPLICATE KEY UPDATE status = status
