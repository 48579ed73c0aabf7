-- What components make of a flow that another node owns. Items of an inbox are in flow_item under ids below zero, in a range that follows
-- from its number; the owner takes them out under ids of its own. `flow.inboxes` counts the inboxes that there were.
ALTER TABLE flow ADD COLUMN IF NOT EXISTS inboxes BIGINT NOT NULL DEFAULT 0;
CREATE TABLE IF NOT EXISTS flow_inbox (
    flow BIGINT NOT NULL,
    number BIGINT NOT NULL,
    node TEXT COLLATE "C" NOT NULL,
    component TEXT COLLATE "C" NOT NULL,
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
    last_item BIGINT NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (flow, number)
);
