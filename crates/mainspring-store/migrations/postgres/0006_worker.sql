-- Workers of other machines. `counter` shows that one is alive: whoever hears it counts it up. `node` is who does.
CREATE TABLE IF NOT EXISTS worker (
    incarnation BIGINT PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    name TEXT COLLATE "C" NOT NULL,
    queues TEXT NOT NULL,
    labels TEXT NOT NULL,
    slots BIGINT NOT NULL,
    version TEXT,
    token TEXT COLLATE "C",
    counter BIGINT NOT NULL,
    node BIGINT,
    joined_at BIGINT NOT NULL,
    heard_at BIGINT NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 0);

-- Tokens with which workers join, as SHA-256. No queues: all.
CREATE TABLE IF NOT EXISTS worker_token (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    hash BYTEA NOT NULL UNIQUE,
    queues TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT
);

-- `run.queue` is absent for the queue `default`. Claims of a queue go by this index.
CREATE INDEX IF NOT EXISTS run_waiting ON run (coalesce(queue, 'default'), priority DESC, due_at, id)
    WHERE state = 'queued';
