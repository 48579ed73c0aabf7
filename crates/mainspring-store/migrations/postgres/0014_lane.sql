-- What is known of how long the runs of jobs take. Row 0, which no job has, counts the changes, and is what changes lock. `line` is that in
-- which runs of the job wait while it is short; others have lines beside these, `QUEUE#~` and `QUEUE#NAMESPACE~`.
CREATE TABLE IF NOT EXISTS job_lane (
    job_id BIGINT PRIMARY KEY,
    lane TEXT NOT NULL CHECK (lane IN ('', 'short', 'slow')),
    line TEXT NOT NULL,
    changed BIGINT NOT NULL
);
INSERT INTO job_lane (job_id, lane, line, changed) VALUES (0, '', '', 0) ON CONFLICT (job_id) DO NOTHING;
CREATE INDEX IF NOT EXISTS job_lane_changed ON job_lane (changed);

-- The runs of a job in a line.
DROP INDEX IF EXISTS run_shared;
CREATE INDEX IF NOT EXISTS run_shared ON run (queue, job_id) WHERE state = 'queued' AND queue LIKE '%#%';
