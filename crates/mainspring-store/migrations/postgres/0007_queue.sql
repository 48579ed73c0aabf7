-- What is set for queues. `used_us`: until when the runs that have left have taken up the time of the rate.
CREATE TABLE IF NOT EXISTS queue (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    max_running BIGINT,
    rate_count BIGINT,
    rate_per_ms BIGINT,
    used_us BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) WITH (fillfactor = 50);

-- Runs that take up a place of a queue with a limit. A row counts for as long as its run is running, and is removed by a later claim.
CREATE TABLE IF NOT EXISTS queue_slot (
    queue TEXT COLLATE "C" NOT NULL,
    run_id UUID NOT NULL,
    PRIMARY KEY (queue, run_id)
);

-- A level of priority is worth a minute of waiting.
DROP INDEX IF EXISTS run_queued;
CREATE INDEX IF NOT EXISTS run_queued ON run ((due_at - priority * 60000), due_at, id) WHERE state = 'queued';
DROP INDEX IF EXISTS run_waiting;
CREATE INDEX IF NOT EXISTS run_waiting ON run (coalesce(queue, 'default'), (due_at - priority * 60000), due_at, id)
    WHERE state = 'queued';
