-- Flows, and the items in their queues. An item stays until the transaction that ends what its body did.
CREATE TABLE flow (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    definition TEXT NOT NULL,
    source TEXT NOT NULL,
    states TEXT NOT NULL,
    version INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    written INTEGER NOT NULL,
    saved_at INTEGER NOT NULL,
    UNIQUE (namespace, name)
) STRICT;
CREATE TABLE flow_item (
    flow INTEGER NOT NULL,
    id INTEGER NOT NULL,
    connection_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    entered_at INTEGER NOT NULL,
    lineage_at INTEGER NOT NULL,
    penalty_until INTEGER,
    retries INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    priority TEXT,
    attributes TEXT NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (flow, id)
) STRICT, WITHOUT ROWID;
