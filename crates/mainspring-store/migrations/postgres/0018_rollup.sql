-- Figures of spans of time, so that nobody has to count what is long past: of each process start one row a span.
CREATE TABLE IF NOT EXISTS rollup (
    span BIGINT NOT NULL,
    at BIGINT NOT NULL,
    node TEXT COLLATE "C" NOT NULL,
    figures TEXT NOT NULL,
    PRIMARY KEY (span, at, node)
) WITH (fillfactor = 50);
