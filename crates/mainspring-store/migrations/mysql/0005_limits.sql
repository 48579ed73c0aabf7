-- When a run that waits ends without being started, or started again. No attempt begins after it.
ALTER TABLE run ADD COLUMN expires_at BIGINT;
ALTER TABLE run ADD COLUMN expiry_at BIGINT
    GENERATED ALWAYS AS (CASE WHEN state <> 'running' THEN expires_at END) STORED;
ALTER TABLE run ADD INDEX run_expires (expiry_at, id);
-- What the runs of a job hand on to the next: the output of the one that began at `since`, or what a person set then.
CREATE TABLE IF NOT EXISTS job_data (
    job_id BIGINT NOT NULL PRIMARY KEY,
    data LONGTEXT NOT NULL,
    since BIGINT NOT NULL,
    run_id BINARY(16)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
