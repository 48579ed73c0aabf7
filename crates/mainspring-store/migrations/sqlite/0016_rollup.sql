-- Figures of spans of time, so that nobody has to count what is long past: of each process start one row a span.
CREATE TABLE rollup (
    span INTEGER NOT NULL,
    at INTEGER NOT NULL,
    node TEXT NOT NULL,
    figures TEXT NOT NULL,
    PRIMARY KEY (span, at, node)
) STRICT, WITHOUT ROWID;
