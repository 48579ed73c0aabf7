-- What a flow did in a minute, as JSON: its owner of an epoch writes each minute once.
CREATE TABLE IF NOT EXISTS flow_minute (
    flow BIGINT NOT NULL,
    at BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    figures LONGTEXT NOT NULL,
    PRIMARY KEY (flow, at, epoch)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
