-- Figures of spans of time, so that nobody has to count what is long past: of each process start one row a span.
CREATE TABLE IF NOT EXISTS rollup (
    span BIGINT NOT NULL,
    at BIGINT NOT NULL,
    node VARCHAR(64) NOT NULL,
    figures LONGTEXT NOT NULL,
    PRIMARY KEY (span, at, node)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
