-- What the strategies of routed jobs remember, as JSON. The row of job 0, which no job has, is what routing locks.
CREATE TABLE IF NOT EXISTS route_memory (
    job_id BIGINT PRIMARY KEY,
    memory LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO route_memory (job_id, memory) VALUES (0, '{}');

-- The lines of routed runs, `QUEUE/route` and `QUEUE/@WORKER`. Names have no slash.
ALTER TABLE run ADD COLUMN routed_line VARCHAR(255)
        GENERATED ALWAYS AS (CASE WHEN state = 'queued' AND queue LIKE '%/%' THEN queue END) STORED,
    ADD KEY run_routed (routed_line);

-- Runs in state `waiting` whose shards execute them, and how many these are.
CREATE TABLE IF NOT EXISTS route_parent (
    run_id BINARY(16) NOT NULL PRIMARY KEY,
    job_id BIGINT NOT NULL,
    shards BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
