-- What a flow did in a minute, as JSON: its owner of an epoch writes each minute once.
CREATE TABLE flow_minute (
    flow INTEGER NOT NULL,
    at INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    figures TEXT NOT NULL,
    PRIMARY KEY (flow, at, epoch)
) STRICT, WITHOUT ROWID;
