-- Figures of queues in spans of time: of each queue and process start one row a span. One order serves a queue's history, the other finds
-- what happened lately everywhere and what is too old.
CREATE TABLE IF NOT EXISTS queue_rollup (
    queue VARCHAR(255) NOT NULL,
    span BIGINT NOT NULL,
    at BIGINT NOT NULL,
    node VARCHAR(64) NOT NULL,
    figures LONGTEXT NOT NULL,
    PRIMARY KEY (queue, span, at, node),
    KEY queue_rollup_at (span, at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
