-- A node counts itself up for all workers that it hears: `heard` says that its count is added to that of the worker. So workers
-- that are well cost no write.
CREATE TABLE IF NOT EXISTS node_count (
    node BIGINT NOT NULL PRIMARY KEY,
    counter BIGINT NOT NULL,
    counted_at BIGINT NOT NULL
) ENGINE = InnoDB;

ALTER TABLE worker ADD COLUMN heard BIGINT NOT NULL DEFAULT 0;
