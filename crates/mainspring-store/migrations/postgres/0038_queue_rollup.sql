-- Figures of queues in spans of time: of each queue and process start one row a span. One order serves a queue's history, the other finds
-- what happened lately everywhere and what is too old.
CREATE TABLE IF NOT EXISTS queue_rollup (
    queue TEXT COLLATE "C" NOT NULL,
    span BIGINT NOT NULL,
    at BIGINT NOT NULL,
    node TEXT COLLATE "C" NOT NULL,
    figures TEXT NOT NULL,
    PRIMARY KEY (queue, span, at, node),
    CONSTRAINT queue_rollup_at UNIQUE (span, at, queue, node)
) WITH (fillfactor = 50);
