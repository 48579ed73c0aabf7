-- The first schema.
--
-- Instants are milliseconds since 1970 UTC; run ids and incarnations are 16 bytes; states are the words of the
-- model. CHECKs are chains of OR, since SQLite builds a table for every IN list that it meets (1 to 3 µs a row).
-- No foreign keys: the store's requests keep rows together, and the hot tables would pay for each check.

CREATE TABLE namespace (
    name TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A deleted job stays for as long as runs and gaps refer to it.
CREATE TABLE job (
    id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id < 2147483648),
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    shard INTEGER NOT NULL,
    version INTEGER NOT NULL,
    change INTEGER NOT NULL,
    paused INTEGER NOT NULL CHECK (paused = 0 OR paused = 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX job_key ON job (namespace, name) WHERE deleted_at IS NULL;

CREATE TABLE job_version (
    job_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    definition TEXT NOT NULL,
    queue TEXT NOT NULL,
    saved_at INTEGER NOT NULL,
    PRIMARY KEY (job_id, version)
) STRICT;

CREATE TABLE job_label (
    job_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (job_id, name)
) STRICT, WITHOUT ROWID;

-- How many unfinished runs of a job with a limit hold a slot, and how many wait for one.
CREATE TABLE job_gate (
    job_id INTEGER PRIMARY KEY,
    active INTEGER NOT NULL CHECK (active >= 0),
    held INTEGER NOT NULL CHECK (held >= 0),
    version INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What a trigger is; how far it has come is in trigger_state.
CREATE TABLE job_trigger (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    paused INTEGER NOT NULL CHECK (paused = 0 OR paused = 1),
    jitter_ms INTEGER NOT NULL,
    calendar TEXT,
    tzdata_version TEXT
) STRICT;
CREATE UNIQUE INDEX job_trigger_name ON job_trigger (job_id, name);
CREATE INDEX job_trigger_calendar ON job_trigger (calendar) WHERE calendar IS NOT NULL;

-- The columns that change with every fire, kept narrow. `paused` includes the job's pause. `scan_at` is the place in
-- the due index: at or before `due_at`, absent while the trigger cannot fire, and renewed only when it leaves the
-- window, so that a fire touches no index. `batch` names the batch that advanced it last.
CREATE TABLE trigger_state (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    paused INTEGER NOT NULL CHECK (paused = 0 OR paused = 1),
    status TEXT NOT NULL CHECK (status = 'active' OR status = 'complete' OR status = 'error'),
    next_fire_at INTEGER,
    due_at INTEGER,
    scan_at INTEGER,
    previous_fire_at INTEGER,
    start_at INTEGER NOT NULL,
    repeat_count INTEGER,
    times_triggered INTEGER NOT NULL,
    fired_through INTEGER,
    awaiting_run BLOB,
    batch INTEGER
) STRICT;
CREATE INDEX trigger_state_scan ON trigger_state (scan_at) WHERE scan_at IS NOT NULL;

CREATE TABLE tombstone (
    namespace TEXT NOT NULL,
    job TEXT NOT NULL,
    name TEXT NOT NULL,
    trigger_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    fired_through INTEGER,
    deleted_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, job, name)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tombstone_trigger ON tombstone (trigger_id);

-- Process starts.
CREATE TABLE incarnation (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    started_at INTEGER
) STRICT;
CREATE TABLE registration (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    incarnation INTEGER NOT NULL
) STRICT;

-- The answers to the latest fire batches, for the case that one is repeated: a ring.
CREATE TABLE fire_batch (
    slot INTEGER PRIMARY KEY,
    incarnation INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    stale BLOB NOT NULL,
    blocked BLOB NOT NULL,
    placed BLOB NOT NULL
) STRICT;

-- Unfinished runs. Running ones are in no index. `queue` is absent where the definition says it. `gated`: the
-- run counts in job_gate.
CREATE TABLE run (
    id BLOB NOT NULL PRIMARY KEY,
    job_id INTEGER NOT NULL,
    job_version INTEGER NOT NULL,
    trigger_id INTEGER,
    state TEXT NOT NULL CHECK (state = 'running' OR state = 'queued' OR state = 'scheduled' OR state = 'held'
        OR state = 'waiting'),
    origin TEXT NOT NULL CHECK (origin = 'schedule' OR origin = 'manual' OR origin = 'api' OR origin = 'misfire'
        OR origin = 'rerun' OR origin = 'parent' OR origin = 'backfill' OR origin = 'after'),
    gated INTEGER NOT NULL CHECK (gated = 0 OR gated = 1),
    fire_time INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    claimed_at INTEGER,
    claimed_by INTEGER,
    attempt INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    queue TEXT,
    not_before INTEGER,
    cancel_requested_at INTEGER,
    reason TEXT,
    input TEXT,
    rerun_of BLOB,
    parent_run BLOB,
    root_run BLOB,
    task TEXT,
    generation INTEGER,
    logical_date INTEGER,
    data_start INTEGER,
    data_end INTEGER,
    shard_index INTEGER,
    shard_total INTEGER,
    target_node TEXT,
    dispatch_code INTEGER,
    dispatch_message TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX run_queued ON run (priority DESC, due_at, id) WHERE state = 'queued';
CREATE INDEX run_scheduled ON run (not_before, id) WHERE state = 'scheduled';
CREATE INDEX run_held ON run (job_id, priority DESC, due_at, id) WHERE state = 'held';

-- Final runs, appended in the order in which they end: ids of one instant are scattered, and rows kept in their order
-- cost twice as much to write. `outcome` is that of the last attempt, unless it has a row in attempt.
CREATE TABLE history (
    id BLOB NOT NULL PRIMARY KEY,
    job_id INTEGER NOT NULL,
    job_version INTEGER NOT NULL,
    trigger_id INTEGER,
    state TEXT NOT NULL CHECK (state = 'succeeded' OR state = 'failed' OR state = 'cancelled' OR state = 'skipped'),
    origin TEXT NOT NULL,
    fire_time INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    claimed_at INTEGER,
    started_at INTEGER,
    ended_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    outcome TEXT,
    priority INTEGER NOT NULL,
    queue TEXT,
    not_before INTEGER,
    cancel_requested_at INTEGER,
    reason TEXT,
    input TEXT,
    output TEXT,
    exit_code INTEGER,
    signal INTEGER,
    error_code TEXT,
    error TEXT,
    rerun_of BLOB,
    parent_run BLOB,
    root_run BLOB,
    task TEXT,
    generation INTEGER,
    logical_date INTEGER,
    data_start INTEGER,
    data_end INTEGER,
    shard_index INTEGER,
    shard_total INTEGER,
    target_node TEXT,
    dispatch_code INTEGER,
    dispatch_message TEXT
) STRICT;
CREATE INDEX history_job ON history (job_id, id);

-- Ended attempts of runs that were tried again.
CREATE TABLE attempt (
    run_id BLOB NOT NULL,
    attempt INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    claimed_at INTEGER,
    started_at INTEGER,
    ended_at INTEGER NOT NULL,
    exit_code INTEGER,
    signal INTEGER,
    error_code TEXT,
    error TEXT,
    executor_number INTEGER,
    PRIMARY KEY (run_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_chunk (
    run_id BLOB NOT NULL,
    attempt INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    line_count INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (run_id, attempt, first_line)
) STRICT;

-- Missed and suppressed instants: one, or a range.
CREATE TABLE fire_gap (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id INTEGER NOT NULL,
    trigger_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    count INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome = 'missed' OR outcome = 'suppressed'),
    reason TEXT NOT NULL,
    policy TEXT NOT NULL
) STRICT;
CREATE INDEX fire_gap_trigger ON fire_gap (trigger_id, seq);

-- What changed, in order. For `runs` the payload is 25 bytes a run (id, job, state), and JSON otherwise.
CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload BLOB NOT NULL
) STRICT;

-- What the engine has to look at again.
CREATE TABLE trigger_change (
    seq INTEGER PRIMARY KEY,
    trigger_id INTEGER NOT NULL UNIQUE
) STRICT;
CREATE TABLE cancel_change (
    seq INTEGER PRIMARY KEY,
    run_id BLOB NOT NULL UNIQUE
) STRICT;
CREATE TABLE queue_change (
    one INTEGER PRIMARY KEY CHECK (one = 1)
) STRICT;

CREATE TABLE calendar (
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    change INTEGER NOT NULL,
    definition TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, name)
) STRICT;

CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_key (
    key TEXT NOT NULL PRIMARY KEY,
    request_hash BLOB NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    kept_at INTEGER NOT NULL
) STRICT;
