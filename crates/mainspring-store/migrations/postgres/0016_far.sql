-- How long a node waits for answers, and whether it has given its shards to nearer ones: `standing` says `draining` then, which older
-- programs know.
ALTER TABLE node ADD COLUMN IF NOT EXISTS answer_ms BIGINT;
ALTER TABLE node ADD COLUMN IF NOT EXISTS is_far INTEGER NOT NULL DEFAULT 0 CHECK (is_far IN (0, 1));
