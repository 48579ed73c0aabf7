-- What components make of a flow that another node owns. Items of an inbox are in flow_item under ids below zero, in a range that follows
-- from its number; the owner takes them out under ids of its own. `flow.inboxes` counts the inboxes that there were.
ALTER TABLE flow ADD COLUMN inboxes BIGINT NOT NULL DEFAULT 0;
CREATE TABLE IF NOT EXISTS flow_inbox (
    flow BIGINT NOT NULL,
    number BIGINT NOT NULL,
    node VARCHAR(64) NOT NULL,
    component VARCHAR(255) NOT NULL,
    is_open TINYINT NOT NULL CHECK (is_open IN (0, 1)),
    last_item BIGINT NOT NULL,
    report LONGTEXT NOT NULL,
    PRIMARY KEY (flow, number)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
