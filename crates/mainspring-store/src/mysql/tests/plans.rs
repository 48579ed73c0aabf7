//! The plans of the engine's statements, over a million triggers of which the server knows nothing.

use super::*;
use crate::sql::tests::statements;

/// What may read a table whole, and why. All other statements find rows by keys.
const WHOLE: &[(&str, &str)] = &[
    ("digest_live", "for lists of people: the newest unfinished runs, twenty thousand at most"),
    ("digest_longest", "for the dashboard, every few seconds: the oldest unfinished runs, twenty thousand at most"),
    ("adopt", "of embedded stores; here cluster_adopt does it"),
    ("adopt_from_read", "of embedded stores; here cluster_adopt does it"),
    ("adopt_read", "of embedded stores; here cluster_adopt does it"),
    ("cluster_adopt_read", "when a node has died, over the unfinished runs"),
    (
        "cluster_orphaned",
        "every two seconds, over the unfinished runs: an index of running ones would be written by every fire",
    ),
    ("held", "now and then, over the unfinished runs: see cluster_orphaned"),
    ("held_by_workers", "every ten seconds on nodes with workers, over the unfinished runs: see cluster_orphaned"),
    ("info", "counts over everything"),
    ("label_slot_begin", "when a label gets a limit, over the unfinished runs"),
    ("label_slot_tasks", "when a label gets a limit, over the unfinished runs"),
    ("purge_gaps", "no more of the oldest than it may delete: `purges_look_at_no_more_than_they_may_delete`"),
    ("purge_incarnations_read", "retention, on a lane of its own, over the unfinished runs: see cluster_orphaned"),
    ("purge_versions", "retention, on a lane of its own"),
    ("queue_slot_begin", "when a queue gets a limit, over the unfinished runs"),
    ("route_load", "when runs wait that are routed by load, over the unfinished runs: see cluster_orphaned"),
    ("stranded", "once at the start of a node"),
    ("tally_duplicates", "counts over everything"),
    ("tally_fires", "counts over everything"),
    ("tally_gaps", "counts over everything"),
    ("triggers_ahead", "once at the start of a node, after its clock was set back, and for `doctor`"),
    ("triggers_aside", "once at the start of a node, and for `doctor`"),
    ("unfinished", "for metrics, the oldest unfinished runs, ten thousand at most"),
    ("workers", "for lists of people: one pass counts the runs of all"),
];

/// Statements of the other stores, in place of which this one does nothing.
const ELSEWHERE: [&str; 1] = ["workflow_task"];

/// How many triggers there are. Fewer for a quick look.
fn triggers() -> u64 {
    std::env::var("MAINSPRING_TEST_PLAN_TRIGGERS").map_or(1_000_000, |text| text.parse().unwrap())
}

/// The tables that grow with jobs and runs.
const LARGE: [&str; 9] =
    ["job", "job_version", "job_trigger", "trigger_state", "run", "history", "attempt", "log_chunk", "fire_gap"];

/// The id of the run that samples are about, and of the process start that executes it.
const ID: &str = "X'00000000000000000000000000000007'";

