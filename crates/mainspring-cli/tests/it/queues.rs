//! Queues over a real server: paused, limited, drained, and told of when a run waits for them.

use serde_json::Value;

use crate::live::{Live, until};
use crate::program::Program;

fn queue(program: &Program, arguments: &[&str]) -> Value {
    let done = program.run(&[&["queue"], arguments, &["-o", "json"]].concat());
    assert_eq!(done.code, 0, "{done:?}");
    serde_json::from_str(&done.stdout).unwrap()
}

fn start(program: &Program) -> String {
    let started = program.run(&["run", "start", "letter", "-o", "name"]);
    assert_eq!(started.code, 0, "{started:?}");
    started.stdout.trim().to_owned()
}

fn ends_well(program: &Program, run: &str) {
    until(program, &["run", "get", run, "-o", "json"], |shown| shown.stdout.contains("\"succeeded\""));
}

#[test]
fn runs_that_wait_are_moved_to_another_queue() {
    let program = Program::new();
    let _live = Live::start_with(&program, &["server", "--data", "data"]);
    let files = ["letter", "parcel"]
        .map(|name| program.file(&format!("{name}.yaml"), format!("name: {name}\nqueue: mail\nrun: \"true\"\n")));
    files.iter().for_each(|file| assert_eq!(program.run(&["apply", "-f", file]).code, 0));
    for name in ["mail", "bulk"] {
        queue(&program, &["pause", name]);
    }
    let runs: Vec<String> = (0..3).map(|_| start(&program)).collect();
    let parcel = program.run(&["run", "start", "parcel", "-o", "name"]).stdout.trim().to_owned();

    let moved = queue(&program, &["move", "mail", "bulk", "--job", "letter", "--limit", "2"]);
    assert_eq!(moved, serde_json::json!({ "from": "mail", "to": "bulk", "moved": 2 }));
    assert_eq!(queue(&program, &["get", "mail"])["queued"], 2);
    assert!(program.run(&["run", "why", &runs[0]]).stdout.contains("the queue bulk is paused"));
    let one = program.run(&["run", "move", &parcel, "--queue", "bulk"]);
    assert!(one.stdout.contains("parcel waits in the queue bulk"), "{one:?}");
    assert_eq!(queue(&program, &["move", "mail", "bulk"])["moved"], 1);

    queue(&program, &["resume", "bulk"]);
    runs.iter().chain([&parcel]).for_each(|run| ends_well(&program, run));
    let late = program.run(&["run", "move", &parcel, "--queue", "mail"]);
    assert!(late.code != 0 && late.stderr.starts_with("error[run.not_queued]"), "{late:?}");
    for wrong in [["mail", "mail"], ["mail", "xxl.app"]] {
        let refused = program.run(&["queue", "move", wrong[0], wrong[1]]);
        assert!(refused.code != 0 && refused.stderr.contains("field.value"), "{refused:?}");
    }
}

#[test]
fn runs_that_wait_are_put_first_and_last_and_dropped() {
    let program = Program::new();
    let _live = Live::start_with(&program, &["server", "--data", "data"]);
    let file = program.file("letter.yaml", "name: letter\nqueue: mail\nrun: \"true\"\n");
    assert_eq!(program.run(&["apply", "-f", &file]).code, 0);
    queue(&program, &["pause", "mail"]);
    let runs: Vec<String> = (0..4).map(|_| start(&program)).collect();
    let head = || -> Vec<String> {
        let shown = program.run(&["queue", "head", "mail", "-o", "name"]);
        shown.stdout.lines().map(str::to_owned).collect()
    };
    let top = program.run(&["queue", "top", &runs[2], &runs[3], "--reason", "a customer waits"]);
    assert!(top.code == 0 && top.stdout.contains("is the first in the queue mail"), "{top:?}");
    assert_eq!(program.run(&["queue", "requeue", &runs[0]]).code, 0);
    assert_eq!(head(), [&runs[2], &runs[3], &runs[1], &runs[0]].map(String::clone));
    let dropped = program.run(&["queue", "drop", &runs[1], "--reason", "not wanted"]);
    assert!(dropped.code == 0 && dropped.stdout.contains("is dropped from the queue mail"), "{dropped:?}");
    assert_eq!(head(), [&runs[2], &runs[3], &runs[0]].map(String::clone));
    queue(&program, &["set", "mail", "--max-running", "3", "--reason", "spare the printer"]);
    let changes = program.run(&["queue", "changes", "mail"]).stdout;
    for said in ["max running none -> 3", "spare the printer", "placed first, priority", "dropped", "a customer waits"]
    {
        assert!(changes.contains(said), "{said}: {changes}");
    }
    let late = program.run(&["queue", "top", &runs[1]]);
    assert!(late.code != 0 && late.stderr.starts_with("error[run.not_queued]"), "{late:?}");
    queue(&program, &["resume", "mail"]);
    [&runs[0], &runs[2], &runs[3]].iter().for_each(|run| ends_well(&program, run));
}

