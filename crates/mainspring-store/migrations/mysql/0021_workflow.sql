-- Runs of workflows that have begun, live or final: the rest of each is in run and history. `turn` counts what was written, and is 0 once
-- the run is final. `children` counts the runs made for its tasks: their ids follow that of the run.
CREATE TABLE IF NOT EXISTS workflow_run (
    run_id BINARY(16) NOT NULL PRIMARY KEY,
    turn BIGINT NOT NULL,
    stop VARCHAR(16) CHECK (stop IN ('failed', 'cancelled')),
    paused TINYINT NOT NULL CHECK (paused IN (0, 1)),
    children BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Tasks of these to which something has happened. `item` is -1 for a task as a whole.
CREATE TABLE IF NOT EXISTS workflow_task (
    run_id BINARY(16) NOT NULL,
    task BIGINT NOT NULL,
    item BIGINT NOT NULL,
    state VARCHAR(16) NOT NULL,
    generation BIGINT NOT NULL,
    child BINARY(16),
    reason LONGTEXT,
    since BIGINT NOT NULL,
    PRIMARY KEY (run_id, task, item)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- What live ones are to hear: the end of a task's run, a request as JSON, or nothing but that there is more to do.
CREATE TABLE IF NOT EXISTS workflow_inbox (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    run_id BINARY(16) NOT NULL,
    child BINARY(16),
    state VARCHAR(16),
    request LONGTEXT,
    KEY workflow_inbox_run (run_id, id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
