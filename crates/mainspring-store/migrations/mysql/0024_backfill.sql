-- Backfills, with counts of their items by state. `spec` is JSON; `turn` counts what was written.
CREATE TABLE IF NOT EXISTS backfill (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    job_id BIGINT NOT NULL,
    job_version BIGINT NOT NULL,
    trigger_id BIGINT NOT NULL,
    spec LONGTEXT NOT NULL,
    turn BIGINT NOT NULL,
    state VARCHAR(16) NOT NULL,
    reason LONGTEXT,
    open_items BIGINT NOT NULL,
    running_items BIGINT NOT NULL,
    succeeded_items BIGINT NOT NULL,
    failed_items BIGINT NOT NULL,
    cancelled_items BIGINT NOT NULL,
    skipped_items BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    created_by LONGTEXT,
    ended_at BIGINT,
    KEY backfill_job (job_id, job_version),
    KEY backfill_ended (ended_at, id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The fire times that they run, in order. `run_id` is the latest run made for one.
CREATE TABLE IF NOT EXISTS backfill_item (
    backfill_id BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    trigger_id BIGINT NOT NULL,
    fire_time BIGINT NOT NULL,
    action VARCHAR(16) NOT NULL,
    state VARCHAR(16) NOT NULL,
    run_id BINARY(16),
    rerun_of BINARY(16),
    PRIMARY KEY (backfill_id, seq),
    KEY backfill_item_state (backfill_id, state, seq),
    KEY backfill_item_fire (trigger_id, fire_time)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
