//! `mainspring import`: a dump becomes job files that this binary takes.

use mainspring_rig::Database;
use serde_json::{Value, json};

use crate::live::Live;
use crate::program::Program;

fn dump(range: &str) -> String {
    format!("{}/../mainspring-xxl/tests/dumps/{range}.sql", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_dump_of_xxl_job_becomes_job_files_that_are_valid() {
    for range in ["2.1.0", "2.2.0", "2.3.0-2.4.2", "3.2.0-3.3.2", "3.5.0-SNAPSHOT"] {
        let (program, dump) = (Program::new(), dump(range));
        let ended =
            program.run(&["import", "xxl-job", &dump, "--timezone", "Asia/Shanghai", "--to", "jobs", "-o", "json"]);
        assert_eq!(ended.code, 11, "{range}: some are refused: {ended:?}");
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(report["jobs"]["refused"], 2, "{range}: one that never fires, one of no group");
        let names = |at: &str| -> Vec<&str> {
            let files = report["files"].as_array().unwrap().iter();
            files.filter_map(Value::as_str).filter(|file| file.contains(at)).collect()
        };
        assert_eq!((names("billing.yaml").len(), names("demo-app.yaml").len()), (1, 1), "{range}: {report}");
        let never = report["items"].as_array().unwrap().iter().find(|item| item["name"] == "never").unwrap();
        assert!(never["notes"][0].as_str().unwrap().contains("schedule.never"), "{never}");
        let checked = program.run(&["check", "jobs"]);
        assert_eq!(checked.code, 0, "{range}: {checked:?}");
        assert!(checked.stdout.starts_with("ok: 8 jobs"), "{range}: {}", checked.stdout);
        let again = program.run(&["import", "xxl-job", &dump, "--timezone", "Asia/Shanghai", "--to", "jobs"]);
        assert_eq!(again.code, 4, "{range}: {again:?}");
        assert!(again.stderr.contains("error[import.exists]"), "{}", again.stderr);
    }
}

#[test]
fn a_dry_run_reports_and_writes_nothing() {
    let program = Program::new();
    let ended = program.run(&["import", "xxl-job", &dump("3.4.0-3.4.2"), "--timezone", "Asia/Shanghai", "--dry-run"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    for part in ["OUTCOME", "测试任务1", "job demoJobHandler-1: handler demoJobHandler of app demo-app", "refused"]
    {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    assert!(ended.stderr.contains("dry run: nothing was written"), "{}", ended.stderr);
    let there: Vec<_> = std::fs::read_dir(program.home()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!there.iter().any(|name| name.to_string_lossy().contains("yaml") || name == "jobs"), "{there:?}");
}

#[test]
fn a_database_is_imported_as_its_dump_is() {
    let server = Database::Mariadb.start().unwrap();
    let program = Program::new();
    let report = |from: &str| {
        let ended = program.run(&["import", "xxl-job", from, "--timezone", "Asia/Shanghai", "--dry-run", "-o", "json"]);
        assert_eq!(ended.code, 0, "{from}: {ended:?}");
        serde_json::from_str::<Value>(&ended.stdout).unwrap()
    };
    for (name, range) in [("old", "2.1.0"), ("new", "3.5.0-SNAPSHOT")] {
        let address = server.create(name).unwrap();
        let text = std::fs::read_to_string(dump(range)).unwrap();
        server.ask_in(name, &text).unwrap();
        let expected = report(&dump(range));
        assert!(expected["items"].as_array().unwrap().len() > 8, "{expected}");
        assert_eq!(report(&address), expected, "{range}");
    }
    let empty = server.create("empty").unwrap();
    let ended = program.run(&["import", "xxl-job", &empty, "--dry-run"]);
    assert_eq!(ended.code, 9, "{ended:?}");
    assert!(ended.stderr.contains("error[import.no_jobs]"), "{}", ended.stderr);
}

#[test]
fn a_database_that_cannot_be_read_is_named_without_its_password() {
    let program = Program::new();
    for (address, why) in [
        ("mysql://me:secret@127.0.0.1:1/xxl_job", "cannot read mysql://127.0.0.1:1/xxl_job"),
        ("mysql://me:secret@127.0.0.1:1", "names no database"),
    ] {
        let ended = program.run(&["import", "xxl-job", address, "--timezone", "UTC", "--dry-run"]);
        assert_eq!(ended.code, 9, "{ended:?}");
        assert!(ended.stderr.contains("error[import.database]") && ended.stderr.contains(why), "{}", ended.stderr);
        assert!(!ended.stderr.contains("secret"), "{}", ended.stderr);
    }
}

#[test]
fn what_cannot_be_imported_is_said_before_anything_is_written() {
    let program = Program::new();
    program.file("cut.sql", "CREATE TABLE xxl_job_info (id int);\nINSERT INTO xxl_job_info VALUES (1");
    program.file("other.sql", "CREATE TABLE orders (id int);");
    program.file("columns.sql", "INSERT INTO xxl_job_info VALUES (1);");
    let whole = dump("3.4.0-3.4.2");
    let cases: [(&[&str], i32, &str); 8] = [
        (
            &["cut.sql", "--dry-run"],
            9,
            "error[import.cut]: the dump ends in the middle of the statement that begins on line 2",
        ),
        (&["other.sql", "--dry-run"], 9, "error[import.no_jobs]"),
        (&["columns.sql", "--dry-run"], 9, "error[import.columns]"),
        (&["none.sql", "--dry-run"], 3, "error[cli.file]"),
        (&[&whole, "--dry-run"], 2, "pass --timezone with the zone of the old server's machine"),
        (&[&whole, "--dry-run", "--timezone", "Mars/Olympus"], 2, "--timezone Mars/Olympus"),
        (&[&whole, "--timezone", "UTC"], 2, "--to"),
        (&[&whole, "--dry-run", "--password-file", "p"], 2, "--password-file is for the address of a database"),
    ];
    for (arguments, code, message) in cases {
        let ended = program.run(&[&["import", "xxl-job"], arguments].concat());
        assert_eq!(ended.code, code, "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains(message), "{arguments:?}: {}", ended.stderr);
    }
}

/// The history of a dump goes through the file into a server, and there once.
#[test]
fn runs_of_a_dump_become_history() {
    let program = Program::new();
    let live = Live::start(&program);
    let token = program.home().join("data/token");
    let to = ["--server", &*live.url, "--token-file", token.to_str().unwrap()];
    let run = |arguments: &[&str]| program.run(&[arguments, &to].concat());
    let dump = dump("3.4.0-3.4.2");
    let import = ["import", "xxl-job", &dump, "--timezone", "Asia/Shanghai", "--history=36500d", "--to", "jobs"];
    let ended = program.run(&[&import[..], &["-o", "json"]].concat());
    assert_eq!(ended.code, 11, "some jobs are refused: {ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(report["history"]["runs"], 2, "{report}");
    assert_eq!(report["history"]["days"][0]["day"], "2026-01-01", "{report}");
    assert!(ended.stderr.contains("mainspring run load jobs/runs.jsonl"), "{}", ended.stderr);
    let load = |added: &str, code: i32| {
        let ended = run(&["run", "load", "jobs/runs.jsonl"]);
        assert_eq!(ended.code, code, "{ended:?}");
        assert!(ended.stderr.contains(added), "{}", ended.stderr);
    };
    load("2 runs passed over: there is no job demoJobHandler-1", 11);
    assert_eq!(run(&["apply", "jobs"]).code, 0);
    load("2 runs added, 0 there already", 0);
    load("0 runs added, 2 there already", 0);
    let listed = run(&["run", "list", "-o", "json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let runs = &listed["items"];
    assert_eq!(runs.as_array().unwrap().len(), 2, "{runs}");
    assert_eq!(
        (&runs[0]["origin"], &runs[0]["state"], &runs[0]["output"]),
        (&json!("imported"), &json!("succeeded"), &json!("m"))
    );
    program.file("bad.jsonl", "{}\n");
    let ended = run(&["run", "load", "bad.jsonl"]);
    assert!(ended.code == 9 && ended.stderr.contains("bad.jsonl:1"), "{ended:?}");
    let ended = program.run(&["import", "xxl-job", &dump, "--history", "--dry-run"]);
    assert!(ended.code == 2 && ended.stderr.contains("--timezone"), "{ended:?}");
}

/// What a report recommends is done as it stands there, in its order.
#[test]
fn every_command_of_a_report_works_on_a_new_server() {
    let program = Program::new();
    let live = Live::start(&program);
    let token = program.home().join("data/token");
    let dump = dump("3.5.0-SNAPSHOT");
    // The one day has no runs.
    let import = ["import", "xxl-job", &dump, "--timezone", "Asia/Shanghai", "-o", "json"];
    for (history, folder, has_runs) in [("--history=1d", "quiet", false), ("--history=36500d", "all", true)] {
        let ended = program.run(&[&import[..], &[history, "--to", folder]].concat());
        assert_eq!(ended.code, 11, "some jobs are refused: {ended:?}");
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        let of_items = report["items"].as_array().unwrap().iter().filter_map(|item| item["notes"].as_array());
        let texts = ended.stderr.lines().chain(of_items.flatten().filter_map(Value::as_str));
        let mut commands: Vec<&str> = texts.filter_map(|text| Some(text.split_once(": mainspring ")?.1)).collect();
        commands.dedup();
        assert!(commands.len() > 5, "{commands:?}");
        assert_eq!(commands.iter().any(|command| command.starts_with("run load")), has_runs, "{commands:?}");
        let load = format!("run load {folder}/runs.jsonl");
        // A script loads what there is, if there is any.
        for command in commands.iter().copied().chain([&*load]) {
            if !has_runs || !command.starts_with("xxl app create") {
                let arguments: Vec<&str> = command.split_whitespace().collect();
                let to = ["--server", &*live.url, "--token-file", token.to_str().unwrap()];
                let ended = program.run(&[&arguments[..], &to].concat());
                assert_eq!(ended.code, 0, "{command}: {ended:?}");
            }
        }
    }
}
