-- Runs of workflows that have begun, live or final: the rest of each is in run and history. `turn` counts what was written, and is 0 once
-- the run is final. `children` counts the runs made for its tasks: their ids follow that of the run.
CREATE TABLE workflow_run (
    run_id BLOB NOT NULL PRIMARY KEY,
    turn INTEGER NOT NULL,
    stop TEXT CHECK (stop = 'failed' OR stop = 'cancelled'),
    paused INTEGER NOT NULL CHECK (paused = 0 OR paused = 1),
    children INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Tasks of these to which something has happened. `item` is -1 for a task as a whole.
CREATE TABLE workflow_task (
    run_id BLOB NOT NULL,
    task INTEGER NOT NULL,
    item INTEGER NOT NULL,
    state TEXT NOT NULL,
    generation INTEGER NOT NULL,
    child BLOB,
    reason TEXT,
    since INTEGER NOT NULL,
    PRIMARY KEY (run_id, task, item)
) STRICT, WITHOUT ROWID;

-- What live ones are to hear: the end of a task's run, a request as JSON, or nothing but that there is more to do.
CREATE TABLE workflow_inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id BLOB NOT NULL,
    child BLOB,
    state TEXT,
    request TEXT
) STRICT;
CREATE INDEX workflow_inbox_run ON workflow_inbox (run_id, id);
