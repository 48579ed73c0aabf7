-- Who is at work on a request under this key, and since when. A status of 0 stands for no answer yet.
ALTER TABLE idempotency_key ADD COLUMN claimed_by INTEGER;
ALTER TABLE idempotency_key ADD COLUMN claimed_at INTEGER;
