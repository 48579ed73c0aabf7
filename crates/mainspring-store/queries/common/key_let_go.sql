UPDATE idempotency_key SET claimed_by = NULL WHERE "key" = :key AND claimed_by = :by AND status = 0
