-- Runs that may wait in a queue at a time.
ALTER TABLE queue ADD COLUMN max_waiting INTEGER;
