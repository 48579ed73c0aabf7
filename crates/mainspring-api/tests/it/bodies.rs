//! Request bodies: any bytes get an answer.

use mainspring_api::{
    Bundle, CalendarSpec, HealthFilter, JobFilter, JobSpec, Limits, NamespaceSpec, PreviewRequest, ProblemDetails,
    Reason, RunNow, check_bundle, check_job, read_body, read_query,
};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn what_a_body_must_not_have_is_named() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("", &[("document.syntax", "")]),
        ("null", &[("field.type", "")]),
        ("[]", &[("field.type", "")]),
        (r#"{"name": "a", "name": "b"}"#, &[("document.duplicate_key", "/name")]),
        (r#"{"name": "a\u0000", "noop": true}"#, &[("document.nul", "/name")]),
        (r#"{"name": "\ud800", "noop": true}"#, &[("document.syntax", "")]),
        (r#"{"name": "a", "retries": 2.5}"#, &[("field.type", "/retries")]),
        (r#"{"name": "a", "retries": 99999999999999999999}"#, &[("document.unsupported", "/retries")]),
        (r#"{"name": "a", "x": 1, "y/z": 2}"#, &[("field.unknown", "/x"), ("field.unknown", "/y~1z")]),
    ];
    for (body, expected) in cases {
        let problems = read_body::<JobSpec>(body.as_bytes(), Limits::FILE).unwrap_err();
        let found: Vec<_> = problems.iter().map(|p| (p.code.as_str(), p.pointer.as_str())).collect();
        assert_eq!(found, *expected, "{body}");
    }
}

#[test]
fn whole_numbers_may_be_written_with_a_point() {
    for (text, retries) in [("3.0", 3), ("1e3", 1_000), ("-0.0", 0)] {
        let body = format!(r#"{{"name": "a", "noop": true, "retries": {text}, "input": {{"n": 3.0}}}}"#);
        let spec = read_body::<JobSpec>(body.as_bytes(), Limits::FILE).unwrap();
        assert_eq!((spec.retries, spec.input), (Some(retries), Some(json!({"n": 3.0}))), "{text}");
    }
}

#[test]
fn a_query_takes_no_null_for_what_is_left_out() {
    let pairs = |name: &str, text: &str| vec![(name.to_owned(), text.to_owned())];
    assert!(read_query::<HealthFilter>(pairs("verbose", "")).unwrap().verbose);
    for text in ["null", "0", "yes", "[]"] {
        assert!(read_query::<HealthFilter>(pairs("verbose", text)).is_err(), "verbose={text}");
        assert!(read_query::<JobFilter>(pairs("paused", text)).is_err(), "paused={text}");
    }
    assert!(read_query::<JobFilter>(pairs("limit", "null")).is_err());
    assert_eq!(read_query::<JobFilter>(pairs("name", "null")).unwrap().name.as_deref(), Some("null"), "a text");
}

/// Pointers and places are made of keys: a long one above many values must not take the memory of each of them.
#[test]
fn long_keys_are_refused_before_anything_is_made_of_them() {
    let zeros = vec!["0"; 90_000].join(",");
    let body = format!(r#"{{"name": "a", "noop": true, "input": {{"{}": [{zeros}]}}}}"#, "k".repeat(800_000));
    let problems = read_body::<JobSpec>(body.as_bytes(), Limits::FILE).unwrap_err();
    assert_eq!(problems[0].code, "document.key_too_long");
    let deep = format!(
        r#"{{"name": "a", "noop": true, "input": {}[{zeros}]{}}}"#,
        format!("{{\"{}\":", "k".repeat(1_024)).repeat(20),
        "}".repeat(20)
    );
    let spec = read_body::<JobSpec>(deep.as_bytes(), Limits::FILE).unwrap();
    assert!(spec.input.is_some());
}

#[test]
fn instants_in_bodies_are_checked() {
    let body = json!({"trigger": {"cron": "@daily"}, "after": "yesterday"}).to_string();
    let problems = read_body::<PreviewRequest>(body.as_bytes(), Limits::FILE).unwrap_err();
    assert_eq!((problems[0].code.as_str(), problems[0].pointer.as_str()), ("field.value", "/after"));
    assert!(problems[0].message.contains("RFC 3339"), "{problems:?}");
}

#[test]
fn a_large_apply_is_read_within_its_own_limits() {
    let job = |index: u32| JobSpec { name: format!("job-{index}"), run: Some("x".repeat(200)), ..JobSpec::default() };
    let bundle = Bundle { jobs: (0..10_000).map(job).collect(), ..Bundle::default() };
    let body = serde_json::to_vec(&bundle).unwrap();
    assert_eq!(read_body::<Bundle>(&body, Limits::FILE).unwrap_err()[0].code, "document.too_large");
    assert_eq!(read_body::<Bundle>(&body, Limits::APPLY).unwrap(), bundle);
}

/// Reads the bytes as every kind of body; whatever is refused must be answered with 4xx.
fn read_as_everything(body: &[u8]) {
    let answers = [
        read_body::<JobSpec>(body, Limits::FILE).map(|spec| drop((check_job(&spec), spec.triggers_in_order()))).err(),
        read_body::<Bundle>(body, Limits::FILE).map(|bundle| drop(check_bundle(&bundle))).err(),
        read_body::<CalendarSpec>(body, Limits::FILE).map(drop).err(),
        read_body::<NamespaceSpec>(body, Limits::FILE).map(drop).err(),
        read_body::<PreviewRequest>(body, Limits::FILE).map(drop).err(),
        read_body::<RunNow>(body, Limits::FILE).map(drop).err(),
        read_body::<Reason>(body, Limits::FILE).map(drop).err(),
    ];
    for problems in answers.into_iter().flatten() {
        let answer = ProblemDetails::invalid(problems);
        assert!((400..500).contains(&answer.status), "{answer:?}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any_key(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "name",
            "schedule",
            "triggers",
            "cron",
            "every",
            "daily_window",
            "days",
            "http",
            "expect",
            "params",
            "enum",
            "input",
            "env",
            "jobs",
            "calendars",
            "weekly",
            "monthly",
            "retention",
            "labels",
            "misfire",
            "overlap",
            "namespace",
            "trigger",
            "count",
            "after",
            "noop",
            "run",
            "tasks",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_get_an_answer(body in prop::collection::vec(any::<u8>(), 0..200)) {
        read_as_everything(&body);
    }

    #[test]
    fn any_text_of_json_characters_gets_an_answer(body in r#"[\[\]{}:,"\\u0-9a-f .+-]{0,100}"#) {
        read_as_everything(body.as_bytes());
    }

    #[test]
    fn any_json_gets_an_answer(value in any_json()) {
        read_as_everything(value.to_string().as_bytes());
    }
}
