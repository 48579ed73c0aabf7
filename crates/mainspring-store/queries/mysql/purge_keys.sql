DELETE FROM idempotency_key WHERE kept_at < :before LIMIT :limit
