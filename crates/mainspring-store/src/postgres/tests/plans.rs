//! The plans of the engine's statements, over a million triggers of which the server knows nothing.

use mainspring_core::Timestamp;

use super::*;
use crate::sql::tests::statements;

/// What may read a table whole, and why. All other statements find rows by keys.
const WHOLE: &[(&str, &str)] = &[
    ("digest_live", "for lists of people: the newest unfinished runs, twenty thousand at most"),
    ("digest_longest", "for the dashboard, every few seconds: the oldest unfinished runs, twenty thousand at most"),
    ("adopt", "once in a process that is alone with its store, over the unfinished runs"),
    ("adopt_read", "once in a process that is alone with its store, over the unfinished runs"),
    ("cluster_adopt", "when a node has died, over the unfinished runs"),
    (
        "cluster_orphaned",
        "every two seconds, over the unfinished runs: an index of running ones would be written by every fire",
    ),
    ("delete_job_runs", "when a job is deleted, over the unfinished runs"),
    ("many_unended", "when jobs are deleted, over the unfinished runs"),
    ("gate_count", "when a job gets a limit, over the unfinished runs"),
    ("gate_mark", "when a job gets a limit, over the unfinished runs"),
    ("held", "now and then, over the unfinished runs: an index of running ones would be written by every fire"),
    ("held_by_workers", "every ten seconds on nodes with workers, over the unfinished runs: see held"),
    ("purge_incarnations_read", "retention, on a lane of its own, over the unfinished runs: see held"),
    ("purge_versions", "retention, on a lane of its own"),
    ("info", "counts over everything"),
    ("lane_slow_read", "when a job becomes slow, over the unfinished runs"),
    ("queue_slot_begin", "when a queue gets a limit, over the unfinished runs"),
    ("label_slot_begin", "when a label gets a limit, over the unfinished runs"),
    ("label_slot_tasks", "when a label gets a limit, over the unfinished runs"),
    ("stranded", "once at the start of a node"),
    ("tally_duplicates", "counts over everything"),
    ("tally_fires", "counts over everything"),
    ("tally_gaps", "counts over everything"),
    ("unfinished", "for metrics, the oldest unfinished runs, ten thousand at most"),
    ("adopt_from_read", "of embedded stores; here cluster_adopt does it"),
    ("route_load", "when runs wait that are routed by load, over the unfinished runs: see held"),
    ("workers", "for lists of people: one pass counts the runs of all"),
    ("workflow_of_job", "when a job is deleted, over the unfinished runs"),
    ("triggers_ahead", "once at the start of a node, after its clock was set back, and for `doctor`"),
    ("triggers_aside", "once at the start of a node, and for `doctor`"),
];

/// What reads all of an index where the server believes that it has a page, and why that is no matter.
const WHOLE_IF_ONE: &[(&str, &str)] =
    &[("noted_cancels", "once for all ends that are asked for, and not at all where there are none")];

/// Statements of the other stores, in place of which this one does something else, and those about what is not on every
/// server.
const ELSEWHERE: [&str; 1] = ["work"];

/// How many triggers there are. Fewer for a quick look.
fn triggers() -> u64 {
    std::env::var("MAINSPRING_TEST_PLAN_TRIGGERS").map_or(1_000_000, |text| text.parse().unwrap())
}

const FILL: Purpose = purpose(600, false, false);

/// The tables that grow with jobs and runs.
const LARGE: [&str; 9] =
    ["job", "job_version", "job_trigger", "trigger_state", "run", "history", "attempt", "log_chunk", "fire_gap"];

/// Indexes that hold only rows of one state, or those that wait for an instant: reading from their beginning is what they
/// are for.
const QUEUES: [&str; 8] =
    ["run_queued", "run_waiting", "run_routed", "run_shared", "run_scheduled", "run_held", "run_expires", "event_new"];

/// Fills the tables, and keeps the server from ever counting them.
fn fill(db: &Connection, count: u64) {
    for table in LARGE.iter().filter(|table| **table != "history") {
        db.run_alone(&format!("ALTER TABLE {table} SET (autovacuum_enabled = false)")).unwrap();
    }
    for text in [
        format!(
            "INSERT INTO job (namespace, name, shard, version, change, paused, created_at, updated_at) \
             SELECT 'default', 'job-' || n, n % 256, 1, 1, 0, 0, 0 FROM generate_series(1, {count} / 10) n"
        ),
        format!(
            "INSERT INTO job_version (job_id, version, definition, queue, saved_at) \
             SELECT n, 1, '{{}}', 'default', 0 FROM generate_series(1, {count} / 10) n"
        ),
        format!(
            "INSERT INTO job_trigger (job_id, position, name, paused, jitter_ms) \
             SELECT 1 + n / 10, n % 10, 't' || n % 10, 0, 0 FROM generate_series(0, {count} - 1) n"
        ),
        format!(
            "INSERT INTO trigger_state (id, shard, version, paused, status, next_fire_at, due_at, scan_at, start_at, \
             times_triggered) SELECT n, (n / 10) % 256, 1, 0, 'active', n * 10, n * 10, n * 10, 0, 0 \
             FROM generate_series(1, {count}) n"
        ),
        format!(
            "INSERT INTO run (id, job_id, job_version, trigger_id, state, origin, gated, fire_time, due_at, created_at, \
             attempt, priority) SELECT gen_random_uuid(), 1 + n / 10, 1, n, 'queued', 'schedule', 0, n, n, n, 0, 5 \
             FROM generate_series(1, {count} / 10) n"
        ),
    ] {
        db.run_alone(&text).unwrap();
    }
}

