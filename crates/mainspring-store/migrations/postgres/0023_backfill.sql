-- Backfills, with counts of their items by state. `spec` is JSON; `turn` counts what was written.
CREATE TABLE IF NOT EXISTS backfill (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id BIGINT NOT NULL,
    job_version BIGINT NOT NULL,
    trigger_id BIGINT NOT NULL,
    spec TEXT NOT NULL,
    turn BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    reason TEXT,
    open_items BIGINT NOT NULL,
    running_items BIGINT NOT NULL,
    succeeded_items BIGINT NOT NULL,
    failed_items BIGINT NOT NULL,
    cancelled_items BIGINT NOT NULL,
    skipped_items BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT,
    ended_at BIGINT
) WITH (fillfactor = 50);
CREATE INDEX IF NOT EXISTS backfill_job ON backfill (job_id, job_version);
CREATE INDEX IF NOT EXISTS backfill_ended ON backfill (ended_at, id);

-- The fire times that they run, in order. `run_id` is the latest run made for one.
CREATE TABLE IF NOT EXISTS backfill_item (
    backfill_id BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    trigger_id BIGINT NOT NULL,
    fire_time BIGINT NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    run_id UUID,
    rerun_of UUID,
    PRIMARY KEY (backfill_id, seq)
);
CREATE INDEX IF NOT EXISTS backfill_item_state ON backfill_item (backfill_id, state, seq);
CREATE INDEX IF NOT EXISTS backfill_item_fire ON backfill_item (trigger_id, fire_time);
