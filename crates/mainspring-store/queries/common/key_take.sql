UPDATE idempotency_key SET claimed_by = :by, claimed_at = :at WHERE "key" = :key
