DELETE FROM idempotency_key WHERE "key" = :key AND claimed_by = :by AND status = 0
