-- What the server keeps for itself: saved views, operations over many jobs, sessions that were ended.
CREATE TABLE IF NOT EXISTS document (
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    version BIGINT NOT NULL,
    at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (kind, name)
);
