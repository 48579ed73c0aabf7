//! Workflow runs that run again in part, as users meet them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::live::Live;
use crate::program::Program;
use crate::wait;

const SERVER: &[&str] = &["server", "--data", "data"];

fn apply(program: &Program, job: &Value) {
    let file = program.file("job.json", job.to_string());
    let applied = program.run(&["apply", "-f", &file]);
    assert_eq!(applied.code, 0, "{applied:?}");
}

/// Starts a run and waits for its end. Its id and the exit code.
fn run_of(program: &Program, args: &[&str]) -> (String, i32) {
    let started = program.run(args);
    assert_eq!(started.code, 0, "{started:?}");
    let run = started.stdout.trim().to_owned();
    let waited = program.run(&["run", "wait", &run]);
    (run, waited.code)
}

/// The tasks of a run by name.
fn tasks(program: &Program, run: &str) -> BTreeMap<String, Value> {
    let tree: Value = serde_json::from_str(&program.run(&["run", "tree", run, "-o", "json"]).stdout).unwrap();
    let items = tree["items"].as_array().cloned().unwrap_or_default();
    items.into_iter().map(|task| (task["name"].as_str().unwrap().to_owned(), task)).collect()
}

/// extract → load → report, and other by itself. `load` fails until there is a disk.
fn etl(program: &Program) -> Value {
    let disk = program.home().join("disk").display().to_string();
    json!({"name": "etl", "tasks": {
        "extract": {"run": "echo rows=42 >> \"$MS_OUTPUT\"; echo extracted for $MS_LOGICAL_DATE", "outputs": ["rows"]},
        "load": {"needs": "extract", "env": {"ROWS": "${{ needs.extract.outputs.rows }}"},
            "run": format!("test -e {disk} && echo loaded $ROWS rows for $MS_LOGICAL_DATE")},
        "report": {"needs": "load", "noop": true},
        "other": {"noop": true},
    }})
}

