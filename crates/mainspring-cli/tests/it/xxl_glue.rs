//! `mainspring xxl glue`, against a port that answers as it is told.

use serde_json::{Value, json};

use crate::program::Program;
use crate::recorder::{Act, Heard, Recorder};

#[test]
fn a_rollback_replaces_no_script_that_was_saved_after_it_was_looked_at() {
    let program = Program::new();
    let server = Recorder::start().unwrap();
    let told =
        |body: &Value| Act::Answer(200, vec![("content-type".into(), "application/json".into())], body.to_string());
    let at = "2026-11-27T00:00:00Z";
    let job = json!({"id": "1", "namespace": "default", "name": "a", "version": 4, "spec": {"name": "a"}, "paused": false,
        "active_runs": 0, "created_at": at, "updated_at": at});
    let version =
        json!({"version": 2, "language": "shell", "source": "date", "bytes": 4, "saved_at": at, "glue_updatetime": 77});
    let roll_back = |more: &[&str]| {
        let token = program.file("token", "secret");
        let to = ["--server", &server.url(), "--token-file", &token];
        let ended = program.run(&[&["xxl", "glue", "rollback", "a", "2"], more, &to].concat());
        assert_eq!(ended.code, 0, "{ended:?}");
        let asked = server.until(|heard: &Heard| heard.method == "POST");
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        (asked.header("if-match").map(str::to_owned), body["glue_updatetime"].clone())
    };
    server.then(told(&job)).then(told(&version)).then(told(&version));
    assert_eq!(roll_back(&[]), (Some("\"4\"".to_owned()), json!(77)), "what it has seen is said");
    server.then(told(&job)).then(told(&version));
    assert_eq!(roll_back(&["--glue-updatetime", "78"]), (Some("\"4\"".to_owned()), json!(78)));
}
