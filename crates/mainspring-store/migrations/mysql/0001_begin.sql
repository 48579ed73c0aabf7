-- The first schema, as in PostgreSQL but for what the server lacks. One statement each, and each may be repeated: the
-- server commits by itself after every one of them.
--
-- Instants are milliseconds since 1970 UTC, names are compared byte by byte, flags are 0 and 1. There are no indexes
-- over a part of a table: a generated column is NULL in the rows that such an index would leave out.

CREATE TABLE IF NOT EXISTS namespace (
    name VARCHAR(255) NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- A deleted job stays for as long as runs and gaps refer to it.
CREATE TABLE IF NOT EXISTS job (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    namespace VARCHAR(255) NOT NULL,
    name VARCHAR(255) NOT NULL,
    shard SMALLINT NOT NULL,
    version BIGINT NOT NULL,
    "change" BIGINT NOT NULL,
    paused TINYINT NOT NULL CHECK (paused IN (0, 1)),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT,
    there TINYINT GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN 1 END) STORED,
    UNIQUE KEY job_key (namespace, name, there)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS job_version (
    job_id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    definition LONGTEXT NOT NULL,
    queue VARCHAR(255) NOT NULL,
    saved_at BIGINT NOT NULL,
    PRIMARY KEY (job_id, version)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS job_label (
    job_id BIGINT NOT NULL,
    name VARCHAR(255) NOT NULL,
    value VARCHAR(1024) NOT NULL,
    PRIMARY KEY (job_id, name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- How many unfinished runs of a job with a limit hold a slot, and how many wait for one.
CREATE TABLE IF NOT EXISTS job_gate (
    job_id BIGINT NOT NULL PRIMARY KEY,
    active BIGINT NOT NULL CHECK (active >= 0),
    held BIGINT NOT NULL CHECK (held >= 0),
    version BIGINT NOT NULL DEFAULT 0
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- What a trigger is; how far it has come is in trigger_state.
CREATE TABLE IF NOT EXISTS job_trigger (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    job_id BIGINT NOT NULL,
    position BIGINT NOT NULL,
    name VARCHAR(255) NOT NULL,
    paused TINYINT NOT NULL CHECK (paused IN (0, 1)),
    jitter_ms BIGINT NOT NULL,
    calendar VARCHAR(255),
    tzdata_version VARCHAR(64),
    UNIQUE KEY job_trigger_name (job_id, name),
    KEY job_trigger_calendar (calendar)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The columns that change with every fire, kept narrow. `paused` includes the job's pause. `scan_at` is the place in
-- the due index: at or before `due_at`, absent while the trigger cannot fire, and renewed only when it leaves the
-- window. `batch` names the batch that advanced it last.
CREATE TABLE IF NOT EXISTS trigger_state (
    id BIGINT NOT NULL PRIMARY KEY,
    shard SMALLINT NOT NULL,
    version BIGINT NOT NULL,
    paused TINYINT NOT NULL CHECK (paused IN (0, 1)),
    status VARCHAR(16) NOT NULL CHECK (status IN ('active', 'complete', 'error')),
    next_fire_at BIGINT,
    due_at BIGINT,
    scan_at BIGINT,
    previous_fire_at BIGINT,
    start_at BIGINT NOT NULL,
    repeat_count BIGINT,
    times_triggered BIGINT NOT NULL,
    fired_through BIGINT,
    awaiting_run BINARY(16),
    batch BIGINT,
    KEY trigger_state_scan (scan_at, id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS tombstone (
    namespace VARCHAR(255) NOT NULL,
    job VARCHAR(255) NOT NULL,
    name VARCHAR(255) NOT NULL,
    trigger_id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    fired_through BIGINT,
    deleted_at BIGINT NOT NULL,
    PRIMARY KEY (namespace, job, name),
    UNIQUE KEY tombstone_trigger (trigger_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Process starts.
CREATE TABLE IF NOT EXISTS incarnation (
    number BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    id BINARY(16) NOT NULL,
    started_at BIGINT,
    UNIQUE KEY incarnation_id (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Live process starts. `counter` shows that one is alive: no timestamp decides. `change` is the number of its last
-- acquisition or release. `renewed_at` is by the database's clock, for people.
CREATE TABLE IF NOT EXISTS node (
    incarnation BIGINT NOT NULL PRIMARY KEY,
    name VARCHAR(255) NOT NULL,
    address VARCHAR(1024) NOT NULL,
    version VARCHAR(255) NOT NULL,
    standing VARCHAR(16) NOT NULL CHECK (standing IN ('eligible', 'draining', 'clock_off')),
    counter BIGINT NOT NULL,
    "change" BIGINT NOT NULL,
    drain_asked TINYINT NOT NULL DEFAULT 0 CHECK (drain_asked IN (0, 1)),
    clock_offset_ms BIGINT,
    joined_at BIGINT NOT NULL,
    renewed_at BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Each fire batch of a process start counts its row up. Without the row nothing is recorded: whoever takes over
-- removes it, which waits for the batch under way.
CREATE TABLE IF NOT EXISTS fence (
    incarnation BIGINT NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Who fires the triggers of which shard. There are always 256.
CREATE TABLE IF NOT EXISTS shard (
    shard SMALLINT NOT NULL PRIMARY KEY,
    owner BIGINT,
    lease BINARY(16),
    epoch BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO shard (shard, epoch)
SELECT 16 * a.n + b.n, 0
FROM (
    SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
    UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10 UNION ALL SELECT
    11 UNION ALL SELECT 12 UNION ALL SELECT 13 UNION ALL SELECT 14 UNION ALL SELECT 15) AS a
CROSS JOIN (
    SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
    UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10 UNION ALL SELECT
    11 UNION ALL SELECT 12 UNION ALL SELECT 13 UNION ALL SELECT 14 UNION ALL SELECT 15) AS b;

-- The answers to the latest fire batches, for the case that one is repeated: a ring for each process start.
CREATE TABLE IF NOT EXISTS fire_batch (
    incarnation BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    stale LONGBLOB NOT NULL,
    blocked LONGBLOB NOT NULL,
    placed LONGBLOB NOT NULL,
    PRIMARY KEY (incarnation, slot)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Unfinished runs. `queue` is absent where the definition says it. `gated`: the run counts in job_gate. The order of
-- claims is that of `queued_place`, and likewise for held runs: the lower, the earlier.
CREATE TABLE IF NOT EXISTS run (
    id BINARY(16) NOT NULL PRIMARY KEY,
    job_id BIGINT NOT NULL,
    job_version BIGINT NOT NULL,
    trigger_id BIGINT,
    state VARCHAR(16) NOT NULL CHECK (state IN ('running', 'queued', 'scheduled', 'held', 'waiting')),
    origin VARCHAR(16) NOT NULL
        CHECK (origin IN ('schedule', 'manual', 'api', 'misfire', 'rerun', 'parent', 'backfill', 'after')),
    gated TINYINT NOT NULL CHECK (gated IN (0, 1)),
    fire_time BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    claimed_at BIGINT,
    claimed_by BIGINT,
    attempt BIGINT NOT NULL,
    priority BIGINT NOT NULL,
    queue VARCHAR(255),
    not_before BIGINT,
    cancel_requested_at BIGINT,
    reason LONGTEXT,
    input LONGTEXT,
    rerun_of BINARY(16),
    parent_run BINARY(16),
    root_run BINARY(16),
    task VARCHAR(255),
    generation BIGINT,
    logical_date BIGINT,
    data_start BIGINT,
    data_end BIGINT,
    shard_index BIGINT,
    shard_total BIGINT,
    target_node VARCHAR(255),
    dispatch_code BIGINT,
    dispatch_message LONGTEXT,
    queued_place BIGINT GENERATED ALWAYS AS (CASE WHEN state = 'queued' THEN -priority END) STORED,
    scheduled_at BIGINT GENERATED ALWAYS AS (CASE WHEN state = 'scheduled' THEN not_before END) STORED,
    held_place BIGINT GENERATED ALWAYS AS (CASE WHEN state = 'held' THEN -priority END) STORED,
    KEY run_queued (queued_place, due_at, id),
    KEY run_scheduled (scheduled_at, id),
    KEY run_job (job_id, held_place, due_at, id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Final runs. `outcome` is that of the last attempt, unless it has a row in attempt.
CREATE TABLE IF NOT EXISTS history (
    id BINARY(16) NOT NULL PRIMARY KEY,
    job_id BIGINT NOT NULL,
    job_version BIGINT NOT NULL,
    trigger_id BIGINT,
    state VARCHAR(16) NOT NULL,
    origin VARCHAR(16) NOT NULL,
    fire_time BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    claimed_at BIGINT,
    started_at BIGINT,
    ended_at BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    outcome VARCHAR(16),
    priority BIGINT NOT NULL,
    queue VARCHAR(255),
    not_before BIGINT,
    cancel_requested_at BIGINT,
    reason LONGTEXT,
    input LONGTEXT,
    output LONGTEXT,
    exit_code BIGINT,
    "signal" BIGINT,
    error_code TEXT,
    error LONGTEXT,
    rerun_of BINARY(16),
    parent_run BINARY(16),
    root_run BINARY(16),
    task VARCHAR(255),
    generation BIGINT,
    logical_date BIGINT,
    data_start BIGINT,
    data_end BIGINT,
    shard_index BIGINT,
    shard_total BIGINT,
    target_node VARCHAR(255),
    dispatch_code BIGINT,
    dispatch_message LONGTEXT,
    KEY history_job (job_id, id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Ended attempts of runs that were tried again.
CREATE TABLE IF NOT EXISTS attempt (
    run_id BINARY(16) NOT NULL,
    attempt BIGINT NOT NULL,
    outcome VARCHAR(16) NOT NULL,
    claimed_at BIGINT,
    started_at BIGINT,
    ended_at BIGINT NOT NULL,
    exit_code BIGINT,
    "signal" BIGINT,
    error_code TEXT,
    error LONGTEXT,
    executor_number BIGINT,
    PRIMARY KEY (run_id, attempt)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS log_chunk (
    run_id BINARY(16) NOT NULL,
    attempt BIGINT NOT NULL,
    first_line BIGINT NOT NULL,
    line_count BIGINT NOT NULL,
    data LONGBLOB NOT NULL,
    PRIMARY KEY (run_id, attempt, first_line)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Missed and suppressed instants: one, or a range.
CREATE TABLE IF NOT EXISTS fire_gap (
    seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    job_id BIGINT NOT NULL,
    trigger_id BIGINT NOT NULL,
    at BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    count BIGINT NOT NULL,
    outcome VARCHAR(16) NOT NULL CHECK (outcome IN ('missed', 'suppressed')),
    reason VARCHAR(64) NOT NULL,
    policy VARCHAR(64) NOT NULL,
    KEY fire_gap_trigger (trigger_id, seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- What changed. For `runs` the payload is 25 bytes a run (id, job, state), and JSON otherwise. A number is given to a
-- row by whoever reads it first, so that no reader passes one that is committed later.
CREATE TABLE IF NOT EXISTS event (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    seq BIGINT,
    at BIGINT NOT NULL,
    kind VARCHAR(64) NOT NULL,
    payload LONGBLOB NOT NULL,
    UNIQUE KEY event_seq (seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
CREATE TABLE IF NOT EXISTS event_head (
    one TINYINT NOT NULL PRIMARY KEY CHECK (one = 1),
    seq BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO event_head (one, seq) VALUES (1, 0);

-- What the engine has to look at again. Rows are taken one by one, never up to a number: one with a lower number may
-- be committed later. To note a trigger again replaces its row, so that a reader under way does not take it with it.
CREATE TABLE IF NOT EXISTS trigger_change (
    trigger_id BIGINT NOT NULL PRIMARY KEY,
    shard SMALLINT NOT NULL,
    seq BIGINT NOT NULL AUTO_INCREMENT,
    KEY trigger_change_seq (seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
CREATE TABLE IF NOT EXISTS cancel_change (
    run_id BINARY(16) NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL AUTO_INCREMENT,
    KEY cancel_change_seq (seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS calendar (
    namespace VARCHAR(255) NOT NULL,
    name VARCHAR(255) NOT NULL,
    "change" BIGINT NOT NULL,
    definition LONGTEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (namespace, name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS setting (
    name VARCHAR(255) NOT NULL PRIMARY KEY,
    value LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS idempotency_key (
    "key" VARCHAR(255) NOT NULL PRIMARY KEY,
    request_hash LONGBLOB NOT NULL,
    status BIGINT NOT NULL,
    body LONGTEXT NOT NULL,
    kept_at BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
