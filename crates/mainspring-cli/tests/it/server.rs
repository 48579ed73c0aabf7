//! Commands against the real server: job files, runs, logs, pauses, access, and how a server ends.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;

use crate::live::{Live, until};
use crate::program::Program;

const JOBS: &str = "
jobs:
  - name: greet
    params: {who: {type: string, default: you}}
    run: echo \"hello, $MS_PARAM_WHO\"
  - {name: fail, run: \"echo broken >&2; exit 3\"}
  - {name: slow, run: \"echo begun; until [ -e $GO ]; do sleep 0.05; done; echo over\", env: {GO: GO_FILE}}
  - {name: nap, run: \"sleep 300\"}
";

/// A home with job files and a server that holds them.
fn with_jobs() -> (Program, Live) {
    let program = Program::new();
    let go = program.home().join("go");
    program.file("jobs.yaml", JOBS.replace("GO_FILE", go.to_str().unwrap()));
    let live = Live::start(&program);
    let applied = program.run(&["apply", "-f", "jobs.yaml"]);
    assert_eq!(applied.code, 0, "{applied:?}");
    (program, live)
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn job_files_go_to_the_server_and_come_back() {
    let (program, _live) = with_jobs();
    let same = program.run(&["diff", "-f", "jobs.yaml"]);
    assert_eq!((same.code, same.stderr.as_str()), (0, "no differences\n"), "{same:?}");

    let exported = program.run(&["export"]).stdout;
    assert!(exported.contains("params:") && !exported.contains("input:"), "{exported}");
    let checked = program.run_with_input(&["check", "-"], &exported);
    assert_eq!(checked.stdout, "ok: 4 jobs, 0 triggers, 0 calendars\n", "{exported}");
    program.file("exported.yaml", &exported);
    let same = program.run(&["diff", "-f", "exported.yaml", "--prune"]);
    assert_eq!(same.code, 0, "{same:?}");

    program.file("less.yaml", "jobs: [{name: greet, run: echo hi}, {name: new, noop: true, schedule: '@daily'}]");
    let differs = program.run(&["diff", "-f", "less.yaml", "--prune"]);
    assert_eq!(differs.code, 10, "{differs:?}");
    let dry = program.run(&["apply", "-f", "less.yaml", "--prune", "--dry-run"]);
    assert!(dry.stderr.contains("1 created, 1 updated, 0 unchanged, 3 deleted (dry run"), "{dry:?}");
    assert_eq!(program.run(&["job", "list", "-o", "name"]).stdout.lines().count(), 4);
    let pruned = program.run(&["apply", "-f", "less.yaml", "--prune", "--yes"]);
    assert_eq!(pruned.code, 0, "{pruned:?}");
    assert_eq!(program.run(&["job", "list", "-o", "name"]).stdout, "greet\nnew\n");
    let next = json(&program.run(&["next", "new", "-o", "json"]).stdout);
    assert_eq!(next["items"][0]["job"], "new", "{next}");
}

#[test]
fn what_the_server_refuses_names_the_line() {
    let (program, _live) = with_jobs();
    program.file("bad.yaml", "name: bad\nnoop: true\nschedule:\n  cron: 0 0 * * *\n  calendar: nowhere\n");
    let refused = program.run(&["apply", "-f", "bad.yaml"]);
    assert_eq!(refused.code, 9, "{refused:?}");
    assert!(refused.stderr.contains("bad.yaml:5:13"), "{refused:?}");
    assert_eq!(program.run(&["job", "get", "bad"]).code, 3);
}

#[test]
fn people_are_told_what_is_there_before_they_are_asked() {
    let (program, _live) = with_jobs();
    let gone = program.run(&["job", "delete", "nope"]);
    assert_eq!(gone.code, 3, "{gone:?}");
    assert!(gone.stderr.starts_with("error[job.not_found]"), "{gone:?}");
    let asked = program.run(&["job", "delete", "greet"]);
    assert_eq!(asked.code, 2, "{asked:?}");
    assert!(asked.stderr.starts_with("error[cli.confirm]"), "{asked:?}");

    assert_eq!(program.run(&["next", "greet"]).stderr, "the job has no triggers: it runs when asked\n");

    program.file("two.yaml", "name: two\nnoop: true\nschedule: ['@daily', '@hourly']\n");
    assert_eq!(program.run(&["apply", "-f", "two.yaml"]).code, 0);
    for verb in ["get", "gaps", "pause"] {
        let named = program.run(&["trigger", verb, "two"]);
        assert_eq!(named.code, 2, "{named:?}");
        assert!(named.stderr.ends_with("hint: its triggers: two/cron, two/cron-2\n"), "{named:?}");
    }
    assert_eq!(program.run(&["trigger", "get", "none"]).code, 3);
    let far = program.run(&["trigger", "get", "two/else"]);
    assert!(far.stderr.ends_with("hint: its triggers are cron, cron-2\n"), "{far:?}");
    assert_eq!(program.run(&["job", "list", "--query", "else"]).stderr, "no such jobs\n");
    let same = program.run(&["diff", "-f", "two.yaml", "-o", "json"]);
    assert_eq!((same.code, &json(&same.stdout)["totals"]["unchanged"]), (0, &1.into()));
}

#[test]
fn a_paused_trigger_has_no_next_fire_time() {
    let (program, _live) = with_jobs();
    program.file("two.yaml", "name: two\nnoop: true\nschedule: ['@daily', '@hourly']\n");
    assert_eq!(program.run(&["apply", "-f", "two.yaml"]).code, 0);
    let shown = |name: &str| json(&program.run(&["trigger", "get", name, "-o", "json"]).stdout);
    assert!(shown("two/cron")["next_fire_at"].is_string());
    assert_eq!(program.run(&["trigger", "pause", "two/cron"]).code, 0);
    let paused = shown("two/cron");
    assert_eq!(
        (&paused["paused"], &paused["next_fire_at"], &paused["due_at"]),
        (&true.into(), &serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert_eq!(program.run(&["job", "pause", "two"]).code, 0);
    let other = shown("two/cron-2");
    assert_eq!(
        (&other["paused"], &other["job_paused"], &other["next_fire_at"]),
        (&false.into(), &true.into(), &serde_json::Value::Null)
    );
    let table =
        program.run(&["trigger", "list", "--job", "two", "--columns", "state,next,left", "--no-headers"]).stdout;
    assert!(table.lines().all(|line| line.split_whitespace().eq(["paused", "-", "-"])), "{table}");
    assert_eq!(program.run(&["job", "resume", "two"]).code, 0);
    assert!(shown("two/cron-2")["next_fire_at"].is_string());
}

#[test]
fn the_history_of_a_deleted_job_stays() {
    let (program, _live) = with_jobs();
    assert_eq!(program.run(&["run", "start", "greet", "--wait"]).code, 0);
    let before = program.run(&["job", "history", "greet", "-o", "name"]).stdout;
    assert_eq!(program.run(&["job", "delete", "greet", "--yes"]).code, 0);
    for listed in [["job", "history", "greet", "-o", "name"], ["run", "list", "greet", "-o", "name"]] {
        let after = program.run(&listed);
        assert_eq!((after.code, after.stdout.as_str()), (0, before.as_str()), "{after:?}");
    }
}

#[test]
fn awaited_runs_tell_their_end_by_the_exit_code() {
    let (program, _live) = with_jobs();
    let followed = program.run(&["run", "start", "greet", "-p", "who=world", "--follow"]);
    assert_eq!((followed.code, followed.stdout.as_str()), (0, "hello, world\n"), "{followed:?}");
    let failed = program.run(&["run", "start", "fail", "--wait", "-o", "json"]);
    assert_eq!(failed.code, 7, "{failed:?}");
    assert_eq!((&json(&failed.stdout)["exit_code"], &json(&failed.stdout)["state"]), (&3.into(), &"failed".into()));
    assert_eq!(program.run(&["logs", "fail"]).stdout, "broken\n");

    let started = program.run(&["run", "start", "nap", "-o", "name"]).stdout;
    let id = started.trim();
    assert_eq!(program.run(&["run", "cancel", id]).code, 0);
    assert_eq!(program.run(&["run", "wait", id]).code, 8);
    assert_eq!(program.run(&["run", "start", "gret"]).code, 3);
    let mistyped = program.run(&["run", "start", "greet", "-p", "woh=x"]);
    assert!(mistyped.stderr.starts_with("error[param.unknown]") && mistyped.stderr.contains("\"who\""), "{mistyped:?}");
    assert_eq!(mistyped.code, 9);
    let again = program.run(&["run", "rerun", id, "-o", "name"]).stdout;
    assert_ne!(again.trim(), id);
    assert_eq!(program.run(&["run", "cancel", again.trim()]).code, 0);
}

#[test]
fn a_log_is_followed_while_it_grows() {
    let (program, _live) = with_jobs();
    let started = program.run(&["run", "start", "slow", "-o", "name"]).stdout;
    let mut following = program.command(&["logs", "-f", started.trim()]).spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "begun");
    program.file("go", "");
    assert_eq!(lines.next().unwrap().unwrap(), "over");
    assert!(lines.next().is_none());
    assert!(following.wait().unwrap().success());
}

#[test]
fn paused_jobs_rest_until_they_are_resumed() {
    let (program, _live) = with_jobs();
    program.file("tick.yaml", "name: tick\nnoop: true\nschedule: {every: 100ms}\n");
    assert_eq!(program.run(&["apply", "-f", "tick.yaml"]).code, 0);
    let history = ["job", "history", "tick", "-o", "name", "--limit", "1"];
    until(&program, &history, |ended| !ended.stdout.is_empty());

    assert_eq!(program.run(&["job", "pause", "tick"]).code, 0);
    let paused = json(&program.run(&["job", "get", "tick", "-o", "json"]).stdout);
    assert_eq!(paused["paused"], true, "{paused}");
    let upcoming = program.run(&["next", "tick", "-o", "json"]).stdout;
    assert_eq!(json(&upcoming)["items"].as_array().unwrap().len(), 0, "{upcoming}");
    let last = program.run(&history).stdout;
    assert_eq!(program.run(&["job", "resume", "tick"]).code, 0);
    until(&program, &history, |ended| ended.stdout != last);
    assert_eq!(program.run(&["job", "delete", "tick", "--yes"]).code, 0);
    assert_eq!(program.run(&["job", "get", "tick"]).code, 3);
}

#[test]
fn the_token_is_shown_once_where_it_is_asked_for_and_needed_always() {
    // What is no terminal is a journal that others read: neither token nor link.
    let kept = Program::new();
    let quiet = Live::start(&kept);
    let token = std::fs::read_to_string(kept.home().join("data/token")).unwrap();
    assert!(!quiet.welcome.contains(token.trim()) && !quiet.welcome.contains("login#"), "{}", quiet.welcome);
    assert!(quiet.welcome.contains("sign in: mainspring console"), "{}", quiet.welcome);
    quiet.stop();

    let program = Program::new();
    let live = Live::start_with(&program, &["server", "--data", "data", "--print-token"]);
    assert!(live.welcome.contains("/login#"), "{}", live.welcome);
    let file = program.home().join("data/token");
    let token = std::fs::read_to_string(&file).unwrap();
    assert!(live.welcome.contains(token.trim()), "{}", live.welcome);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(program.run(&["job", "list"]).code, 0);
    let doctor = program.run(&["doctor"]);
    assert_eq!(doctor.code, 0, "{doctor:?}");

    let stranger = Program::new();
    let url = live.url.clone();
    let unknown = stranger.run(&["job", "list", "--server", &url]);
    assert_eq!(unknown.code, 5, "{unknown:?}");
    let wrong = stranger.file("token", "ms_wrong");
    let denied = stranger.run(&["job", "list", "--server", &url, "--token-file", &wrong]);
    assert_eq!(denied.code, 5, "{denied:?}");
    assert!(denied.stderr.starts_with("error[auth.invalid]: "), "{denied:?}");

    assert_eq!(live.stop().0.code(), Some(0));
    let second = Live::start(&program);
    assert!(!second.welcome.contains("access token"), "{}", second.welcome);
    second.stop();
    let reset = Live::start_with(&program, &["server", "--data", "data", "--reset-token"]);
    let fresh = std::fs::read_to_string(&file).unwrap();
    assert!(reset.welcome.contains(fresh.trim()) && fresh != token);
    let old = stranger.file("old", token);
    let refused = stranger.run(&["job", "list", "--server", &reset.url, "--token-file", &old]);
    assert_eq!(refused.code, 5, "{refused:?}");
}

#[test]
fn a_stopped_server_lets_its_runs_finish() {
    let (program, live) = with_jobs();
    let started = program.run(&["run", "start", "slow", "-o", "name"]).stdout;
    let id = started.trim().to_owned();
    until(&program, &["logs", &id], |ended| ended.stdout == "begun\n");
    live.signal(Signal::TERM);
    live.said("draining");
    program.file("go", "");
    let (status, said) = live.ended();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("stopped"), "{said}");

    let live = Live::start(&program);
    let run = json(&program.run(&["run", "get", &id, "-o", "json"]).stdout);
    assert_eq!(run["state"], "succeeded", "{run}");
    assert_eq!(program.run(&["logs", &id]).stdout, "begun\nover\n");
    assert_eq!(live.stop().0.code(), Some(0));
}

#[test]
fn the_end_of_the_grace_period_cancels_what_still_runs() {
    let (program, live) = with_jobs();
    live.stop();
    let live = Live::start_with(&program, &["server", "--data", "data", "--grace", "100ms"]);
    let started = program.run(&["run", "start", "nap", "-o", "name"]).stdout;
    let id = started.trim().to_owned();
    until(&program, &["run", "get", &id, "-o", "json"], |it| it.stdout.contains("\"running\""));
    let (status, said) = live.stop();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("ended 1 run\n"), "{said}");
    let _live = Live::start(&program);
    let run = json(&program.run(&["run", "get", &id, "-o", "json"]).stdout);
    assert_eq!(run["state"], "cancelled", "{run}");
}

#[test]
fn a_second_signal_ends_the_server_at_once_and_its_runs_are_lost() {
    let (program, live) = with_jobs();
    let started = program.run(&["run", "start", "nap", "-o", "name"]).stdout;
    let id = started.trim().to_owned();
    until(&program, &["run", "get", &id, "-o", "json"], |it| it.stdout.contains("\"running\""));
    live.signal(Signal::TERM);
    live.said("draining");
    live.signal(Signal::TERM);
    assert_eq!(live.ended().0.code(), Some(1));

    let live = Live::start(&program);
    let run = json(&until(&program, &["run", "get", &id, "-o", "json"], |it| it.stdout.contains("\"failed\"")).stdout);
    assert_eq!(run["reason"], "lost", "{run}");
    live.signal(Signal::INT);
    assert_eq!(live.ended().0.code(), Some(0));
}

#[test]
fn no_process_outlives_a_killed_server() {
    let (program, live) = with_jobs();
    let file = program.home().join("pid");
    let script = format!("echo $$ > {0}.new; mv {0}.new {0}; sleep 300", file.display());
    program.file("stay.json", serde_json::json!({"name": "stay", "run": script}).to_string());
    assert_eq!(program.run(&["apply", "-f", "stay.json"]).code, 0);
    assert_eq!(program.run(&["run", "start", "stay"]).code, 0);
    until(&program, &["version"], |_| file.exists());
    let stat = format!("/proc/{}/stat", std::fs::read_to_string(&file).unwrap().trim());
    assert!(std::fs::read_to_string(&stat).is_ok());
    live.kill();
    // One that nobody has buried yet is dead as well.
    until(&program, &["version"], |_| {
        std::fs::read_to_string(&stat).is_ok_and(|it| it.contains(") Z ")) || !std::fs::exists(&stat).unwrap()
    });
}

#[test]
fn a_second_process_and_a_taken_port_are_refused_with_what_to_do() {
    let program = Program::new();
    let live = Live::start(&program);
    let second = program.run(&["server", "--data", "data", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.code, 1, "{second:?}");
    assert!(second.stderr.contains("error[store.unusable]"), "{second:?}");
    assert!(second.stderr.contains("another process (process "), "{second:?}");
    assert_eq!(program.run(&["job", "list"]).code, 0, "the first one goes on");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = program.run(&["server", "--data", "other", "--listen", &address]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("error[server.listen]"), "{refused:?}");
    assert!(refused.stderr.contains(&address), "{refused:?}");
    drop(live);

    let zone = program.run(&["server", "--data", "other", "--default-timezone", "Europe/Berln"]);
    assert_eq!(zone.code, 9, "{zone:?}");
    assert!(zone.stderr.contains("Europe/Berlin"), "{zone:?}");
}

#[test]
fn stores_that_cannot_be_used_are_told_and_left_alone() {
    let program = Program::new();
    let foreign = program.file("foreign.db", "these are my notes, not a database; ".repeat(40));
    let store = format!("sqlite:{foreign}");
    let refused = program.run(&["server", "--store", &store, "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("error[store.unusable]"), "{refused:?}");
    assert!(std::fs::read_to_string(&foreign).unwrap().starts_with("these are my notes"));
    let unreachable = "it cannot be opened";
    for (store, expected) in [
        ("redis:cache", "sqlite:PATH"),
        ("jobs.db", "sqlite:PATH"),
        ("postgres://me:secret@127.0.0.1:1/jobs", unreachable),
        ("mysql://me:secret@127.0.0.1:1/jobs", unreachable),
    ] {
        let refused = program.run(&["server", "--store", store, "--listen", "127.0.0.1:0"]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.contains(expected) && !refused.stderr.contains("secret"), "{refused:?}");
    }
}

#[test]
fn a_store_in_memory_warns_that_nothing_outlives_it() {
    let program = Program::new();
    let live = Live::start_with(&program, &["server", "--store", "memory:"]);
    live.said("in memory");
    assert_eq!(program.run(&["job", "list"]).code, 0);
    assert_eq!(live.stop().0.code(), Some(0));
}

#[test]
fn dev_has_example_jobs_and_says_what_to_try() {
    let program = Program::new();
    let live = Live::start_with(&program, &["dev", "--grace", "0s"]);
    let hello = program.run(&["run", "start", "hello", "-p", "who=world", "--follow"]);
    assert_eq!((hello.code, hello.stdout.as_str()), (0, "hello, world\n"), "{hello:?}");
    let health = program.run(&["run", "start", "server-health", "--wait"]);
    assert_eq!(health.code, 0, "{health:?}");
    let folder = live.welcome.lines().find_map(|line| line.strip_prefix("token file:")).unwrap().trim();
    let folder = std::path::Path::new(folder).parent().unwrap().to_owned();
    assert!(folder.exists());
    assert_eq!(live.stop().0.code(), Some(0));
    assert!(!folder.exists(), "everything is gone when it ends");
}

#[test]
fn dev_takes_a_folder_of_jobs_and_flows() {
    let program = Program::new();
    std::fs::create_dir_all(program.home().join("mine/flows")).unwrap();
    program.file("mine/jobs.yaml", "name: a\nnoop: true\n");
    program.file(
        "mine/flows/hum.yaml",
        "flow: hum\ncomponents:\n  hum: {run: \"true\", schedule: 1 hour, end: [success, failure]}\n",
    );
    let live = Live::start_with(&program, &["dev", "--grace", "0s", "--examples", "mine"]);
    assert_eq!(program.run(&["job", "list", "-o", "name"]).stdout, "a\n");
    let flow = program.run(&["flow", "get", "hum", "-o", "json"]);
    assert_eq!(flow.code, 0, "{flow:?}");
    assert_eq!(live.stop().0.code(), Some(0));
}

#[test]
fn a_clock_is_set_wrong_for_tests_only() {
    let program = Program::new();
    let server = ["server", "--listen", "127.0.0.1:0", "--data", "data"];
    let refused = program.command(&server).env("MAINSPRING_CLOCK_OFFSET_FILE", "offset").output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("--for-tests"), "{said}");
    let missing = program.run(&[&server[..], &["--for-tests", "--clock-offset-file", "offset"]].concat());
    assert_eq!(missing.code, 3, "{missing:?}");
    assert!(missing.stderr.contains("offset of the clock") && !program.home().join("data/mainspring.db").exists());
    let help = program.run(&["server", "--help"]).stdout;
    assert!(!help.contains("clock-offset") && !help.contains("for-tests"), "{help}");
}
