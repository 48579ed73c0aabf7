//! `mainspring xxl proxy` where something goes wrong around it: the server and the old admin are ports that answer as they are told.

use std::io::{Read, Write};
use std::net::TcpStream;

use mainspring_rig::Worker;
use mainspring_xxl::Address;
use serde_json::{Value, json};

use crate::program::Program;
use crate::recorder::{Act, Heard, Recorder};
use crate::wait;
use crate::xxl_proxy::start;

/// A proxy and what is around it.
struct Around {
    server: Recorder,
    admin: Recorder,
    address: Address,
    proxy: Worker,
    program: Program,
}

impl Around {
    fn new() -> Self {
        let (program, server, admin) = (Program::new(), Recorder::start().unwrap(), Recorder::start().unwrap());
        program.file("old", "secret\n");
        let token = program.file("token", "t");
        says(
            &server,
            &json!({"version": "1", "node": "n", "store": "memory", "default_timezone": "UTC", "tzdata": "2026a",
            "now": "2026-01-30T12:00:00.000Z", "started_at": "2026-01-30T12:00:00.000Z"}),
        );
        says(
            &server,
            &json!({"items": [{"id": "1", "namespace": "default", "name": "a", "version": 1,
            "spec": {"name": "a", "noop": true}, "paused": true, "active_runs": 0,
            "created_at": "2026-01-30T12:00:00.000Z", "updated_at": "2026-01-30T12:00:00.000Z"}]}),
        );
        let (proxy, address) = start(&program, (&server.url(), &token), &admin);
        Self { server, admin, address, proxy, program }
    }

    /// Sends a run as old admins do. Nobody has read the answer.
    fn send(&self) -> TcpStream {
        let (host, body) =
            (self.address.as_str().trim_start_matches("http://"), r#"{"jobId":7,"logId":1,"logDateTime":5}"#);
        let mut stream = TcpStream::connect(host).unwrap();
        let head = format!("POST /run HTTP/1.1\r\nHost: {host}\r\nXXL-JOB-ACCESS-TOKEN: secret\r\nConnection: close");
        write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream
    }

    /// The code with which the end of a run is reported.
    fn code(&self) -> Value {
        let end = self.admin.until(|heard| heard.path.ends_with("/callback"));
        serde_json::from_str::<Value>(&end.body).unwrap()[0]["handleCode"].clone()
    }
}

fn says(server: &Recorder, body: &Value) {
    server.then(Act::Answer(200, vec![("content-type".to_owned(), "application/json".to_owned())], body.to_string()));
}

fn run(state: &str) -> Value {
    json!({"id": "r", "namespace": "default", "job": "a", "job_version": 1, "origin": "api", "state": state,
        "created_at": "2026-01-30T12:00:00.000Z", "attempt": 1, "attempts_max": 1, "queue": "q", "priority": 5})
}

fn is_start(heard: &Heard) -> bool {
    heard.method == "POST"
}

#[test]
fn xxl_runs_that_go_on_are_not_reported_however_often_they_are_looked_at() {
    let around = Around::new();
    for state in ["queued", "running", "running", "scheduled", "succeeded"] {
        says(&around.server, &run(state));
    }
    let mut answer = String::new();
    around.send().read_to_string(&mut answer).unwrap();
    assert!(answer.contains(r#""code":200"#), "{answer}");
    assert_eq!(around.code(), 200);
    assert_eq!(around.proxy.stop().unwrap().code(), Some(0));
}

#[test]
fn xxl_runs_of_which_the_old_admin_hangs_up_are_reported() {
    let around = Around::new();
    around.server.then(Act::Hold);
    says(&around.server, &run("queued"));
    says(&around.server, &run("succeeded"));
    let asking = around.send();
    let first = around.server.until(is_start);
    drop(asking);
    assert_eq!(around.code(), 200);
    let again = around.server.until(is_start);
    assert_eq!(first.header("idempotency-key"), again.header("idempotency-key"), "it does not run twice");
    assert_eq!(around.proxy.stop().unwrap().code(), Some(0));
}

#[test]
fn xxl_ends_that_are_taken_are_not_said_again_where_the_disk_takes_nothing() {
    let around = Around::new();
    // The end is refused until the state cannot be written. A beat may take one of the refusals.
    (0..3).for_each(|_| {
        around.admin.then(Act::Answer(200, Vec::new(), r#"{"code":500}"#.to_owned()));
    });
    says(&around.server, &run("queued"));
    says(&around.server, &run("succeeded"));
    let _asking = around.send();
    assert_eq!(around.code(), 200);
    let state = around.program.home().join("xxl-proxy-mail.json");
    let obstacle = around.program.home().join("xxl-proxy-mail.json.new");
    std::fs::create_dir(&obstacle).unwrap();
    let is_said = || around.proxy.log().contains("the note that log 1 is over waits").then_some(()).ok_or("silence");
    wait::blocking("a word about the disk", is_said);
    around.admin.take();
    std::fs::remove_dir(&obstacle).unwrap();
    let is_noted = || {
        let text = std::fs::read_to_string(&state).unwrap();
        if text.contains(r#""open":[]"#) { Ok(()) } else { Err(text) }
    };
    wait::blocking("the note", is_noted);
    assert!(around.admin.take().iter().all(|heard| !heard.path.ends_with("/callback")), "it was taken before");
    assert_eq!(around.proxy.stop().unwrap().code(), Some(0));
}

#[test]
fn xxl_proxies_take_no_file_without_a_token() {
    let program = Program::new();
    let (token, old) = (program.file("token", "t"), program.file("old", "\nsecret\n"));
    let arguments = ["xxl", "proxy", "--old-admin", "http://127.0.0.1:1", "--app", "mail", "--old-token-file", &old];
    // Nobody is there: it ends also if it begins.
    let ended = program.run(&[&arguments[..], &["--server", "http://127.0.0.1:1", "--token-file", &token]].concat());
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stderr.contains("has no token in its first line"), "{ended:?}");
}
