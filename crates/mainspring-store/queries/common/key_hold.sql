-- Whether a claim is still that of a process start.
SELECT 1 FROM idempotency_key WHERE key = :key AND claimed_by = :by AND status = 0
