//! `mainspring worker`: what it refuses, and what servers know of workers.

use crate::canned::{Canned, json, problem};
use crate::program::{Ended, Program};

const TOKEN: &str = "secret";

fn asked(program: &Program, server: &Canned, arguments: &[&str]) -> Ended {
    let token = program.file("token", TOKEN);
    program.run(&[arguments, &["--server", &server.url(), "--token-file", &token]].concat())
}

#[test]
fn settings_that_make_no_sense_are_refused_before_anything_is_sent() {
    let program = Program::new();
    let token = program.file("token", TOKEN);
    let empty = program.file("empty", "\n");
    let server = ["--server", "http://127.0.0.1:1"];
    let with_token = [&server[..], &["--token-file", token.as_str()]].concat();
    let cases: &[(&[&str], i32, &str)] = &[
        (&[&with_token[..], &["--slots", "0"]].concat(), 2, "0 is not in 1..=10000"),
        (&[&with_token[..], &["--queues", ""]].concat(), 2, "--queues"),
        (&[&with_token[..], &["--queues", "a,b c"]].concat(), 2, "invalid value 'b c'"),
        (&[&with_token[..], &["--label", "zone"]].concat(), 2, "expected KEY=VALUE"),
        (&[&with_token[..], &["--label", "a b=c"]].concat(), 2, "invalid value 'a b=c'"),
        (&[&with_token[..], &["--name", "a/b"]].concat(), 2, "invalid value 'a/b'"),
        (&[&with_token[..], &["--kill-grace", "2h"]].concat(), 2, "kill grace"),
        (&[&with_token[..], &["list"]].concat(), 2, "cannot be used with"),
        (&["--server", "nowhere", "--token-file", &token], 2, "say --server http://HOST:PORT"),
        (&[&with_token[..], &["--server", "nowhere"]].concat(), 2, "\"nowhere\" is not an address"),
        (&["--server", "http://ms.example.org", "--token-file", &token], 2, "--allow-plain-http"),
        (&server, 5, "error[token.none]"),
        (&["--server", "http://127.0.0.1:1", "--token-file", "none"], 5, "error[token.unreadable]"),
        (&["--server", "http://127.0.0.1:1", "--token-file", &empty], 5, "error[token.empty]"),
        (&[], 6, "error[server.none]"),
    ];
    for (arguments, code, part) in cases {
        let ended = program.run(&[&["worker"], *arguments].concat());
        assert_eq!(ended.code, *code, "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains(part), "{arguments:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "", "{arguments:?}");
    }
}

#[test]
fn a_worker_that_is_refused_says_why_and_ends() {
    let program = Program::new();
    let server = Canned::start(|_| problem(403, "worker.queue", "the token is not for the queue build"));
    let refused = asked(&program, &server, &["worker", "--queues", "build", "--log", "error"]);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert!(refused.stderr.contains("error[worker.queue]: the token is not for the queue build"), "{refused:?}");
    assert_eq!(server.asked()[0].token, format!("Bearer {TOKEN}"));
}

const WORKERS: &str = r#"[
    {"id": "0198", "name": "north", "queues": ["a", "b"], "slots": 4, "running": 1, "labels": {"zone": "n"},
     "version": "mainspring 0.1.0", "node": "one", "joined_at": "2026-01-01T00:00:00Z", "heard_at": "2026-01-02T00:00:00Z"},
    {"id": "0199", "name": "south", "queues": ["a"], "slots": 1, "running": 0,
     "joined_at": "2026-01-01T00:00:00Z", "heard_at": "2026-01-02T00:00:00Z"}]"#;

#[test]
fn workers_are_listed_and_shown_by_id_or_name() {
    let program = Program::new();
    let server = Canned::start(|_| json(200, WORKERS));
    let list = asked(&program, &server, &["worker", "list"]);
    assert_eq!((list.code, list.stdout.lines().count()), (0, 3), "{list:?}");
    assert!(list.stdout.contains("a, b") && list.stdout.contains("1/4"), "{list:?}");
    let names = asked(&program, &server, &["worker", "list", "-o", "name"]).stdout;
    assert_eq!(names, "0198\n0199\n");
    for wanted in ["north", "0198"] {
        let shown = asked(&program, &server, &["worker", "show", wanted]);
        assert!(shown.stdout.contains("zone=n") && !shown.stdout.contains("0199"), "{shown:?}");
    }
    let missing = asked(&program, &server, &["worker", "show", "nroth"]);
    assert_eq!(missing.code, 3, "{missing:?}");
    assert!(missing.stderr.contains("error[worker.not_found]") && missing.stderr.contains("\"north\""), "{missing:?}");
}

