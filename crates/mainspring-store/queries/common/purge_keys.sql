DELETE FROM idempotency_key WHERE key IN (SELECT key FROM idempotency_key WHERE kept_at < :before LIMIT :limit)