/// Fills the tables, and keeps the server from ever counting them: it goes on to believe what was so while they were empty.
fn fill(db: &Connection, count: u64) {
    for table in LARGE {
        db.run_text(&format!("ALTER TABLE {table} STATS_PERSISTENT = 1, STATS_AUTO_RECALC = 0")).unwrap();
    }
    // MariaDB writes an empty table in the order of each index then. A sequence that both servers know may have 1,000 members.
    db.run_text("SET SESSION unique_checks = 0, SESSION foreign_key_checks = 0").unwrap();
    let sequence = |last: u64| {
        format!(
            "WITH RECURSIVE seq (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM seq WHERE n < {last}) SELECT n FROM seq"
        )
    };
    let jobs = format!("({}) AS a CROSS JOIN ({}) AS b", sequence(count / 1_000 - 1), sequence(99));
    for text in [
        format!(
            "INSERT INTO job (id, namespace, name, shard, version, \"change\", paused, created_at, updated_at) \
             SELECT 1 + a.n * 100 + b.n, CONCAT('team-', b.n), CONCAT('job-', a.n), b.n, 7, 1, 0, 0, 0 FROM {jobs}"
        ),
        "INSERT INTO job_version (job_id, version, definition, queue, saved_at) SELECT id, 7, '{}', 'default', 0 FROM job"
            .to_owned(),
        format!(
            "INSERT INTO job_trigger (job_id, position, name, paused, jitter_ms) \
             SELECT j.id, t.n, CONCAT('t', t.n), 0, 0 FROM job j CROSS JOIN ({}) AS t ORDER BY j.id, t.n",
            sequence(9)
        ),
        "INSERT INTO trigger_state (id, shard, version, paused, status, next_fire_at, due_at, scan_at, start_at, \
         times_triggered) SELECT id, job_id % 256, 7, 0, 'active', id * 10, id * 10, id * 10, 0, 0 \
         FROM job_trigger ORDER BY id"
            .to_owned(),
        "INSERT INTO run (id, job_id, job_version, trigger_id, state, origin, gated, fire_time, due_at, created_at, \
         claimed_by, attempt, priority) SELECT UNHEX(LPAD(HEX(id), 32, '0')), id, 7, id, \
         CASE WHEN id = 7 THEN 'running' ELSE 'queued' END, 'schedule', 0, id, id, id, 7, 7, 5 FROM job"
            .to_owned(),
        "INSERT INTO history (id, job_id, job_version, trigger_id, state, origin, fire_time, due_at, created_at, \
         ended_at, attempt, priority) SELECT id, job_id, 7, trigger_id, 'succeeded', 'schedule', fire_time, due_at, \
         created_at, due_at, 1, 5 FROM run"
            .to_owned(),
        "INSERT INTO attempt (run_id, attempt, outcome, ended_at) SELECT id, 7, 'failed', 0 FROM history".to_owned(),
        "INSERT INTO log_chunk (run_id, attempt, first_line, line_count, data) SELECT id, 7, 1, 1, '' FROM history"
            .to_owned(),
        "INSERT INTO fire_gap (job_id, trigger_id, at, first_at, last_at, count, outcome, reason, policy) \
         SELECT id, id, id, id, id, 1, 'missed', '', '' FROM job"
            .to_owned(),
        format!("INSERT INTO incarnation (number, id) VALUES (7, {ID})"),
        "INSERT INTO node (incarnation, name, address, version, standing, counter, \"change\", joined_at, renewed_at) \
         VALUES (7, '', '', '', 'eligible', 7, 6, 0, 0)"
            .to_owned(),
        "INSERT INTO fence (incarnation, seq) VALUES (7, 7)".to_owned(),
        "UPDATE shard SET owner = 8".to_owned(),
        "INSERT INTO namespace (name, created_at) VALUES ('team-6', 0)".to_owned(),
        "INSERT INTO job_data (job_id, data, revision, changed_at) VALUES (7, '{}', 7, 0)".to_owned(),
        format!("INSERT INTO workflow_run (run_id, turn, paused, children) VALUES ({ID}, 7, 0, 0)"),
        format!(
            "INSERT INTO workflow_task (run_id, task, item, state, generation, child, since) \
             VALUES ({ID}, 7, 7, 'running', 7, {ID}, 0)"
        ),
        "INSERT INTO backfill (id, job_id, job_version, trigger_id, spec, turn, state, open_items, running_items, succeeded_items, \
         failed_items, cancelled_items, skipped_items, created_at) VALUES (7, 7, 7, 7, '{}', 7, 'active', 0, 7, 0, 0, 0, 0, 0)"
            .to_owned(),
    ] {
        db.run_text(&text).unwrap();
        db.run_text("COMMIT").unwrap();
    }
}

/// A statement with samples in place of parameters: lists of `size`, and nothing for filters that are `unset`. A sample of another
/// type than its column finds no key, so it is seen if one is missing here.
fn with_samples(text: &str, size: usize, unset: bool) -> String {
    let mut parts = text.split(':');
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if unset && text.contains(&format!(":{name} IS NULL")) {
            result.push_str("NULL");
        } else if result.ends_with("JSON_TABLE(") {
            result.push_str(&format!("'{}'", list(rest, size)));
        } else {
            result.push_str(sample(text, name));
        }
        result.push_str(rest);
    }
    result
}

