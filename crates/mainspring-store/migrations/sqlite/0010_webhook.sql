-- Addresses that are told of events. `noted_through` is the last event of which deliveries were made, if it concerns one.
CREATE TABLE webhook (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    namespace TEXT,
    job TEXT,
    secret TEXT NOT NULL,
    previous_secret TEXT,
    previous_until INTEGER,
    noted_through INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Messages to them. Whoever sends one counts `attempts` up and puts `next_at` off: should it die, another one sends it then.
CREATE TABLE webhook_delivery (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id INTEGER NOT NULL,
    message TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state = 'pending' OR state = 'delivered' OR state = 'dead'),
    attempts INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    created_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, next_at, id) WHERE state = 'pending';
CREATE INDEX webhook_delivery_list ON webhook_delivery (webhook_id, id);
CREATE INDEX webhook_delivery_ended ON webhook_delivery (state, ended_at) WHERE ended_at IS NOT NULL;
