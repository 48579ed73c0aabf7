-- How long after their fire time runs of a job may take to end.
CREATE TABLE IF NOT EXISTS job_deadline (
    job_id BIGINT NOT NULL PRIMARY KEY,
    within_ms BIGINT NOT NULL
);

-- Runs that were unfinished then. `told_at` is when that became an event, absent until then.
CREATE TABLE IF NOT EXISTS deadline_miss (
    run_id UUID NOT NULL PRIMARY KEY,
    told_at BIGINT
);
CREATE INDEX IF NOT EXISTS deadline_miss_told ON deadline_miss (run_id) WHERE told_at IS NULL;
