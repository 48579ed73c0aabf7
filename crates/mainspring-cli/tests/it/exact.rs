//! Numbers and parameters arrive as they were written, or are refused where they enter.

use crate::live::{Live, until};
use crate::program::Program;

const LONG: &str = "123456789012345678901234567890";
const MOST: &str = "18446744073709551615";

const JOBS: &str = r#"
jobs:
  - name: say
    params: {p: {}, n: {type: number}}
    run: printf '%s' "$MS_PARAM_P"
  - name: out
    params: {text: {type: string}}
    run: printf '{"n":%s}' "$MS_PARAM_TEXT" > "$MS_OUTPUT"
  - name: keep
    keep_data: true
    params: {text: {type: string}}
    run: printf '{"n":%s}' "$MS_PARAM_TEXT" > "$MS_DATA"
"#;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_was_typed_reaches_the_shell_as_typed() {
    let program = Program::new();
    program.file("jobs.yaml", JOBS);
    let _live = Live::start(&program);
    assert_eq!(program.run(&["apply", "jobs.yaml"]).code, 0);
    for typed in ["1.10", "1e3", "-0", "007", LONG, "true", "null", "{}"] {
        let started = program.run(&["run", "start", "say", "-p", &format!("p={typed}"), "-o", "name"]);
        let id = started.stdout.trim().to_owned();
        until(&program, &["run", "get", &id, "-o", "json"], |it| it.stdout.contains("\"succeeded\""));
        assert_eq!(program.run(&["logs", &id]).stdout.trim_end(), typed);
    }
}

#[test]
fn numbers_are_kept_exactly_or_refused_through_every_door() {
    let program = Program::new();
    program.file("jobs.yaml", JOBS);
    let _live = Live::start(&program);
    assert_eq!(program.run(&["apply", "jobs.yaml"]).code, 0);
    let ended = |job: &str, text: &str| {
        let started = program.run(&["run", "start", job, "-p", &format!("text={text}"), "-o", "name"]);
        let id = started.stdout.trim().to_owned();
        let final_states = ["\"succeeded\"", "\"failed\""];
        let get = ["run", "get", &id, "-o", "json"];
        json(&until(&program, &get, |it| final_states.iter().any(|state| it.stdout.contains(state))).stdout)
    };

    let kept = ended("out", MOST);
    assert_eq!(kept["output"].to_string(), format!("{{\"n\":{MOST}}}"));
    let refused = ended("out", LONG);
    assert_eq!(refused["state"], "failed", "{refused}");
    assert!(refused["reason"].to_string().contains(LONG), "{refused}");

    assert_eq!(ended("keep", MOST)["state"], "succeeded");
    let data = program.run(&["job", "data", "get", "keep", "-o", "json"]).stdout;
    assert_eq!(json(&data)["data"].to_string(), format!("{{\"n\":{MOST}}}"));
    assert_eq!(ended("keep", LONG)["state"], "failed");
    assert_eq!(program.run(&["job", "data", "get", "keep", "-o", "json"]).stdout, data);

    let long = format!("{{\"n\": {LONG}}}");
    for arguments in [
        &["job", "data", "set", "keep", &long][..],
        &["run", "start", "say", "--input", &long],
        &["run", "start", "say", "-p", &format!("n={LONG}")],
        &["run", "start", "say", "-p", "n=0.12345678901234567890123"],
    ] {
        let refused = program.run(arguments);
        assert_eq!(refused.code, 9, "{arguments:?}: {refused:?}");
        assert!(refused.stderr.contains("does not fit 64 bits exactly"), "{refused:?}");
    }
}

#[test]
fn keys_that_one_object_has_twice_are_refused_through_every_door() {
    const TWICE: &str = r#"{"n": {"a": 1, "a": 2}}"#;
    let program = Program::new();
    program.file("jobs.yaml", JOBS);
    let _live = Live::start(&program);
    assert_eq!(program.run(&["apply", "jobs.yaml"]).code, 0);
    for job in ["out", "keep"] {
        let text = r#"text={"a": 1, "a": 2}"#;
        let started = program.run(&["run", "start", job, "-p", text, "-o", "name"]);
        let id = started.stdout.trim().to_owned();
        let ended = until(&program, &["run", "get", &id, "-o", "json"], |it| it.stdout.contains("\"failed\""));
        assert!(ended.stdout.contains("is written twice"), "{ended:?}");
    }
    for arguments in [
        ["job", "data", "set", "keep", TWICE].as_slice(),
        &["run", "start", "say", "--input", TWICE],
        &["run", "start", "say", "-p", "n=[{\"a\":1,\"a\":2}]"],
    ] {
        let refused = program.run(arguments);
        assert_eq!(refused.code, 9, "{arguments:?}: {refused:?}");
        assert!(refused.stderr.contains("the key \"a\" is written twice"), "{refused:?}");
    }
}
