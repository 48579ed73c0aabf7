-- Where one process works at a time, no other lives.
SELECT request_hash, status, body, kept_at, COALESCE(claimed_at, kept_at), claimed_by, 0
FROM idempotency_key
WHERE key = :key