#[test]
fn failed_runs_of_a_queue_are_replayed_and_limits_are_tried_first() {
    let program = Program::new();
    let _live = Live::start_with(&program, &["server", "--data", "data"]);
    let file = program.file("letter.yaml", "name: letter\nqueue: mail\nrun: \"false\"\n");
    assert_eq!(program.run(&["apply", "-f", &file]).code, 0);
    for _ in 0..2 {
        let run = start(&program);
        until(&program, &["run", "get", &run, "-o", "json"], |shown| shown.stdout.contains("\"failed\""));
    }
    assert_eq!(
        program.run(&["apply", "-f", &program.file("letter.yaml", "name: letter\nqueue: mail\nrun: \"true\"\n")]).code,
        0
    );
    assert_eq!(queue(&program, &["replay", "mail", "--dry-run"])["total"], 2);
    assert_eq!(queue(&program, &["replay", "mail", "--query", "job:other", "--dry-run"])["total"], 0);
    let asks = program.run(&["queue", "replay", "mail"]);
    assert!(asks.stderr.contains("Run 2 failed runs of the queue mail again?"), "{asks:?}");
    let replayed = queue(&program, &["replay", "mail", "--yes", "--reason", "mended"]);
    assert_eq!((&replayed["state"], &replayed["done"], &replayed["failed"]), (&"done".into(), &2.into(), &0.into()));

    queue(&program, &["pause", "mail"]);
    let run = start(&program);
    let why = program.run(&["queue", "why", "mail"]).stdout;
    assert!(why.contains("the queue mail is paused"), "{why}");
    let shares = queue(&program, &["shares", "mail"]);
    assert_eq!((&shares["items"][0]["namespace"], &shares["items"][0]["count"]), (&"default".into(), &1.into()));
    let tried = queue(&program, &["set", "mail", "--max-running", "4", "--dry-run"]);
    assert_eq!((&tried["items"][0]["wait"], &tried["items"][1]["leave"]), (&1.into(), &0.into()), "{tried}");
    assert_eq!(queue(&program, &["get", "mail"]).get("max_running"), None, "nothing was set");
    assert_eq!(program.run(&["queue", "drop", &run]).code, 0);
}

#[test]
fn history_of_a_queue_is_shown_in_steps() {
    let program = Program::new();
    let _live = Live::start_with(&program, &["server", "--data", "data"]);
    let history = queue(&program, &["history", "mail", "--since", "20m", "--step", "5m"]);
    let points = history["items"].as_array().unwrap();
    assert!((4..=5).contains(&points.len()), "{history}");
    let nothing = serde_json::json!({"arrived": 0, "left": 0, "depth": 0, "depth_max": 0, "at": points[0]["at"]});
    assert_eq!(points[0], nothing, "nothing was ever in it");
    let shown = program.run(&["queue", "history", "mail", "--since", "20m", "--step", "5m"]);
    assert!((5..=6).contains(&shown.stdout.lines().count()), "a line of names, and the points: {shown:?}");
    assert!(shown.stdout.contains("WAIT P95"), "{shown:?}");
    for (wrong, code) in [(["--since", "soon"], "time.invalid"), (["--step", "0s"], "request.query")] {
        let refused = program.run(&[&["queue", "history", "mail"][..], &wrong].concat());
        assert!(refused.code != 0 && refused.stderr.contains(code), "{refused:?}");
    }
}