/// A value for a parameter.
fn sample(text: &str, name: &str) -> &'static str {
    let says = |words: &[&str]| {
        text.split(|next: char| !next.is_ascii_alphanumeric() && next != '_').any(|word| words.contains(&word))
    };
    match name {
        // Not the one that is executed.
        "id" if text.contains("state <> 'running'") => "X'00000000000000000000000000000008'",
        "run" | "child" | "below" | "parent" | "rerun_of" | "awaiting" | "lease" | "live" => ID,
        "id" if says(&["run", "history", "worker", "incarnation"]) && !says(&["trigger_state"]) => ID,
        "shard" if says(&["route_parent", "parent_run"]) => ID,
        "from" if text.contains("r.id >= :from") => ID,
        "to" => "X'00000000000000000000000000000107'",
        "name" | "namespace" | "after_namespace" => "'team-6'",
        "job" if text.contains("j.name = :job") => "'job-0'",
        "after_job" | "after_name" | "label" | "value" | "queue" | "line" | "from" | "key" | "state" | "states"
        | "contains" => "'job-0'",
        "after" if text.contains("name > :after") || text.contains("line > ") => "'a'",
        "shards" => "'1111'",
        "dead" => "9",
        _ => "7",
    }
}

/// A list for the table whose columns `rest` begins with. Each value is a number, an id and a text at once.
fn list(rest: &str, size: usize) -> String {
    let columns = rest.split(" AS ").next().unwrap_or_default();
    let element = |number: usize| {
        let value = format!("\"{number:032}\"");
        if columns.contains("PATH '$[") { format!("[{}]", [value.as_str(); 16].join(",")) } else { value }
    };
    format!("[{}]", (7..7 + size).map(element).collect::<Vec<_>>().join(","))
}

/// The tables that a statement reads, by the names that it has for them.
fn tables(text: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let name = |word: &str| word.trim_matches(|next: char| !next.is_ascii_alphanumeric() && next != '_').to_owned();
    let named = words.windows(4).filter(|words| matches!(words[0], "FROM" | "JOIN" | "STRAIGHT_JOIN" | "UPDATE"));
    named.map(|words| (name(if words[2] == "AS" { words[3] } else { words[2] }), name(words[1]))).collect()
}

/// A line of a plan.
struct Look {
    table: String,
    access: String,
    extra: String,
}

fn plan_of(db: &Connection, text: &str) -> Step<Vec<Look>> {
    let rows = db.run_simple(&format!("EXPLAIN {text}"))?;
    let word =
        |row: &mysql_async::Row, column: &str| row.get::<Option<String>, _>(column).flatten().unwrap_or_default();
    // The table that is written to stands there as one that is read whole.
    let reads = rows.iter().filter(|row| !matches!(word(row, "select_type").as_str(), "INSERT" | "REPLACE"));
    let look = |row| Look { table: word(row, "table"), access: word(row, "type"), extra: word(row, "Extra") };
    Ok(reads.map(look).collect())
}

/// What of a plan reads a large table without looking for a key, or does not say how it reads several.
fn whole_reads(plan: &[Look], text: &str) -> Vec<String> {
    let tables = tables(text);
    let is_large = |look: &&Look| {
        let table = tables.iter().find(|(alias, _)| *alias == look.table).map_or(&look.table, |(_, table)| table);
        LARGE.contains(&table.as_str())
    };
    let whole = plan.iter().filter(|look| matches!(look.access.as_str(), "ALL" | "index")).filter(is_large);
    let whole = whole.map(|look| format!("{} ({})", look.table, look.access));
    // A row that is not there ends the plan: the samples do not fit.
    let says_nothing = plan.iter().any(|look| look.extra.starts_with("Impossible"));
    let joins = tables.len() > 1 && tables.iter().any(|(_, table)| LARGE.contains(&table.as_str()));
    whole.chain((says_nothing && joins).then(|| "impossible".to_owned())).collect()
}

