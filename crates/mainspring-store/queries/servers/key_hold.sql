-- Whether a claim is still that of a process start. If so, nobody takes it over before the end of the transaction.
SELECT 1 FROM idempotency_key WHERE "key" = :key AND claimed_by = :by AND status = 0 FOR UPDATE