#[test]
fn queue_is_paused_limited_and_drained_from_the_command_line() {
    let program = Program::new();
    let _live = Live::start_with(&program, &["server", "--data", "data"]);
    let file = program.file("letter.yaml", "name: letter\nqueue: mail\nrun: \"true\"\n");
    assert_eq!(program.run(&["apply", "-f", &file]).code, 0);

    let paused = queue(&program, &["pause", "mail", "--reason", "the mail server is down"]);
    assert_eq!((&paused["name"], &paused["paused"]), (&"mail".into(), &true.into()), "{paused}");
    let run = start(&program);
    let why = program.run(&["run", "why", &run]).stdout;
    assert!(why.contains("the queue mail is paused") && why.contains("mainspring queue resume mail"), "{why}");
    let shown = queue(&program, &["show", "mail"]);
    assert_eq!((&shown["queued"], &shown["running"]), (&1.into(), &0.into()), "{shown}");
    assert!(shown["oldest_due_at"].is_string(), "{shown}");
    assert!(program.run(&["queue", "list"]).stdout.contains("mail"));

    let set = queue(&program, &["set", "mail", "--max-running", "2", "--rate", "100/1m"]);
    assert_eq!((&set["paused"], &set["max_running"]), (&true.into(), &2.into()), "it stays paused: {set}");
    assert_eq!(set["rate"], serde_json::json!({ "count": 100, "per_ms": 60_000 }));
    queue(&program, &["resume", "mail"]);
    ends_well(&program, &run);
    let unlimited = queue(&program, &["set", "mail", "--max-running", "none", "--rate", "none"]);
    assert_eq!((unlimited.get("max_running"), unlimited.get("rate")), (None, None), "{unlimited}");
    let run = start(&program);
    ends_well(&program, &run);

    queue(&program, &["pause", "mail"]);
    let bounded = queue(&program, &["set", "mail", "--max-waiting", "1"]);
    assert_eq!((&bounded["max_waiting"], &bounded["paused"]), (&1.into(), &true.into()), "{bounded}");
    let run = start(&program);
    let refused = program.run(&["run", "start", "letter"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.starts_with("error[queue.full]: the queue mail is full"), "{refused:?}");
    queue(&program, &["resume", "mail"]);
    ends_well(&program, &run);
    queue(&program, &["set", "mail", "--max-waiting", "none"]);
    let drained = queue(&program, &["drain", "mail", "--wait-timeout", "60s"]);
    assert_eq!((&drained["paused"], &drained["running"]), (&true.into(), &0.into()), "{drained}");
}

#[test]
fn what_cannot_be_set_is_refused() {
    let program = Program::new();
    let _live = Live::start_with(&program, &["server", "--data", "data"]);
    let cases: &[(&[&str], i32, &str)] = &[
        (&["set", "mail"], 2, "error[cli.usage]: the following required arguments were not provided"),
        (&["set", "mail", "--max-running", "0"], 2, "error[cli.usage]: invalid value '0'"),
        (&["set", "mail", "--rate", "fast"], 2, "error[cli.usage]: invalid value 'fast'"),
        (&["set", "mail", "--rate", "0/1m"], 9, "error["),
        (&["set", "mail", "--max-waiting", "0"], 2, "error[cli.usage]: invalid value '0'"),
        (&["set", "mail", "--max-waiting", "100001"], 9, "error["),
        (&["set", "mail", "--rate", "5000000/1s"], 9, "error["),
        (&["pause", "a/b"], 2, "error[cli.usage]: invalid value 'a/b'"),
    ];
    for (arguments, code, said) in cases {
        let refused = program.run(&[&["queue"], *arguments].concat());
        assert_eq!(refused.code, *code, "{arguments:?}: {refused:?}");
        assert!(refused.stderr.starts_with(said), "{arguments:?}: {refused:?}");
    }
    assert!(!program.run(&["queue", "list"]).stdout.contains("mail"), "nothing was set");
}

#[test]
fn runs_of_jobs_with_a_label_are_limited_from_the_command_line() {
    let program = Program::new();
    let _live = Live::start_with(&program, &["server", "--data", "data"]);
    let letter = "name: letter\nqueue: mail\nlabels: {db: reporting}\nrun: \"true\"\n";
    let stuck = "name: stuck\nlabels: {db: reporting}\nrun: sleep 300\n";
    for (name, text) in [("letter.yaml", letter), ("stuck.yaml", stuck)] {
        let file = program.file(name, text);
        assert_eq!(program.run(&["apply", "-f", &file]).code, 0);
    }
    let set = program.run(&["label", "set", "db=reporting", "--max-running", "1", "-o", "json"]);
    assert_eq!(set.code, 0, "{set:?}");
    let limit: Value = serde_json::from_str(&set.stdout).unwrap();
    assert_eq!(limit, serde_json::json!({ "label": "db=reporting", "max_running": 1, "running": 0 }));
    let stuck = program.run(&["run", "start", "stuck", "-o", "name"]).stdout;
    until(&program, &["run", "get", stuck.trim(), "-o", "json"], |shown| shown.stdout.contains("\"running\""));
    let run = start(&program);
    for arguments in [&["run", "why", &run][..], &["job", "why", "letter"]] {
        let why = program.run(arguments).stdout;
        assert!(why.contains("1 run of jobs and tasks with the label db=reporting"), "{why}");
        assert!(why.contains("mainspring label set db=reporting"), "{why}");
    }
    let listed = program.run(&["label", "list", "-o", "json"]).stdout;
    assert!(listed.contains("\"running\": 1") || listed.contains("\"running\":1"), "{listed}");
    assert!(!program.run(&["queue", "list"]).stdout.contains("db=reporting"), "a label is no queue");
    assert_eq!(program.run(&["label", "remove", "db=reporting"]).code, 0);
    ends_well(&program, &run);
    assert_eq!(program.run(&["run", "cancel", stuck.trim()]).code, 0);
    for (arguments, code, said) in [
        (&["remove", "db=reporting"][..], 3, "error[label.not_found]"),
        (&["set", "reporting", "--max-running", "1"], 2, "error[cli.usage]: invalid value 'reporting'"),
        (&["set", "db=reporting", "--max-running", "0"], 2, "error[cli.usage]: invalid value '0'"),
        (&["set", "a b=c", "--max-running", "1"], 9, "error["),
    ] {
        let refused = program.run(&[&["label"], arguments].concat());
        assert_eq!(refused.code, code, "{arguments:?}: {refused:?}");
        assert!(refused.stderr.starts_with(said), "{arguments:?}: {refused:?}");
    }
}
