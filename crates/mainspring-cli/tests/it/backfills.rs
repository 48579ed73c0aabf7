//! Backfills as users meet them: plans, runs of past dates, failures, steering, bad input, and what a kill leaves.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::live::{Live, until};
use crate::program::{Ended, Program};
use crate::wait;

const SERVER: &[&str] = &["server", "--data", "data"];

fn apply(program: &Program, job: &Value) {
    let file = program.file(&format!("{}.json", job["name"].as_str().unwrap()), job.to_string());
    let applied = program.run(&["apply", "-f", &file]);
    assert_eq!(applied.code, 0, "{applied:?}");
}

/// A job that fires each day at six, in Berlin.
fn daily(name: &str, run: &str) -> Value {
    json!({"name": name, "run": run, "schedule": {"cron": "0 6 * * *", "timezone": "Europe/Berlin"}})
}

fn document(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_default()
}

fn get(program: &Program, id: &str) -> Value {
    document(&program.run(&["backfill", "get", id, "-o", "json"]))
}

fn backfill(program: &Program, verb: &str, job: &str, more: &[&str]) -> Ended {
    let mut all = vec!["backfill", verb, job, "-o", "json"];
    all.extend(more);
    program.run(&all)
}

/// Waits until a backfill stands so.
fn until_state(program: &Program, id: &str, state: &str) -> Value {
    document(&until(program, &["backfill", "get", id, "-o", "json"], |found| document(found)["state"] == state))
}

fn next_fire(program: &Program, job: &str) -> Value {
    document(&program.run(&["job", "get", job, "-o", "json"]))["next_fire_at"].clone()
}

