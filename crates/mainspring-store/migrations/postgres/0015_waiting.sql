-- Runs that may wait in a queue at a time.
ALTER TABLE queue ADD COLUMN IF NOT EXISTS max_waiting BIGINT;
