//! Whatever a body holds, the server does not fail.

use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::kit::Running;

/// One server for all cases.
fn shared() -> &'static (Runtime, Running) {
    static SHARED: OnceLock<(Runtime, Running)> = OnceLock::new();
    SHARED.get_or_init(|| {
        let runtime = Runtime::new().unwrap();
        let running = runtime.block_on(Running::start());
        (runtime, running)
    })
}

fn targets() -> impl Strategy<Value = (&'static str, &'static str)> {
    select(vec![
        ("PUT", "/api/v1/namespaces/fuzz/jobs/a"),
        ("PATCH", "/api/v1/namespaces/fuzz/jobs/a"),
        ("PUT", "/api/v1/namespaces/fuzz/calendars/a"),
        ("PUT", "/api/v1/namespaces/fuzz"),
        ("POST", "/api/v1/namespaces/fuzz/jobs/a/run"),
        ("POST", "/api/v1/namespaces/fuzz/jobs/a/pause"),
        ("POST", "/api/v1/runs/0/cancel"),
        ("POST", "/api/v1/apply"),
        ("POST", "/api/v1/apply?prune=true"),
        ("POST", "/api/v1/schedules/preview"),
    ])
}

/// Any JSON, made of the keys and words that mean something.
fn any_json() -> impl Strategy<Value = Value> {
    let word = select(vec![
        "a",
        "",
        "@daily",
        "0 0 31 2 *",
        "* * * * * ? *",
        "90s",
        "99999999999999w",
        "UTC",
        "Europe/Berlin",
        "2026-03-29 02:30",
        "9999-12-31T23:59:59Z",
        "-9999-01-01T00:00:00Z",
        "smart",
        "hold",
        "second",
        "00:00",
        "mon",
        "12-25",
        "\u{0}",
        "\u{202e}",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_u32..40).prop_map(Value::from),
        any::<f64>().prop_map(|n| json!(n)),
        word.prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    let key = select(vec![
        "name",
        "namespace",
        "jobs",
        "calendars",
        "schedule",
        "triggers",
        "trigger",
        "cron",
        "every",
        "at",
        "delay",
        "daily_window",
        "calendar_interval",
        "timezone",
        "calendar",
        "misfire",
        "start_at",
        "end_at",
        "jitter",
        "repeat_count",
        "semantics",
        "run",
        "exec",
        "http",
        "url",
        "noop",
        "handler",
        "input",
        "params",
        "env",
        "labels",
        "timeout",
        "retries",
        "overlap",
        "max_active",
        "weekly",
        "holiday",
        "annual",
        "monthly",
        "daily",
        "from",
        "to",
        "unit",
        "days",
        "base",
        "count",
        "after",
        "until",
        "reason",
        "priority",
        "paused",
        "queue",
    ]);
    leaf.prop_recursive(5, 60, 8, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A body that is right, with one thing changed.
fn mutated() -> impl Strategy<Value = Value> {
    let job = json!({
        "name": "a", "description": "x", "labels": {"k": "v"}, "run": "true", "input": {"a": 1}, "env": {"A": "b"},
        "queue": "q", "priority": 3, "timeout": "90s", "retries": 2, "retry_delay": "5s", "overlap": "queue_one", "max_active": 2,
        "on_lost": "retry", "params": {"p": {"type": "string", "default": "x"}},
        "triggers": [
            {"name": "c", "cron": "0 30 2 ? * 6L", "timezone": "Europe/Berlin", "calendar": "days", "misfire": "do_nothing"},
            {"name": "e", "every": "10m", "repeat_count": 3, "start_at": "2026-01-01", "end_at": "2031-01-01", "jitter": "5s"},
            {"name": "i", "calendar_interval": {"every": 2, "unit": "month", "preserve_hour": true, "skip_missing_hour": true}},
            {"name": "w", "daily_window": {"every": "15m", "from": "08:00", "to": "17:00", "days": ["mon"]}},
            {"name": "d", "delay": "10 sec"},
            {"name": "o", "at": "2031-01-01 00:00", "semantics": "quartz"},
        ],
    });
    let bundle = json!({
        "namespace": "fuzz",
        "calendars": [{"name": "days", "weekly": ["sun"], "base": "more"}, {"name": "more", "annual": ["12-25"]}],
        "jobs": [job],
    });
    let preview = json!({"trigger": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}, "after": "2026-01-01T00:00:00Z", "count": 50});
    (select(vec![job.clone(), bundle, preview]), any::<prop::sample::Index>(), any_json()).prop_map(
        |(mut body, at, value)| {
            let mut pointers = Vec::new();
            collect(&body, String::new(), &mut pointers);
            if let Some(place) = body.pointer_mut(at.get(&pointers).as_str()) {
                *place = value;
            }
            body
        },
    )
}

fn collect(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, inner)| collect(inner, format!("{pointer}/{key}"), pointers))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, inner)| collect(inner, format!("{pointer}/{index}"), pointers))
        }
        _ => {}
    }
    pointers.push(pointer);
}

/// Sends a body, and holds that the answer blames the caller or is fine.
fn try_body((method, path): (&str, &str), body: Vec<u8>) -> Result<(), TestCaseError> {
    let (runtime, running) = shared();
    let shown = String::from_utf8_lossy(&body).into_owned();
    runtime.block_on(async {
        let request = running.request(method, path).header("Content-Type", "application/json").body(body);
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let media = answer.headers().get("content-type").map(|value| value.to_str().unwrap().to_owned());
        let text = answer.text().await.unwrap();
        prop_assert!(status < 500, "{method} {path} {status} for {shown}: {text}");
        if status >= 400 {
            prop_assert_eq!(media.as_deref(), Some("application/problem+json"));
            let problem: Value = serde_json::from_str(&text).unwrap();
            let code = problem["code"].as_str().unwrap();
            prop_assert!(mainspring_api::ErrorCode::parse(code).is_some(), "{code}");
        }
        Ok(())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_make_the_server_fail(target in targets(), body in proptest::collection::vec(any::<u8>(), 0..200)) {
        try_body(target, body)?;
    }

    #[test]
    fn arbitrary_json_never_makes_the_server_fail(target in targets(), body in any_json()) {
        try_body(target, body.to_string().into_bytes())?;
    }

    #[test]
    fn nearly_right_bodies_never_make_the_server_fail(target in targets(), body in mutated()) {
        try_body(target, body.to_string().into_bytes())?;
    }

    #[test]
    fn arbitrary_queries_and_paths_never_make_the_server_fail(path in "[a-z%/.0-9~-]{0,20}", query in "[a-z_=&%0-9+.-]{0,30}") {
        for base in ["/api/v1/namespaces/fuzz/", "/api/v1/runs/", "/api/v1/next", "/api/v1/namespaces/fuzz/runs"] {
            try_body(("GET", &format!("{base}{path}?{query}")), Vec::new())?;
        }
    }
}
