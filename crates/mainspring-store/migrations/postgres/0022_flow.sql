-- Flows, and the items in their queues. An item stays until the transaction that ends what its body did.
CREATE TABLE IF NOT EXISTS flow (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    definition TEXT NOT NULL,
    source TEXT NOT NULL,
    states TEXT NOT NULL,
    version BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    written BIGINT NOT NULL,
    saved_at BIGINT NOT NULL,
    UNIQUE (namespace, name)
);
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
    priority TEXT,
    attributes TEXT NOT NULL,
    payload BYTEA NOT NULL,
    PRIMARY KEY (flow, id)
);
