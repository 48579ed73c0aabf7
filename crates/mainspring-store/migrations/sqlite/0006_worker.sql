-- Workers of other machines. `counter` shows that one is alive: whoever hears it counts it up. `node` is who does.
CREATE TABLE worker (
    incarnation INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    queues TEXT NOT NULL,
    labels TEXT NOT NULL,
    slots INTEGER NOT NULL,
    version TEXT,
    token TEXT,
    counter INTEGER NOT NULL,
    node INTEGER,
    joined_at INTEGER NOT NULL,
    heard_at INTEGER NOT NULL
) STRICT;

-- Tokens with which workers join, as SHA-256. No queues: all.
CREATE TABLE worker_token (
    name TEXT NOT NULL PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    queues TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT, WITHOUT ROWID;

-- `run.queue` is absent for the queue `default`. Claims of a queue go by this index.
CREATE INDEX run_waiting ON run (coalesce(queue, 'default'), priority DESC, due_at, id) WHERE state = 'queued';
