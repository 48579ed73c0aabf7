-- How long after their fire time runs of a job may take to end.
CREATE TABLE job_deadline (
    job_id INTEGER PRIMARY KEY,
    within_ms INTEGER NOT NULL
) STRICT;

-- Runs that were unfinished then. `told_at` is when that became an event, absent until then.
CREATE TABLE deadline_miss (
    run_id BLOB NOT NULL PRIMARY KEY,
    told_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX deadline_miss_told ON deadline_miss (run_id) WHERE told_at IS NULL;
