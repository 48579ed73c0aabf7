-- Figures of queues in spans of time: of each queue and process start one row a span. One order serves a queue's history, the other finds
-- what happened lately everywhere and what is too old.
CREATE TABLE queue_rollup (
    queue TEXT NOT NULL,
    span INTEGER NOT NULL,
    at INTEGER NOT NULL,
    node TEXT NOT NULL,
    figures TEXT NOT NULL,
    PRIMARY KEY (queue, span, at, node)
) STRICT, WITHOUT ROWID;
CREATE INDEX queue_rollup_at ON queue_rollup (span, at);
