-- How long after their fire time runs of a job may take to end.
CREATE TABLE IF NOT EXISTS job_deadline (
    job_id BIGINT NOT NULL PRIMARY KEY,
    within_ms BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Runs that were unfinished then. `told_at` is when that became an event, absent until then.
CREATE TABLE IF NOT EXISTS deadline_miss (
    run_id BINARY(16) NOT NULL PRIMARY KEY,
    told_at BIGINT,
    KEY deadline_miss_told (told_at, run_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
