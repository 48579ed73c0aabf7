-- A status of 0: there is no answer yet. Asks first, as an insert waits for whoever has locked the row that is there.
INSERT INTO idempotency_key ("key", request_hash, status, body, kept_at, claimed_at, claimed_by)
SELECT :key, CAST(:request_hash AS BINARY), 0, '', :at, :at, :by
FROM (SELECT 1 AS one) AS this
WHERE NOT EXISTS (SELECT 1 FROM idempotency_key k WHERE k."key" = :key)
ON DUPLICATE KEY UPDATE idempotency_key.status = idempotency_key.status
