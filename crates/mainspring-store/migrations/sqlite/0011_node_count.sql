-- A node counts itself up for all workers that it hears: `heard` says that its count is added to that of the worker. So workers
-- that are well cost no write.
CREATE TABLE node_count (
    node INTEGER PRIMARY KEY,
    counter INTEGER NOT NULL,
    counted_at INTEGER NOT NULL
) STRICT;

ALTER TABLE worker ADD COLUMN heard INTEGER NOT NULL DEFAULT 0;
