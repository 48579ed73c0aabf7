-- Flows, and the items in their queues. An item stays until the transaction that ends what its body did.
CREATE TABLE IF NOT EXISTS flow (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    namespace VARCHAR(255) NOT NULL,
    name VARCHAR(255) NOT NULL,
    definition LONGTEXT NOT NULL,
    source LONGTEXT NOT NULL,
    states LONGTEXT NOT NULL,
    version BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    written BIGINT NOT NULL,
    saved_at BIGINT NOT NULL,
    UNIQUE (namespace, name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
CREATE TABLE IF NOT EXISTS flow_item (
    flow BIGINT NOT NULL,
    id BIGINT NOT NULL,
    connection_id BIGINT NOT NULL,
    position BIGINT NOT NULL,
    entered_at BIGINT NOT NULL,
    lineage_at BIGINT NOT NULL,
    penalty_until BIGINT,
    retries BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    priority LONGTEXT,
    attributes LONGTEXT NOT NULL,
    payload LONGBLOB NOT NULL,
    PRIMARY KEY (flow, id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
