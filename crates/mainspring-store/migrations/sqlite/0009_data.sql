-- What jobs keep between their runs; a row of its own, because most keep nothing.
CREATE TABLE job_data (
    job_id INTEGER PRIMARY KEY,
    data TEXT NOT NULL,
    revision INTEGER NOT NULL,
    run_id BLOB,
    changed_at INTEGER NOT NULL
) STRICT;
