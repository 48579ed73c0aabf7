SELECT request_hash, status, body FROM idempotency_key WHERE "key" = :key
