-- When a run that waits ends without being started, or started again. No attempt begins after it.
ALTER TABLE run ADD COLUMN expires_at INTEGER;
CREATE INDEX run_expires ON run (expires_at, id) WHERE expires_at IS NOT NULL AND state <> 'running';
-- The runs that hold a slot of their job, for `cancel_running` to find the oldest.
CREATE INDEX run_gated ON run (job_id, id) WHERE gated = 1;
-- What the runs of a job hand on to the next: the output of the one that began at `since`, or what a person set then.
CREATE TABLE job_data (
    job_id INTEGER PRIMARY KEY,
    data TEXT NOT NULL,
    since INTEGER NOT NULL,
    run_id BLOB
) STRICT;
