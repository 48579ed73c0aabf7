-- What jobs keep between their runs; a row of its own, because most keep nothing.
CREATE TABLE IF NOT EXISTS job_data (
    job_id BIGINT PRIMARY KEY,
    data LONGTEXT NOT NULL,
    revision BIGINT NOT NULL,
    run_id BINARY(16),
    changed_at BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
