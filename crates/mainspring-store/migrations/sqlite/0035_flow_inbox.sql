-- What components make of a flow that another node owns. Items of an inbox are in flow_item under ids below zero, in a range that follows
-- from its number; the owner takes them out under ids of its own. `flow.inboxes` counts the inboxes that there were.
ALTER TABLE flow ADD COLUMN inboxes INTEGER NOT NULL DEFAULT 0;
CREATE TABLE flow_inbox (
    flow INTEGER NOT NULL,
    number INTEGER NOT NULL,
    node TEXT NOT NULL,
    component TEXT NOT NULL,
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
    last_item INTEGER NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (flow, number)
) STRICT, WITHOUT ROWID;