/// What of a plan reads a large table without looking for a key.
fn whole_reads(plan: &[String]) -> Vec<&String> {
    let reads = |line: &str| {
        let table = line.split(" on ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
        line.contains("Scan") && LARGE.iter().any(|large| table == *large || table.starts_with("history_"))
    };
    let is_queue = |line: &str| QUEUES.iter().any(|queue| line.contains(&format!("using {queue} ")));
    let mut found = Vec::new();
    for (index, line) in plan.iter().enumerate().filter(|(_, line)| reads(line) && !is_queue(line)) {
        let below = plan[index + 1..].iter().take_while(|line| !line.trim_start().starts_with("->"));
        let has_key = below.into_iter().any(|line| line.contains("Index Cond") || line.contains("TID Cond"));
        if !has_key {
            found.push(line);
        }
    }
    found
}

#[test]
fn statements_of_the_engine_find_rows_by_keys_in_a_million_triggers() {
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    let db = Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), ENGINE).unwrap();
    let filler = Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), FILL).unwrap();
    crate::postgres::history::make_ahead(&filler, Timestamp::UNIX_EPOCH).unwrap();
    filler.commit().unwrap();
    fill(&filler, triggers());
    let mut bad = unlike(WHOLE, &db, "knows nothing");
    // A vacuum that finds one run among many dead ones leaves behind that there is one in all those pages.
    let emptied = "UPDATE pg_class SET reltuples = 1, relpages = greatest(1, pg_relation_size(oid) / 8192) \
         WHERE oid = 'run'::regclass OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'run'::regclass)";
    filler.run_alone(emptied).unwrap();
    bad.extend(unlike(&[WHOLE, WHOLE_IF_ONE].concat(), &db, "knows of one run"));
    assert!(bad.is_empty(), "not as WHOLE says: {}", bad.join("\n"));
}

/// The statements that read large tables whole or by keys unlike a list says, with the server knowing so much of them.
fn unlike(list: &[(&str, &str)], db: &Connection, known: &str) -> Vec<String> {
    let mut bad = Vec::new();
    for (name, text) in statements("postgres") {
        let text = connection::numbered(&text, Lock::None);
        if let Err(fault) = db.run_alone(&format!("DEALLOCATE ALL; PREPARE it AS {text}")) {
            if !ELSEWHERE.contains(&name.as_str()) {
                bad.push(format!("{name} cannot be prepared: {fault:?}"));
            }
            continue;
        }
        let types = db
            .run_simple("SELECT unnest(parameter_types)::text FROM pg_prepared_statements WHERE name = 'it'")
            .unwrap();
        for size in [1, 100, 5_000] {
            let value = |kind: &String| match kind.strip_suffix("[]") {
                Some(element) => format!("array_fill(NULL::{element}, ARRAY[{size}])"),
                None => format!("NULL::{kind}"),
            };
            let values: Vec<String> = types.iter().map(value).collect();
            let values = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
            let plan = db.run_simple(&format!("EXPLAIN EXECUTE it{values}")).unwrap();
            let whole = whole_reads(&plan);
            if whole.is_empty() == list.iter().any(|(whole, _)| *whole == name) {
                bad.push(format!("{name} ({size}) where the server {known}: {whole:?}\n{}", plan.join("\n")));
                break;
            }
        }
    }
    bad
}

/// Puts runs into a queue of their own, into a line of routed runs, and into that of a namespace.
fn fill_lines(db: &Connection) {
    db.run_alone(
        "INSERT INTO run (id, job_id, job_version, state, origin, gated, fire_time, due_at, created_at, attempt, \
         priority, queue) SELECT gen_random_uuid(), 1, 1, 'queued', 'schedule', 0, n, n, n, 0, 5, \
         CASE WHEN n > 5000 THEN NULL WHEN n % 2 = 0 THEN 'mail/route' ELSE 'mail#b' END \
         FROM generate_series(1, 5010) n",
    )
    .unwrap();
}

#[test]
fn lines_are_found_by_jumps_in_a_table_of_which_the_server_knows_nothing() {
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    let db = Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), ENGINE).unwrap();
    db.run_alone("ALTER TABLE run SET (autovacuum_enabled = false)").unwrap();
    let names = ["claim_look", "route_lines", "queues_waiting", "queue_look"];
    // A server keeps the plan that it makes of an empty table.
    for name in names {
        db.run_alone(&format!("PREPARE {name} AS {}", statements("postgres")[name])).unwrap();
        db.run_simple(&format!("EXPLAIN EXECUTE {name}")).unwrap();
    }
    fill_lines(&db);
    for name in names {
        let plan = db.run_simple(&format!("EXPLAIN (ANALYZE) EXECUTE {name}")).unwrap();
        let rows = |line: &String| -> Option<u32> {
            let (_, actual) = line.split_once("(actual time=")?;
            actual.split_once("rows=")?.1.split_whitespace().next()?.parse().ok()
        };
        assert!(plan.iter().filter_map(rows).all(|read| read < 10), "{name}: {plan:#?}");
    }
}

#[test]
fn claims_of_all_queues_pass_no_routed_runs() {
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    let db = Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), FILL).unwrap();
    fill_lines(&db);
    db.run_alone("ANALYZE run").unwrap();
    let text = statements("postgres")["claim"].replace(":limit", "5").replace(":at", "1").replace(":owner", "1");
    let text = text.replace(":from", "-1000000");
    let plan = db.run_simple(&format!("EXPLAIN (ANALYZE, BUFFERS OFF) {text}")).unwrap();
    assert!(plan.iter().any(|line| line.contains("using run_queued ")), "{plan:#?}");
    assert!(!plan.iter().any(|line| line.contains("Rows Removed by Filter")), "{plan:#?}");
}
