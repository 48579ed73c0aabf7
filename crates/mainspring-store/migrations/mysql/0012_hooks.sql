-- Since when nothing gets through to a webhook, and whether it rests for that.
ALTER TABLE webhook ADD COLUMN failing_since BIGINT, ADD COLUMN disabled_at BIGINT, ADD COLUMN disabled_reason LONGTEXT;
ALTER TABLE webhook_delivery ADD KEY webhook_delivery_waiting (state, created_at);

-- Outputs that are too large for the row of their run, in parts of at most 256 KiB.
CREATE TABLE IF NOT EXISTS run_output (
    run_id BINARY(16) NOT NULL,
    attempt BIGINT NOT NULL,
    part BIGINT NOT NULL,
    bytes LONGBLOB NOT NULL,
    PRIMARY KEY (run_id, attempt, part)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- When retention first saw that nothing refers to a process start any more.
ALTER TABLE incarnation ADD COLUMN unused_since BIGINT;
