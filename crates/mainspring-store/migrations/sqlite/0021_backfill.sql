-- Backfills, with counts of their items by state. `spec` is JSON; `turn` counts what was written.
CREATE TABLE backfill (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id INTEGER NOT NULL,
    job_version INTEGER NOT NULL,
    trigger_id INTEGER NOT NULL,
    spec TEXT NOT NULL,
    turn INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    open_items INTEGER NOT NULL,
    running_items INTEGER NOT NULL,
    succeeded_items INTEGER NOT NULL,
    failed_items INTEGER NOT NULL,
    cancelled_items INTEGER NOT NULL,
    skipped_items INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT,
    ended_at INTEGER
) STRICT;
CREATE INDEX backfill_job ON backfill (job_id, job_version);
CREATE INDEX backfill_ended ON backfill (ended_at, id);

-- The fire times that they run, in order. `run_id` is the latest run made for one.
CREATE TABLE backfill_item (
    backfill_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    trigger_id INTEGER NOT NULL,
    fire_time INTEGER NOT NULL,
    action TEXT NOT NULL,
    state TEXT NOT NULL,
    run_id BLOB,
    rerun_of BLOB,
    PRIMARY KEY (backfill_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX backfill_item_state ON backfill_item (backfill_id, state, seq);
CREATE INDEX backfill_item_fire ON backfill_item (trigger_id, fire_time);
