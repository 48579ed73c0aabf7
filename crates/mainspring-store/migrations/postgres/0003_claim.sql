-- Who is at work on a request under this key, and since when. A status of 0 stands for no answer yet.
ALTER TABLE idempotency_key ADD COLUMN IF NOT EXISTS claimed_by BIGINT;
ALTER TABLE idempotency_key ADD COLUMN IF NOT EXISTS claimed_at BIGINT;
