-- What is set for queues. `used_us`: until when the runs that have left have taken up the time of the rate.
CREATE TABLE IF NOT EXISTS queue (
    name VARCHAR(255) NOT NULL PRIMARY KEY,
    paused BIGINT NOT NULL CHECK (paused IN (0, 1)),
    max_running BIGINT,
    rate_count BIGINT,
    rate_per_ms BIGINT,
    used_us BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Runs that take up a place of a queue with a limit. A row counts for as long as its run is running, and is removed by a later claim.
CREATE TABLE IF NOT EXISTS queue_slot (
    queue VARCHAR(255) NOT NULL,
    run_id BINARY(16) NOT NULL,
    PRIMARY KEY (queue, run_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- A level of priority is worth a minute of waiting.
ALTER TABLE run MODIFY COLUMN queued_place BIGINT
    GENERATED ALWAYS AS (CASE WHEN state = 'queued' THEN due_at - priority * 60000 END) STORED;
