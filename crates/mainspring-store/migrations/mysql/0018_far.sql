-- How long a node waits for answers, and whether it has given its shards to nearer ones: `standing` says `draining` then, which older
-- programs know.
ALTER TABLE node ADD COLUMN answer_ms BIGINT, ADD COLUMN is_far TINYINT NOT NULL DEFAULT 0 CHECK (is_far IN (0, 1));
