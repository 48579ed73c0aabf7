-- Workers of other machines. `counter` shows that one is alive: whoever hears it counts it up. `node` is who does.
CREATE TABLE IF NOT EXISTS worker (
    incarnation BIGINT PRIMARY KEY,
    id BINARY(16) NOT NULL,
    name VARCHAR(255) NOT NULL,
    queues LONGTEXT NOT NULL,
    labels LONGTEXT NOT NULL,
    slots BIGINT NOT NULL,
    version VARCHAR(255),
    token VARCHAR(255),
    counter BIGINT NOT NULL,
    node BIGINT,
    joined_at BIGINT NOT NULL,
    heard_at BIGINT NOT NULL,
    UNIQUE KEY worker_id (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Tokens with which workers join, as SHA-256. No queues: all.
CREATE TABLE IF NOT EXISTS worker_token (
    name VARCHAR(255) NOT NULL PRIMARY KEY,
    hash BINARY(32) NOT NULL,
    queues LONGTEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    UNIQUE KEY worker_token_hash (hash)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- `run.queue` is absent for the queue `default`. Claims of a queue go by this index.
ALTER TABLE run ADD COLUMN queue_name VARCHAR(255) GENERATED ALWAYS AS (COALESCE(queue, 'default')) STORED,
    ADD KEY run_waiting (queue_name, queued_place, due_at, id);