/// How many runs each fire time has.
fn runs_of(program: &Program, job: &str) -> BTreeMap<String, usize> {
    let found = document(&program.run(&["run", "list", "--job", job, "--all", "-o", "json"]));
    let mut runs = BTreeMap::new();
    for run in found["items"].as_array().unwrap() {
        *runs.entry(run["fire_at"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    runs
}

#[test]
fn a_week_is_planned_and_run_date_by_date_whichever_way_the_clock_goes() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    apply(&program, &daily("etl", "echo \"date $MS_FIRE_TIME\""));
    let next = next_fire(&program, "etl");
    let range = ["--from", "2025-03-28", "--to", "2025-03-31"];
    let plan = document(&backfill(&program, "plan", "etl", &range));
    assert_eq!(plan["actions"], json!({"create": 4, "rerun": 0, "keep": 0, "active": 0, "absent": 0}), "{plan}");
    let fires: Vec<_> = plan["items"].as_array().unwrap().iter().map(|item| item["fire_at"].clone()).collect();
    // The clock goes forward on the 30th.
    let expected = [
        "2025-03-28T05:00:00.000Z",
        "2025-03-29T05:00:00.000Z",
        "2025-03-30T04:00:00.000Z",
        "2025-03-31T04:00:00.000Z",
    ];
    assert_eq!(fires, expected.map(Value::from));
    let hash = plan["hash"].as_str().unwrap();
    let stale = backfill(&program, "start", "etl", &[&range[..], &["--plan", "000000000000"]].concat());
    assert!(stale.code == 4 && stale.stderr.starts_with("error[backfill.stale]"), "{stale:?}");
    assert!(stale.stderr.contains(hash) && stale.stderr.contains("4 create"), "{stale:?}");
    let done = backfill(&program, "start", "etl", &[&range[..], &["--plan", hash, "--wait"]].concat());
    assert_eq!(done.code, 0, "{done:?}");
    let done = document(&done);
    assert_eq!((&done["state"], &done["items"]["succeeded"]), (&json!("completed"), &json!(4)), "{done}");
    let id = done["id"].as_str().unwrap();
    let first = document(&program.run(&["backfill", "get", id, "--items", "succeeded", "-o", "json"]));
    let run = first["items"][0]["run"].as_str().unwrap().to_owned();
    let shown = document(&program.run(&["run", "get", &run, "-o", "json"]));
    assert_eq!(
        (&shown["origin"], &shown["fire_at"]),
        (&json!("backfill"), &json!("2025-03-28T05:00:00.000Z")),
        "{shown}"
    );
    assert_eq!(program.run(&["logs", &run]).stdout, "date 2025-03-28T05:00:00.000Z\n");
    assert_eq!(next_fire(&program, "etl"), next, "the schedule stays where it is");
    // The same again has nothing to do, unless all are asked for.
    let again = document(&backfill(&program, "plan", "etl", &range));
    assert_eq!(again["actions"]["keep"], json!(4), "{again}");
    let nothing = backfill(&program, "start", "etl", &range);
    assert!(nothing.stderr.starts_with("error[backfill.empty]"), "{nothing:?}");
    let all = backfill(
        &program,
        "start",
        "etl",
        &[&range[..], &["--reprocess", "all", "--order", "desc", "--wait"]].concat(),
    );
    assert_eq!(all.code, 0, "{all:?}");
    let items = document(&program.run(&["backfill", "get", "2", "--items", "succeeded", "-o", "json"]));
    assert_eq!(items["items"][3]["fire_at"], json!("2025-03-28T05:00:00.000Z"), "{items}");
    assert_eq!(items["items"][3]["rerun_of"], json!(run), "{items}");
    let list = program.run(&["backfill", "list", "-o", "name"]);
    assert_eq!(list.stdout, "2\n1\n", "{list:?}");
}

#[test]
fn a_date_that_fails_stops_the_others_only_where_that_was_asked_for() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    let flag = program.home().join("mended");
    let run = format!("[ -e '{}' ] || case $MS_FIRE_TIME in 2025-07-02*) exit 3;; esac", flag.display());
    apply(&program, &daily("etl", &run));
    let range = ["--from", "2025-07-01", "--to", "2025-07-04"];
    let done = backfill(&program, "start", "etl", &[&range[..], &["--wait"]].concat());
    assert_eq!(done.code, 7, "{done:?}");
    let done = document(&done);
    assert_eq!((&done["items"]["succeeded"], &done["items"]["failed"]), (&json!(3), &json!(1)), "{done}");
    let shown = get(&program, "1");
    assert_eq!(shown["failed"][0]["fire_at"], json!("2025-07-02T04:00:00.000Z"), "{shown}");
    // Only what failed is run again.
    let plan = document(&backfill(&program, "plan", "etl", &[&range[..], &["--reprocess", "failed"]].concat()));
    assert_eq!(plan["actions"], json!({"create": 0, "rerun": 1, "keep": 3, "active": 0, "absent": 0}), "{plan}");
    let stop = ["--reprocess", "all", "--stop-on-failure"];
    let stopped = backfill(&program, "start", "etl", &[&range[..], &stop].concat());
    assert_eq!(stopped.code, 0, "{stopped:?}");
    let stopped = until_state(&program, "2", "paused");
    assert!(stopped["reason"].as_str().unwrap().contains("2025-07-02"), "{stopped}");
    assert_eq!((&stopped["items"]["open"], &stopped["items"]["failed"]), (&json!(2), &json!(1)), "{stopped}");
    std::fs::write(&flag, "").unwrap();
    let mended = program.run(&["backfill", "retry-failed", "2", "--wait", "-o", "json"]);
    assert_eq!(mended.code, 0, "{mended:?}");
    let mended = document(&mended);
    assert_eq!((&mended["state"], &mended["items"]["succeeded"]), (&json!("completed"), &json!(4)), "{mended}");
    let refused = program.run(&["backfill", "retry-failed", "2"]);
    assert!(refused.code == 4 && refused.stderr.starts_with("error[backfill.state]"), "{refused:?}");
}

#[test]
fn a_backfill_is_paused_resumed_and_cancelled_with_its_runs() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    let mut job = daily("slow", "sleep 600");
    job["overlap"] = json!("skip");
    apply(&program, &job);
    let started =
        backfill(&program, "start", "slow", &["--from", "2025-07-01", "--to", "2025-07-09", "--max-active", "3"]);
    assert_eq!(started.code, 0, "{started:?}");
    let running = |count: u64| {
        until(&program, &["run", "list", "--job", "slow", "--state", "running", "-o", "json"], |found| {
            document(found)["items"].as_array().is_some_and(|items| items.len() as u64 == count)
        })
    };
    let runs = document(&running(3));
    // They take no slot of the job.
    let why = program.run(&["job", "why", "slow"]);
    assert!(why.code == 0 && !why.stdout.contains("job_limit"), "{why:?}");
    // What is under way already is not run twice.
    let plan = document(&backfill(
        &program,
        "plan",
        "slow",
        &["--from", "2025-07-01", "--to", "2025-07-10", "--reprocess", "all"],
    ));
    assert_eq!(plan["actions"], json!({"create": 1, "rerun": 0, "keep": 0, "active": 9, "absent": 0}), "{plan}");
    let paused = program.run(&["backfill", "pause", "1", "--reason", "the warehouse is down"]);
    assert_eq!((paused.code, paused.stdout.as_str()), (0, "backfill 1 starts no more runs\n"), "{paused:?}");
    let run = runs["items"][0]["id"].as_str().unwrap();
    program.run(&["run", "cancel", run]);
    let shown = document(&until(&program, &["backfill", "get", "1", "-o", "json"], |found| {
        document(found)["items"]["cancelled"] == 1
    }));
    assert_eq!((&shown["items"]["open"], &shown["items"]["running"]), (&json!(6), &json!(2)), "{shown}");
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("paused"), &json!("the warehouse is down")), "{shown}");
    assert_eq!(program.run(&["backfill", "resume", "1"]).code, 0);
    running(3);
    assert_eq!(program.run(&["backfill", "cancel", "1"]).code, 0);
    let over = document(&until(&program, &["backfill", "get", "1", "-o", "json"], |found| {
        document(found)["ended_at"].is_string()
    }));
    assert_eq!((&over["state"], &over["items"]["cancelled"]), (&json!("cancelled"), &json!(9)), "{over}");
    running(0);
    let again = program.run(&["backfill", "resume", "1"]);
    assert!(again.code == 4 && again.stderr.starts_with("error[backfill.state]"), "{again:?}");
}

