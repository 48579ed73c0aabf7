-- A node counts itself up for all workers that it hears: `heard` says that its count is added to that of the worker. So workers
-- that are well cost no write.
CREATE TABLE IF NOT EXISTS node_count (
    node BIGINT PRIMARY KEY,
    counter BIGINT NOT NULL,
    counted_at BIGINT NOT NULL
) WITH (fillfactor = 50);

ALTER TABLE worker ADD COLUMN IF NOT EXISTS heard BIGINT NOT NULL DEFAULT 0;
