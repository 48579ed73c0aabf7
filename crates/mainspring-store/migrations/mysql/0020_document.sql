-- What the server keeps for itself: saved views, operations over many jobs, sessions that were ended.
CREATE TABLE IF NOT EXISTS document (
    kind VARCHAR(64) NOT NULL,
    name VARCHAR(255) NOT NULL,
    body LONGTEXT NOT NULL,
    version BIGINT NOT NULL,
    at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (kind, name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