#[test]
fn bad_input_is_refused_with_its_reason() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    apply(&program, &daily("etl", "true"));
    apply(&program, &json!({"name": "by-hand", "run": "true"}));
    apply(&program, &json!({"name": "pulse", "run": "true", "schedule": {"every": "1s"}}));
    apply(&program, &json!({"name": "after", "run": "true", "schedule": {"delay": "1h"}}));
    let two = json!([{"name": "morning", "cron": "0 6 * * *"}, {"name": "evening", "cron": "0 18 * * *"}]);
    apply(&program, &json!({"name": "twice", "run": "true", "schedule": two}));
    for (job, more, code) in [
        ("none", &["--from", "2025-07-01"][..], "job.not_found"),
        ("by-hand", &["--from", "2025-07-01"], "backfill.no_schedule"),
        ("after", &["--from", "2025-07-01"], "backfill.no_schedule"),
        ("twice", &["--from", "2025-07-01"], "backfill.trigger"),
        ("etl", &["--from", "2025-07-01", "--trigger", "nightly"], "backfill.trigger"),
        ("etl", &["--from", "yesterday"], "backfill.range"),
        ("etl", &["--from", "2025-02-30"], "backfill.range"),
        ("etl", &["--from", "2025-07-02", "--to", "2025-07-01"], "backfill.range"),
        ("etl", &["--from", "2025-07-01", "--to", "2999-07-01"], "backfill.future"),
        ("etl", &["--from", "2025-07-01", "--timezone", "Mars/Olympus"], "schedule.zone"),
        ("etl", &["--from", "2025-07-01T07:00", "--to", "2025-07-01T08:00"], "backfill.empty"),
        // More than ten million instants.
        ("pulse", &["--from", "2025-01-01", "--to", "2025-06-01"], "backfill.too_many"),
        ("etl", &["--from", "2025-07-01", "--max-active", "0"], "backfill.bound"),
    ] {
        for verb in ["plan", "start"] {
            let refused = backfill(&program, verb, job, more);
            assert!(refused.stderr.starts_with(&format!("error[{code}]")), "{verb} {job} {more:?}: {refused:?}");
        }
    }
    for verb in ["get", "pause", "cancel"] {
        for id in ["7", "x"] {
            let refused = program.run(&["backfill", verb, id]);
            assert!(refused.code == 3 && refused.stderr.starts_with("error[backfill.not_found]"), "{refused:?}");
        }
    }
    assert_eq!(document(&program.run(&["backfill", "list", "-o", "json"]))["items"], json!([]));
    // A paused job is backfilled all the same: a pause is for triggers.
    program.run(&["job", "pause", "etl"]);
    let done = backfill(&program, "start", "etl", &["--from", "2025-07-01", "--to", "2025-07-02", "--wait"]);
    assert_eq!(done.code, 0, "{done:?}");
}

