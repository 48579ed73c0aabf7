-- What is known of how long the runs of jobs take. Row 0, which no job has, counts the changes, and is what changes lock. `line` is that in
-- which runs of the job wait while it is short; others have lines beside these, `QUEUE#~` and `QUEUE#NAMESPACE~`.
CREATE TABLE IF NOT EXISTS job_lane (
    job_id BIGINT PRIMARY KEY,
    lane VARCHAR(16) NOT NULL CHECK (lane IN ('', 'short', 'slow')),
    line VARCHAR(255) NOT NULL,
    changed BIGINT NOT NULL,
    KEY job_lane_changed (changed)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO job_lane (job_id, lane, line, changed) VALUES (0, '', '', 0);
