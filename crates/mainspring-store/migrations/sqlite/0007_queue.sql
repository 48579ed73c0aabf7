-- What is set for queues. `used_us`: until when the runs that have left have taken up the time of the rate.
CREATE TABLE queue (
    name TEXT NOT NULL PRIMARY KEY,
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    max_running INTEGER,
    rate_count INTEGER,
    rate_per_ms INTEGER,
    used_us INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Runs that take up a place of a queue with a limit. A row counts for as long as its run is running, and is removed by a later claim.
CREATE TABLE queue_slot (
    queue TEXT NOT NULL,
    run_id BLOB NOT NULL,
    PRIMARY KEY (queue, run_id)
) STRICT, WITHOUT ROWID;

-- A level of priority is worth a minute of waiting.
DROP INDEX run_queued;
CREATE INDEX run_queued ON run (due_at - priority * 60000, due_at, id) WHERE state = 'queued';
DROP INDEX run_waiting;
CREATE INDEX run_waiting ON run (coalesce(queue, 'default'), due_at - priority * 60000, due_at, id) WHERE state = 'queued';