#[test]
fn a_workflow_is_backfilled_with_the_dates_of_its_fires() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    let tasks = json!({"load": {"run": "echo \"$MS_DATA_START $MS_DATA_END $MS_LOGICAL_DATE\""}});
    let schedule = json!({"cron": "0 6 * * *", "timezone": "UTC"});
    apply(&program, &json!({"name": "etl", "tasks": tasks, "schedule": schedule}));
    let range = ["--from", "2025-07-01", "--to", "2025-07-03", "--max-active", "2", "--wait"];
    let done = backfill(&program, "start", "etl", &range);
    assert_eq!(done.code, 0, "{done:?}");
    let items = document(&program.run(&["backfill", "get", "1", "--items", "succeeded", "-o", "json"]));
    for (number, date) in ["2025-07-01", "2025-07-02", "2025-07-03"].iter().enumerate() {
        let run = items["items"][number]["run"].as_str().unwrap();
        let log = program.run(&["logs", run, "--task", "load"]).stdout;
        let ends: Vec<&str> = log.split_whitespace().collect();
        assert!(ends.len() == 3 && ends[1].starts_with(date) && ends[2] == ends[1], "{log}");
        assert!(ends[0] < ends[1] && ends[0].ends_with("T06:00:00.000Z"), "{log}");
    }
}

#[test]
fn a_job_may_name_its_runs_after_the_start_of_their_data() {
    let program = Program::new();
    let _live = Live::start_with(&program, SERVER);
    let job = json!({
        "name": "etl", "run": "echo \"$MS_LOGICAL_DATE $MS_DATA_START $MS_DATA_END\"", "logical_date": "start",
        "schedule": {"cron": "0 6 * * *", "timezone": "UTC"}
    });
    apply(&program, &job);
    let checked = program.run(&["check", "etl.json"]);
    let told = "etl: logical_date is start, so a run is named after the fire time before it, where its data begin\n";
    assert!(checked.stdout.ends_with(told), "{checked:?}");
    let range = ["--from", "2025-07-01", "--to", "2025-07-02"];
    let plan = program.run(&[&["backfill", "plan", "etl"], &range[..]].concat());
    let lines: Vec<Vec<&str>> = plan.stdout.lines().map(|line| line.split_whitespace().take(6).collect()).collect();
    assert_eq!(lines[0], ["LOGICAL", "DATE", "FIRE", "TIME", "ACTION", "RUN"]);
    assert_eq!(lines[1], ["2025-07-01", "06:00:00", "UTC", "2025-07-02", "06:00:00", "UTC"]);
    assert_eq!(lines[2], ["2025-07-02", "06:00:00", "UTC", "2025-07-03", "06:00:00", "UTC"]);
    let done = backfill(&program, "start", "etl", &[&range[..], &["--wait"]].concat());
    assert_eq!(done.code, 0, "{done:?}");
    let items = document(&program.run(&["backfill", "get", "1", "--items", "succeeded", "-o", "json"]));
    let (date, fire) = ("2025-07-01T06:00:00.000Z", "2025-07-02T06:00:00.000Z");
    let item = &items["items"][0];
    assert_eq!((&item["logical_date"], &item["fire_at"]), (&json!(date), &json!(fire)));
    let run = item["run"].as_str().unwrap();
    assert_eq!(program.run(&["logs", run]).stdout, format!("{date} {date} {fire}\n"));
    assert_eq!(document(&program.run(&["run", "get", run, "-o", "json"]))["logical_date"], date);
    let listed = document(&program.run(&["run", "list", "--job", "etl", "-o", "json"]));
    assert!(listed["items"].as_array().unwrap().iter().any(|run| run["logical_date"] == date), "{listed}");
}

#[test]
fn a_killed_server_loses_and_doubles_no_date() {
    const DAYS: usize = 31;
    let program = Program::new();
    let mut live = Live::start_with(&program, SERVER);
    let mut job = daily("etl", "true");
    job["on_lost"] = json!("retry");
    apply(&program, &job);
    let started =
        backfill(&program, "start", "etl", &["--from", "2025-07-01", "--to", "2025-07-31", "--max-active", "2"]);
    assert_eq!(started.code, 0, "{started:?}");
    for kill in 1..=3 {
        let enough = (kill * DAYS / 4) as u64;
        wait::blocking("dates are done", || {
            let done = get(&program, "1")["items"]["succeeded"].as_u64().unwrap_or_default();
            if done >= enough { Ok(()) } else { Err(done) }
        });
        live.kill();
        live = Live::start_with(&program, SERVER);
    }
    let over = until_state(&program, "1", "completed");
    assert_eq!(over["items"]["succeeded"], json!(DAYS), "{over}");
    let runs = runs_of(&program, "etl");
    assert!(runs.len() == DAYS && runs.values().all(|count| *count == 1), "{runs:?}");
    assert_eq!(live.stop().0.code(), Some(0));
}
