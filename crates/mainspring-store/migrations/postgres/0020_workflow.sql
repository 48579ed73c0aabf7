-- Runs of workflows that have begun, live or final: the rest of each is in run and history. `turn` counts what was written, and is 0 once
-- the run is final. `children` counts the runs made for its tasks: their ids follow that of the run.
CREATE TABLE IF NOT EXISTS workflow_run (
    run_id UUID NOT NULL PRIMARY KEY,
    turn BIGINT NOT NULL,
    stop TEXT COLLATE "C" CHECK (stop IN ('failed', 'cancelled')),
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    children BIGINT NOT NULL
) WITH (fillfactor = 50);

-- Tasks of these to which something has happened. `item` is -1 for a task as a whole.
CREATE TABLE IF NOT EXISTS workflow_task (
    run_id UUID NOT NULL,
    task BIGINT NOT NULL,
    item BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    generation BIGINT NOT NULL,
    child UUID,
    reason TEXT,
    since BIGINT NOT NULL,
    PRIMARY KEY (run_id, task, item)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- What live ones are to hear: the end of a task's run, a request as JSON, or nothing but that there is more to do.
CREATE TABLE IF NOT EXISTS workflow_inbox (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id UUID NOT NULL,
    child UUID,
    state TEXT COLLATE "C",
    request TEXT
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 100000);
CREATE INDEX IF NOT EXISTS workflow_inbox_run ON workflow_inbox (run_id, id);
