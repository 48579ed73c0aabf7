//! What commands send to a server, what they print, and how they end.

use crate::canned::{Answer, Canned, json, problem};
use crate::program::{Ended, Program};

fn job(name: &str) -> String {
    format!(
        r#"{{"id": "7", "namespace": "default", "name": "{name}", "version": 2, "paused": false, "active_runs": 0,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
            "next_fire_at": "2026-03-08T07:30:00Z",
            "last_run": {{"id": "{RUN}", "state": "failed", "started_at": "2026-03-07T07:30:00Z"}},
            "spec": {{"name": "{name}", "run": "date", "params": {{"who": {{"type": "string"}}}}}}}}"#
    )
}

const RUN: &str = "019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11";

fn run(state: &str) -> String {
    format!(
        r#"{{"id": "{RUN}", "namespace": "default", "job": "a", "job_version": 2, "origin": "manual", "state": "{state}",
            "created_at": "2026-03-08T07:30:00Z", "started_at": "2026-03-08T07:30:00Z", "ended_at": "2026-03-08T07:31:30Z",
            "attempt": 1, "attempts_max": 3, "queue": "default", "priority": 5}}"#
    )
}

fn page(items: &[String], cursor: &str) -> Answer {
    let cursor = match cursor {
        "" => String::new(),
        cursor => format!(r#", "next_cursor": "{cursor}""#),
    };
    json(200, format!(r#"{{"items": [{}]{cursor}}}"#, items.join(",")))
}

/// A log as it grows: these lines, then the end of the run or of the connection.
fn stream(lines: &[u32], end: Option<&str>) -> Answer {
    let mut text = ": still here\n\n".to_owned();
    for number in lines {
        let line = format!(
            r#"{{"line": {number}, "attempt": 1, "at": "2026-03-08T07:30:00Z", "stream": "stdout", "text": "line {number}"}}"#
        );
        text += &format!("id: {number}\nevent: line\ndata: {line}\n\n");
    }
    if let Some(state) = end {
        text += &format!("event: end\ndata: {}\n\n", run(state).replace('\n', " "));
    }
    (200, "text/event-stream", text)
}

/// Runs a command against a server, with a token.
fn ask(server: &Canned, arguments: &[&str]) -> Ended {
    let program = Program::new();
    let token = program.file("token", "secret\n");
    let url = server.url();
    let mut all = arguments.to_vec();
    all.extend(["--server", &url, "--token-file", &token]);
    program.run(&all)
}

#[test]
fn job_list_collects_pages_and_shows_states() {
    let server = Canned::start(|line| match line.contains("cursor=c2") {
        false => page(&[job("a"), job("b")], "c2"),
        true => page(&[job("c")], ""),
    });
    let ended = ask(&server, &["job", "list", "--limit", "3"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let rows: Vec<&str> = ended.stdout.lines().collect();
    assert!(rows[0].starts_with("NAME  STATE"), "{}", ended.stdout);
    assert!(rows[1].contains("2026-03-08 07:30:00 UTC") && rows[1].contains("failed"), "{}", rows[1]);
    assert_eq!(rows.len(), 4);
    let lines = server.lines();
    assert_eq!(lines[0], "GET /api/v1/namespaces/default/jobs?limit=3");
    assert_eq!(lines[1], "GET /api/v1/namespaces/default/jobs?cursor=c2&limit=1");
    assert_eq!(server.asked()[0].token, "Bearer secret");
}

#[test]
fn a_list_over_all_namespaces_begins_with_theirs() {
    let server = Canned::start(|line| match line.contains("/runs") {
        false => page(&[job("a"), job("b").replace(r#""namespace": "default""#, r#""namespace": "prod""#)], ""),
        true => page(&[run("failed")], ""),
    });
    let jobs = ask(&server, &["job", "list", "-A"]);
    let rows: Vec<Vec<&str>> = jobs.stdout.lines().map(|row| row.split_whitespace().collect()).collect();
    let firsts: Vec<&[&str]> = rows.iter().map(|row| &row[..2]).collect();
    assert_eq!(firsts, [["NAMESPACE", "NAME"], ["default", "a"], ["prod", "b"]], "{jobs:?}");
    let named = ask(&server, &["job", "list", "--all-namespaces", "-o", "name"]);
    assert_eq!(named.stdout, "default/a\nprod/b\n");
    let chosen = ask(&server, &["job", "list", "-A", "--columns", "name", "--no-headers"]);
    assert_eq!(chosen.stdout, "a\nb\n");
    let runs = ask(&server, &["run", "list", "-A"]);
    assert!(runs.stdout.starts_with("NAMESPACE  ID"), "{runs:?}");
    let jobs = "GET /api/v1/namespaces/-/jobs?limit=100";
    assert_eq!(server.lines(), [jobs, jobs, jobs, "GET /api/v1/namespaces/-/runs?limit=100"]);
}

#[test]
fn a_cut_list_says_so_on_stderr() {
    let server = Canned::start(|_| page(&[job("a")], "more"));
    let ended = ask(&server, &["job", "list", "--limit", "1", "-o", "name"]);
    assert_eq!(ended.stdout, "a\n");
    assert_eq!(ended.stderr, "1 shown, there are more: --limit N or --all\n");
    let quiet = ask(&server, &["job", "list", "--limit", "1", "-o", "name", "--quiet"]);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn an_empty_list_prints_no_data() {
    let server = Canned::start(|_| page(&[], ""));
    let ended = ask(&server, &["run", "list"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""));
    assert_eq!(ask(&server, &["run", "list", "-o", "json"]).stdout, "{\n  \"items\": []\n}\n");
}

#[test]
fn errors_of_the_server_become_exit_codes() {
    let cases = [
        (401, "auth.invalid", 5),
        (404, "job.not_found", 3),
        (409, "resource.conflict", 4),
        (412, "resource.stale", 4),
        (422, "schedule.cron", 9),
        (503, "server.draining", 6),
        (500, "server.internal", 1),
    ];
    for (status, code, exit) in cases {
        let server = Canned::start(move |_| problem(status, code, "it is so"));
        let ended = ask(&server, &["job", "get", "a"]);
        assert_eq!(ended.code, exit, "{code}: {ended:?}");
        assert_eq!(ended.stderr, format!("error[{code}]: it is so\n"));
    }
}

#[test]
fn some_failing_of_several_is_partial_success() {
    let server = Canned::start(|line| match line.contains("/jobs/missing") {
        true => problem(404, "job.not_found", "no job \"missing\""),
        false => json(200, job("a")),
    });
    let ended = ask(&server, &["job", "pause", "a", "missing", "a", "--reason", "why"]);
    assert_eq!(ended.code, 11, "{ended:?}");
    assert_eq!(ended.stdout, "paused default/a\npaused default/a\n");
    assert_eq!(ended.stderr, "error[job.not_found]: no job \"missing\"\n");
    assert_eq!(server.asked()[0].body, r#"{"reason":"why"}"#);
}

#[test]
fn a_namespace_comes_from_the_name_before_the_option() {
    let server = Canned::start(|_| json(200, job("a")));
    ask(&server, &["job", "get", "prod/a", "b", "-n", "test"]);
    let expected = ["GET /api/v1/namespaces/prod/jobs/a", "GET /api/v1/namespaces/test/jobs/b"];
    assert_eq!(server.lines(), expected);
}

#[test]
fn waiting_mirrors_the_end_of_the_run() {
    let cases = [("succeeded", 0), ("failed", 7), ("cancelled", 8), ("skipped", 8)];
    for (state, exit) in cases {
        let server = Canned::start(move |_| stream(&[], Some(state)));
        let ended = ask(&server, &["run", "wait", RUN]);
        assert_eq!(ended.code, exit, "{state}: {ended:?}");
        assert!(ended.stdout.contains(state) && ended.stdout.contains("1m30s"), "{}", ended.stdout);
    }
}

#[test]
fn waiting_ends_at_its_limit_and_says_how_to_go_on() {
    let server = Canned::start(|_| stream(&[], None));
    let ended = ask(&server, &["run", "wait", RUN, "--wait-timeout", "10ms"]);
    assert_eq!(ended.code, 8, "{ended:?}");
    assert!(ended.stderr.starts_with("error[run.not_ended]: "), "{}", ended.stderr);
    assert!(ended.stderr.contains(&format!("mainspring run cancel {RUN}")));
}

#[test]
fn starting_a_run_types_its_parameters_by_the_job() {
    let server = Canned::start(|line| match line.starts_with("POST") {
        true => json(201, run("queued")),
        false => json(200, job("a")),
    });
    let ended = ask(&server, &["run", "start", "a", "-p", "who=12", "--reason", "test"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.stdout, format!("started run {RUN} of a\n"));
    assert_eq!(ended.stderr, "", "hints are for people");
    let asked = server.asked();
    assert_eq!(asked[1].line, "POST /api/v1/namespaces/default/jobs/a/run");
    assert_eq!(asked[1].body, r#"{"params":{"who":"12"},"reason":"test"}"#);
    let twice = ask(&server, &["run", "start", "a", "-p", "who=1", "-p", "who=2"]);
    assert_eq!((twice.code, twice.stderr.as_str()), (2, "error[cli.usage]: parameter \"who\" is given twice\n"));
}

#[test]
fn logs_of_a_job_are_those_of_its_newest_run() {
    let server = Canned::start(|line| {
        if line.contains("/log") {
            let lines = match line.contains("from_line=3") {
                false => {
                    r#"{"line": 1, "attempt": 1, "at": "2026-03-08T07:30:00Z", "stream": "stdout", "text": "one"},
                       {"line": 2, "attempt": 1, "at": "2026-03-08T07:30:00Z", "stream": "stderr", "text": "two"}"#
                }
                true => "",
            };
            return json(
                200,
                format!(r#"{{"lines": [{lines}], "next_line": 3, "complete": true, "truncated": false}}"#),
            );
        }
        json(200, job("a"))
    });
    let ended = ask(&server, &["logs", "a"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "one\ntwo\n"));
    assert!(server.lines()[1].starts_with(&format!("GET /api/v1/runs/{RUN}/log")));
    let stamped = ask(&server, &["logs", RUN, "--timestamps", "--time", "iso"]);
    assert!(stamped.stdout.starts_with("2026-03-08T07:30:00.000+00:00 1 out one\n"), "{}", stamped.stdout);
}

#[test]
fn following_a_log_ends_with_the_run() {
    let server = Canned::start(|_| stream(&[1], Some("failed")));
    let ended = ask(&server, &["logs", "-f", RUN]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "line 1\n"), "{ended:?}");
    assert_eq!(ended.stderr, format!("run {RUN} failed\n"));
    let started = ask(&server, &["logs", "-f", RUN, "--tail", "5"]);
    assert_eq!(started.code, 0);
    assert!(server.lines()[1].contains("tail=5&follow=true"), "{:?}", server.lines());
}

#[test]
fn a_broken_log_stream_goes_on_after_the_last_line() {
    let server = Canned::start(|line| match line.contains("from_line=2") {
        false => stream(&[1], None),
        true => stream(&[2], Some("succeeded")),
    });
    let ended = ask(&server, &["logs", "-f", RUN]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "line 1\nline 2\n"), "{ended:?}");
}

fn applied(created: u32) -> Answer {
    let action = if created > 0 { "created" } else { "unchanged" };
    json(
        200,
        format!(
            r#"{{"dry_run": true, "totals": {{"created": {created}, "updated": 0, "unchanged": {}, "deleted": 0}},
                "items": [{{"kind": "job", "namespace": "default", "name": "a", "action": "{action}"}}]}}"#,
            1 - created
        ),
    )
}

#[test]
fn apply_sends_the_bundle_and_diff_exits_10_on_differences() {
    let program = Program::new();
    let file = program.file("a.yaml", "name: a\nnoop: true\n");
    let server = Canned::start(|_| applied(1));

    let ended = ask(&server, &["apply", "-f", &file, "--dry-run"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("created  job   default    a"), "{}", ended.stdout);
    assert_eq!(ended.stderr, "1 created, 0 updated, 0 unchanged, 0 deleted (dry run: nothing was changed)\n");
    let asked = &server.asked()[0];
    assert_eq!(asked.line, "POST /api/v1/apply?dry_run=true");
    assert!(asked.body.contains(r#""name":"a""#), "{}", asked.body);

    let differs = ask(&server, &["diff", "-f", &file]);
    assert_eq!((differs.code, differs.stdout.as_str()), (10, "+ job default/a\n"));
    let same = Canned::start(|_| applied(0));
    let ended = ask(&same, &["diff", &file]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "with -f and without it");
    let ended = ask(&same, &["apply", "--dry-run"]);
    assert!(ended.code == 2 && ended.stderr.contains("<FILE|DIR|--file <FILE|DIR>>"), "{ended:?}");
}

#[test]
fn errors_of_an_apply_name_file_and_line() {
    let program = Program::new();
    let file = program.file("a.yaml", "name: fine\nnoop: true\n---\nname: a\nnoop: true\nschedule: '0 0 31 2 *'\n");
    let server = Canned::start(|_| {
        let body = r#"{"type": "urn:mainspring:error:schedule.never", "title": "t", "status": 422, "code": "schedule.never",
            "detail": "never", "errors": [{"code": "schedule.never", "message": "never fires", "pointer": "/jobs/1/schedule"}]}"#;
        (422, "application/problem+json", body.to_owned())
    });
    let ended = ask(&server, &["apply", "-f", &file]);
    assert_eq!(ended.code, 9, "{ended:?}");
    assert_eq!(ended.stderr, format!("error[schedule.never]: never fires   --> {file}:6:11\n"));
}

#[test]
fn export_prints_a_file_that_check_accepts() {
    let server =
        Canned::start(|_| json(200, r#"{"namespace": "default", "jobs": [{"name": "a", "run": "date\ndate\n"}]}"#));
    let exported = ask(&server, &["export"]);
    assert_eq!(exported.code, 0, "{exported:?}");
    let checked = Program::new().run_with_input(&["check", "-"], &exported.stdout);
    assert_eq!(checked.stdout, "ok: 1 job, 0 triggers, 0 calendars\n", "{checked:?}");
}

#[test]
fn an_answer_that_is_not_ours_is_told() {
    let server = Canned::start(|_| (200, "text/html", "<h1>hello</h1>".to_owned()));
    let ended = ask(&server, &["job", "list"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.starts_with("error[server.not_understood]: "), "{}", ended.stderr);
}