#[test]
fn statements_of_the_engine_find_rows_by_keys_in_a_million_triggers() {
    let address = database();
    let _store = MysqlStore::open(&address).unwrap();
    fill(&patient(&address), triggers());
    let db = Connection::open(&super::address(&address).unwrap(), Purpose::Write(ENGINE)).unwrap();
    let mut bad = Vec::new();
    for (name, text) in statements("mysql") {
        for part in text.split(';').filter(|part| !part.trim_start().starts_with("SET")) {
            let sizes: &[usize] = if part.contains("JSON_TABLE(:") { &[1, 100, 5_000] } else { &[1] };
            let filters: &[bool] = if part.contains(" IS NULL") { &[false, true] } else { &[false] };
            for (size, unset) in sizes.iter().flat_map(|size| filters.iter().map(move |unset| (*size, *unset))) {
                match plan_of(&db, &with_samples(part, size, unset)) {
                    Err(_) if ELSEWHERE.contains(&name.as_str()) => {}
                    Err(fault) => bad.push(format!("{name} has no plan: {fault:?}")),
                    Ok(plan) => {
                        let whole = whole_reads(&plan, part);
                        if whole.is_empty() == WHOLE.iter().any(|(known, _)| *known == name) {
                            bad.push(format!("{name} ({size}, {unset}): {whole:?}"));
                        }
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "not as WHOLE says: {bad:#?}");
}

/// How many rows and keys of tables a statement looks at.
fn looks(db: &Connection, text: &str) -> u64 {
    let count = || {
        let rows = db.run_simple("SHOW SESSION STATUS LIKE 'Handler_read%'").unwrap();
        rows.iter().filter_map(|row| row.get::<String, _>(1)?.parse::<u64>().ok()).sum::<u64>()
    };
    let before = count();
    db.run_simple(text).unwrap();
    let after = count();
    // To ask for the count is counted too.
    after - before - (count() - after)
}

#[test]
fn lines_are_found_by_jumps_among_runs_that_do_not_wait_in_them() {
    let address = database();
    let _store = MysqlStore::open(&address).unwrap();
    let db = inside(&address);
    db.run_text(
        "INSERT INTO run (id, job_id, job_version, state, origin, gated, fire_time, due_at, created_at, attempt, \
         priority, queue) WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 900) \
         SELECT UNHEX(LPAD(HEX(n), 32, '0')), 1, 1, CASE WHEN n % 3 = 0 AND n < 600 THEN 'queued' ELSE 'held' END, \
         'schedule', 0, n, n, n, 0, 5, CASE n % 9 WHEN 0 THEN 'mail/route' WHEN 3 THEN 'mail#b' WHEN 4 THEN 'a' END FROM seq",
    )
    .unwrap();
    for (name, after) in [
        ("claim_look", ""),
        ("claim_look_next", "a"),
        ("queue_head", ""),
        ("queues_waiting", ""),
        ("queues_waiting_next", "a"),
        ("queues_waiting_next", "mail#b"),
        ("queues_waiting_next", "mail/route"),
        ("route_lines", ""),
        ("route_lines_next", "mail/route"),
    ] {
        let text = statements("mysql")[name].replace(":after", &format!("'{after}'")).replace(":queue", "'default'");
        let count = looks(&db, &text);
        assert!(count < 20, "{name} after {after:?} looks at {count}");
    }
}

#[test]
fn purges_look_at_no_more_than_they_may_delete() {
    let address = database();
    let _store = MysqlStore::open(&address).unwrap();
    let db = inside(&address);
    let sequence = "WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 900) SELECT";
    for text in [
        format!(
            "INSERT INTO fire_gap (job_id, trigger_id, at, first_at, last_at, count, outcome, reason, policy) \
             {sequence} 1, 1, n, n, n, 1, 'missed', '', '' FROM seq"
        ),
        format!("INSERT INTO event (seq, at, kind, payload) {sequence} n, n, 'job', '' FROM seq"),
    ] {
        db.run_text(&text).unwrap();
    }
    for name in ["purge_gaps", "purge_events"] {
        let table = if name == "purge_gaps" { "fire_gap" } else { "event" };
        // Nothing is old enough, then some of it, then all.
        for (before, first) in [(0, 1), (4, 4), (10_000, 14)] {
            let text = statements("mysql")[name].replace(":before", &before.to_string());
            let count = looks(&db, &text.replace(":limit", "10").replace(":through", "900"));
            assert!(count < 100, "{name} before {before} looks at {count}");
            let least = db.run_simple(&format!("SELECT MIN(seq) FROM {table}")).unwrap();
            assert_eq!(least[0].get::<i64, _>(0), Some(first), "{name} before {before}");
        }
    }
}
