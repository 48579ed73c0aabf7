-- Addresses that are told of events. `noted_through` is the last event of which deliveries were made, if it concerns one.
CREATE TABLE IF NOT EXISTS webhook (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    namespace TEXT COLLATE "C",
    job TEXT COLLATE "C",
    secret TEXT NOT NULL,
    previous_secret TEXT,
    previous_until BIGINT,
    noted_through BIGINT NOT NULL,
    created_at BIGINT NOT NULL
) WITH (fillfactor = 50);

-- Messages to them. Whoever sends one counts `attempts` up and puts `next_at` off: should it die, another one sends it then.
CREATE TABLE IF NOT EXISTS webhook_delivery (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id BIGINT NOT NULL,
    message TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state = 'pending' OR state = 'delivered' OR state = 'dead'),
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    status BIGINT,
    error TEXT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX IF NOT EXISTS webhook_delivery_due ON webhook_delivery (webhook_id, next_at, id) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS webhook_delivery_list ON webhook_delivery (webhook_id, id);
CREATE INDEX IF NOT EXISTS webhook_delivery_ended ON webhook_delivery (state, ended_at) WHERE ended_at IS NOT NULL;