#[test]
fn what_failed_runs_again_with_the_results_of_the_rest() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    apply(&program, &etl(&program));
    let (old, code) = run_of(&program, &["run", "start", "etl", "-o", "name"]);
    assert_eq!(code, 7, "load fails");
    program.file("disk", "");

    let shown = program.run(&["run", "rerun", &old, "--failed", "--dry-run"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines[0], format!("etl {old}: failed, version 1"));
    let row = |name: &str| {
        let line = lines.iter().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{lines:?}"));
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).take(4).collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(row("extract"), "extract | keep | succeeded | succeeded");
    assert_eq!(row("load"), "load | rerun | failed | failed");
    assert_eq!(row("report"), "report | rerun | upstream_failed | after load");
    let last = lines.last().unwrap();
    assert!(
        last.starts_with("2 tasks to run again, 2 kept") && last.contains("; carry it out with --apply "),
        "{last}"
    );
    let plan: Value =
        serde_json::from_str(&program.run(&["run", "rerun", &old, "--failed", "--dry-run", "-o", "json"]).stdout)
            .unwrap();
    let plan = plan["plan"].as_str().unwrap().to_owned();
    assert!(last.ends_with(&plan), "the same plan has the same name");

    let (new, code) = run_of(&program, &["run", "rerun", &old, "--failed", "--apply", &plan, "-o", "name"]);
    assert_eq!(code, 0);
    let log = |run: &str, task: &str| program.run(&["logs", run, "--task", task]).stdout;
    let extracted = log(&new, "extract");
    let date = extracted.trim().strip_prefix("extracted for ").expect("the log of what is kept can be read");
    assert_eq!(
        log(&new, "load"),
        format!("loaded 42 rows for {date}\n"),
        "with the output of what is kept, for the same date"
    );
    let extract = &tasks(&program, &new)["extract"];
    assert_eq!((&extract["kept_from"], &extract["run"]), (&json!(old), &tasks(&program, &old)["extract"]["run"]));
    let tree = |run: &str| program.run(&["run", "tree", run]).stdout.lines().nth(1).unwrap_or_default().to_owned();
    assert_eq!((tree(&old), tree(&new)), (format!("rerun as {new}"), format!("rerun of {old}")));
    let why = |run: &str| program.run(&["run", "why", run]).stdout;
    assert!(why(&old).contains(&format!("rerun as run {new}")) && why(&new).contains(&format!("rerun of run {old}")));

    let stale = program.run(&["run", "rerun", &old, "--failed", "--apply", &plan]);
    assert!(stale.stderr.starts_with("error[run.plan_stale]"), "{stale:?}");
    assert!(stale.stderr.contains(&format!("run {new} has repeated it meanwhile")), "{stale:?}");
    let wrong = program.run(&["run", "rerun", &old, "--failed", "--task", "load"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
}

#[test]
fn what_depends_on_a_run_is_shown_below_its_tasks_and_run_after_it() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    let schedule = json!({"cron": "0 6 * * *", "timezone": "UTC"});
    let need = json!([{"workflow": "ingest", "task": "load"}]);
    apply(&program, &json!({"name": "ingest", "schedule": schedule, "tasks": {"load": {"noop": true}}}));
    apply(&program, &json!({"name": "report", "schedule": schedule, "tasks": {"sums": {"noop": true, "needs": need}}}));
    let day = ["--from", "2025-07-01", "--to", "2025-07-01"];
    let filled = program.run(&[&["backfill", "start", "ingest", "--wait"], &day[..]].concat());
    assert_eq!(filled.code, 0, "{filled:?}");
    let run = program.run(&["run", "list", "--job", "ingest", "-o", "name"]).stdout.trim().to_owned();

    let chosen = ["run", "rerun", &run, "--task", "load", "--downstream", "--cascade"];
    let shown = program.run(&[&chosen[..], &["--dry-run"]].concat());
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stdout.contains("sums needs ingest:load@same"), "{}", shown.stdout);
    assert!(shown.stdout.contains("other workflows: 1 to create, 0 to run again"), "{}", shown.stdout);
    let plan = shown.stdout.trim().rsplit_once("--apply ").expect("it names its plan").1.to_owned();
    let started = program.run(&[&chosen[..], &["--apply", &plan, "-o", "name"]].concat());
    assert_eq!(started.code, 0, "{started:?}");
    let id = started.stdout.trim().to_owned();
    let list = ["backfill", "list", "--cascade-of", &id, "-o", "json"];
    let of = |found: &crate::program::Ended| serde_json::from_str::<Value>(&found.stdout).unwrap_or_default();
    let done = crate::live::until(&program, &list, |found| of(found)["items"][0]["state"] == "completed");
    assert_eq!(of(&done)["items"][0]["job"], "report", "{done:?}");

    let wrong = program.run(&["run", "rerun", &run, "--missing", "--cascade"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    let again = program.run(&chosen);
    assert!(again.stderr.starts_with("error[run.repeated]"), "{again:?}");
}

#[test]
fn a_rerun_survives_kills_and_does_nothing_twice() {
    const LENGTH: usize = 12;
    const FIRST: usize = 4;
    let program = Program::new();
    let mut live = Live::start_with(&program, SERVER);
    let done = program.home().join("done");
    let numbers = || -> Vec<usize> {
        std::fs::read_to_string(&done).unwrap_or_default().lines().filter_map(|line| line.parse().ok()).collect()
    };
    let task = |number: usize| {
        let work = format!("echo {number} >> {}; sleep 0.05", done.display());
        let mut task = json!({"run": work, "on_lost": "retry", "retries": 5});
        if number > 0 {
            task["needs"] = json!(format!("t{:03}", number - 1));
        }
        (format!("t{number:03}"), task)
    };
    let tasks: serde_json::Map<String, Value> = (0..LENGTH).map(task).collect();
    apply(&program, &json!({"name": "chain", "tasks": tasks}));
    let (old, code) = run_of(&program, &["run", "start", "chain", "-o", "name"]);
    assert_eq!((code, numbers().len()), (0, LENGTH));

    let from = format!("t{FIRST:03}");
    let started = program.run(&["run", "rerun", &old, "--task", &from, "--downstream", "-o", "name"]);
    assert_eq!(started.code, 0, "{started:?}");
    for enough in [0, 2, 5] {
        wait::blocking("tasks are done", || if numbers().len() >= LENGTH + enough { Ok(()) } else { Err(numbers()) });
        live.kill();
        live = Live::start_with(&program, SERVER);
    }
    let waited = program.run(&["run", "wait", started.stdout.trim()]);
    assert_eq!(waited.code, 0, "{waited:?}");
    let mut again = numbers().split_off(LENGTH);
    // A task that was at work when its server was killed is tried again; nothing else is done twice, and what is kept not at all.
    assert!(again.len() <= LENGTH - FIRST + 3 && again.is_sorted(), "{again:?}");
    again.dedup();
    assert_eq!(again, (FIRST..LENGTH).collect::<Vec<_>>());
    assert_eq!(live.stop().0.code(), Some(0));
}
