UPDATE idempotency_key SET status = :status, body = :body, kept_at = :at, claimed_by = NULL
WHERE "key" = :key AND status = 0
