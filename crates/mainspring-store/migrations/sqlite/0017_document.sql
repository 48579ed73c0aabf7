-- What the server keeps for itself: saved views, operations over many jobs, sessions that were ended.
CREATE TABLE document (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (kind, name)
) STRICT;
