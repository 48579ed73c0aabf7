//! Keys and values that other versions or other tools know, and what to say about them.

use crate::{ErrorCode, Problem, did_you_mean};

/// Keys of versions to come: type, keys, and what they belong to.
const LATER_KEYS: &[(&str, &[&str], &str)] = &[
    ("JobSpec", &["workflow", "max_active_tasks", "depends_on_past"], "that is"),
    ("TaskSpec", &["xxl", "sql", "container"], "tasks of this kind are"),
    ("TaskSpec", &["pool", "run_as", "shards"], "routing is"),
    ("TaskSpec", &["notify", "alerts", "deadline"], "alerts are"),
    ("JobSpec", &["catchup", "catchup_window", "backfill"], "backfills are"),
    ("JobSpec", &["notify", "alerts", "on_failure", "on_success", "deadline", "pause_on_failure"], "alerts are"),
    ("JobSpec", &["xxl", "sql", "container"], "tasks of this kind are"),
    ("JobSpec", &["routing", "shards", "shard_total", "pool", "run_as"], "routing is"),
    ("JobSpec", &["retention"], "a retention of its own for each job is"),
    ("NamespaceSpec", &["description", "paused"], "settings of namespaces are"),
    ("JobSpec", &["calendars", "jobs"], "bundles inside of a job are"),
    ("TriggerSpec", &["event"], "event triggers are"),
    ("TriggerSpec", &["after"], "triggers on other jobs are"),
    ("TriggerSpec", &["placement"], "placement is"),
];

/// Keys of other tools, and ours.
const SYNONYMS: &[(&str, &[&str], &str)] = &[
    (
        "JobSpec",
        &[
            "needs",
            "trigger_rule",
            "if",
            "matrix",
            "map",
            "max_parallel",
            "continue_on_error",
            "finally",
            "wait",
            "approval",
            "inputs",
        ],
        "write it in a task of `tasks: {…}`",
    ),
    ("JobSpec", &["command", "cmd", "shell", "bash"], "write `run: …`"),
    ("JobSpec", &["args", "argv"], "write `exec: [program, argument, …]`"),
    ("JobSpec", &["url"], "write `http: {url: …}`"),
    ("JobSpec", &["cron", "schedules", "on"], "write `schedule: …`"),
    (
        "JobSpec",
        &["every", "at", "delay", "calendar_interval", "daily_window", "start_at", "end_at", "jitter"],
        "write it inside of `schedule: {…}`",
    ),
    ("JobSpec", &["backoff"], "write `retry_backoff: …`"),
    ("JobSpec", &["max_delay"], "write `retry_max_delay: …`"),
    ("JobSpec", &["tags"], "write `labels: {key: value}`"),
    ("JobSpec", &["tz", "time_zone"], "write `timezone: …`"),
    ("JobSpec", &["max_active_runs", "concurrency"], "write `max_active: …`"),
    ("JobSpec", &["cwd", "workdir", "dir"], "write `working_dir: …`"),
    ("JobSpec", &["enabled", "disabled", "suspend"], "write `paused: true` or `paused: false`"),
    ("JobSpec", &["body", "method", "headers", "expect"], "write it inside of `http: {…}`"),
    ("TaskSpec", &["command", "cmd", "shell", "bash"], "write `run: …`"),
    ("TaskSpec", &["args", "argv"], "write `exec: [program, argument, …]`"),
    ("TaskSpec", &["url"], "write `http: {url: …}`"),
    ("TaskSpec", &["depends", "depends_on", "dependencies", "dependsOn", "upstream"], "write `needs: […]`"),
    ("TaskSpec", &["when", "runIf", "condition", "preconditions"], "write `if: ${{ … }}`"),
    ("TaskSpec", &["with_items", "withItems", "parallel", "expand"], "write `map: ${{ … }}` or `matrix: {…}`"),
    ("TaskSpec", &["continue_on", "continue-on-error", "allow_failure"], "write `continue_on_error: true`"),
    ("TaskSpec", &["backoff"], "write `retry_backoff: …`"),
    ("TaskSpec", &["cwd", "workdir", "dir"], "write `working_dir: …`"),
    ("TriggerSpec", &["tz", "time_zone"], "write `timezone: …`"),
    ("TriggerSpec", &["start"], "write `start_at: …`"),
    ("TriggerSpec", &["end", "until"], "write `end_at: …`"),
    ("TriggerSpec", &["interval"], "write `every: …`"),
    ("TriggerSpec", &["expression"], "write `cron: …`"),
];

/// Makes the problem of a key that a type does not know.
pub(super) fn unknown_key<'k>(type_name: &str, key: &str, known: impl Iterator<Item = &'k String>) -> Problem {
    if let Some(what) = find(LATER_KEYS, type_name, key) {
        return later(key, what);
    }
    let problem = Problem::new(ErrorCode::FieldUnknown, format!("unknown key \"{}\"", super::shorten(key)));
    let synonym = find(SYNONYMS, type_name, key).map(str::to_owned);
    Problem { hint: synonym.or_else(|| did_you_mean(key, known.map(String::as_str))), ..problem }
}

fn later(word: &str, what: &str) -> Problem {
    Problem::new(ErrorCode::FieldLater, format!("\"{word}\" cannot be used: {what} not in this version"))
}

fn find(table: &[(&str, &[&str], &'static str)], type_name: &str, word: &str) -> Option<&'static str> {
    let row = table.iter().find(|(of, words, _)| *of == type_name && words.contains(&word));
    row.map(|(.., text)| *text)
}