#[test]
fn a_worker_is_drained_by_name_until_it_executes_nothing() {
    let program = Program::new();
    let worker = |draining: bool, running: u32| {
        format!(
            r#"{{"id": "0198", "name": "north", "queues": ["a"], "slots": 4, "running": {running}, "draining": {draining},
            "clock_offset_ms": -12, "joined_at": "2026-01-01T00:00:00Z", "heard_at": "2026-01-02T00:00:00Z"}}"#
        )
    };
    let server = Canned::start(move |line| match line {
        "GET /api/v1/workers" => json(200, format!("[{}]", worker(true, 1))),
        "POST /api/v1/workers/0198/drain" => json(200, worker(true, 1)),
        "POST /api/v1/workers/0198/undrain" => json(200, worker(false, 0)),
        // It has ended meanwhile.
        _ => json(200, worker(true, 0)),
    });
    let list = asked(&program, &server, &["worker", "list"]);
    assert!(list.stdout.contains("draining") && list.stdout.contains("-12ms"), "{list:?}");
    let at_once = asked(&program, &server, &["worker", "drain", "north", "--reason", "new disk"]);
    assert_eq!(
        (at_once.code, at_once.stdout.as_str()),
        (0, "north drains: it goes on with 1 run, and takes nothing new\n")
    );
    let sent: serde_json::Value = serde_json::from_str(&server.asked().last().unwrap().body).unwrap();
    assert_eq!(sent["reason"], "new disk");
    let waited = asked(&program, &server, &["worker", "drain", "0198", "--wait"]);
    assert_eq!((waited.code, waited.stdout.as_str()), (0, "north drains, and executes nothing\n"));
    let back = asked(&program, &server, &["worker", "undrain", "north"]);
    assert_eq!((back.code, back.stdout.as_str()), (0, "north takes runs again\n"));
    let missing = asked(&program, &server, &["worker", "drain", "nroth"]);
    assert_eq!(missing.code, 3, "{missing:?}");
}

#[test]
fn a_token_is_printed_once_and_alone_on_stdout() {
    let program = Program::new();
    let server = Canned::start(|line| match line.split(' ').next() {
        Some("POST") => json(
            201,
            r#"{"name": "build-7", "queues": ["build"], "created_at": "2026-01-01T00:00:00Z", "token": "msw_secret"}"#,
        ),
        Some("DELETE") => (204, "text/plain", String::new()),
        _ => json(200, r#"[{"name": "guest", "queues": [], "created_at": "2026-01-01T00:00:00Z"}]"#),
    });
    let create =
        ["worker", "token", "create", "build-7", "--queues", "build", "--expires", "2999-12-31", "--tz", "utc"];
    let made = asked(&program, &server, &create);
    assert_eq!((made.code, made.stdout.as_str()), (0, "msw_secret\n"), "{made:?}");
    assert!(made.stderr.contains("shown only here"), "{made:?}");
    let sent: serde_json::Value = serde_json::from_str(&server.asked()[0].body).unwrap();
    assert_eq!(
        sent,
        serde_json::json!({"name": "build-7", "queues": ["build"], "expires_at": "2999-12-31T00:00:00.000Z"})
    );
    let list = asked(&program, &server, &["worker", "token", "list"]);
    assert!(list.stdout.contains("guest") && list.stdout.contains("all"), "{list:?}");
    assert_eq!(asked(&program, &server, &["worker", "token", "revoke", "guest"]).code, 0);
    assert_eq!(server.lines().last().unwrap(), "DELETE /api/v1/worker-tokens/guest");
    let past = asked(&program, &server, &["worker", "token", "create", "x", "--expires", "2020-01-01"]);
    assert_eq!(past.code, 2, "{past:?}");
    assert!(past.stderr.contains("has passed"), "{past:?}");
}
