//! No list or mapping of a document may cost more than its size: each has a bound, which is checked before anything is done with
//! what is inside, and the work grows little faster than the number of items.

use std::time::Duration;

use mainspring_api::{Bundle, ErrorCode, JobSpec, Limits, Problem, json_schema, read_body};
use mainspring_server::convert::{self, Known, Surroundings};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};

/// Items of the largest document that is tried: enough to tell squares from lines, and read in a moment.
const TRIED_MAX: u64 = 1_600;
/// From a quarter of the items to all of them, work that grows with n log n grows by little more than four; by sixteen, if each
/// item is compared with each other one.
const GROWTH_MAX: u32 = 10;
/// Shorter work tells nothing about growth.
const TELLING: Duration = Duration::from_millis(4);

/// A collection of the schema: type and member, such as `JobSpec.labels`, and its bound.
pub(super) struct Collection {
    pub(super) name: String,
    pub(super) bound: Option<u64>,
}

#[test]
fn every_collection_has_a_bound_that_is_checked() {
    for Collection { name, bound } in collections(&json_schema()) {
        let bound = bound.unwrap_or_else(|| panic!("{name} has no maxItems or maxProperties"));
        if bound > 10_000 {
            continue;
        }
        let problems = read(&document(&name, bound + 1)).unwrap_err();
        let codes: Vec<_> = problems.iter().map(|problem| problem.code.as_str()).collect();
        assert!(codes.contains(&ErrorCode::FieldTooMany.as_str()), "{name}: {problems:?}");
        let problems = read(&document(&name, bound)).err().unwrap_or_default();
        assert!(
            problems.iter().all(|problem| problem.code != ErrorCode::FieldTooMany.as_str()),
            "{name}: {problems:?}"
        );
    }
}

#[test]
fn work_grows_little_faster_than_a_collection() {
    for Collection { name, bound } in collections(&json_schema()) {
        let most = bound.unwrap_or(TRIED_MAX).min(TRIED_MAX);
        grows_little(&name, most, |count| document(&name, count), |it| drop(read(it)));
    }
}

/// Work on a document grows little faster than its items do.
pub(super) fn grows_little(name: &str, most: u64, document: impl Fn(u64) -> Value, read: impl Fn(&Value)) {
    let (few, many) = (document(most / 4), document(most));
    let (few, many) = (cost(&few, &read), cost(&many, &read));
    assert!(many < TELLING || many < few * GROWTH_MAX, "{name}: {few:?} for {}, {many:?} for {most}", most / 4);
}

#[test]
fn many_triggers_with_one_kind_get_names_in_no_time() {
    let many: Vec<&str> = vec!["@daily"; 20_000];
    let spec: JobSpec = serde_json::from_value(json!({"name": "a", "noop": true, "schedule": many})).unwrap();
    let before = now();
    let triggers = spec.triggers_in_order();
    let spent = now() - before;
    assert_eq!(triggers[19_999].1.name.as_deref(), Some("cron-20000"));
    assert!(spent < Duration::from_secs(5), "{spent:?}");
}

/// The least of three measurements, of the processor's time that this thread has had.
fn cost(document: &Value, read: impl Fn(&Value)) -> Duration {
    let once = || {
        let before = now();
        read(document);
        now() - before
    };
    (0..3).map(|_| once()).min().unwrap()
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
}

/// Reads a bundle as the server does.
fn read(document: &Value) -> Result<(), Vec<Problem>> {
    let text = serde_json::to_vec(document).unwrap();
    let bundle: Bundle = read_body(&text, Limits::APPLY)?;
    let around = Surroundings {
        namespace: "default",
        timezone: "UTC",
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
        calendars: &|_, _| Known::Unknown,
        line: convert::NO_LINES,
    };
    convert::bundle(&bundle, &around).map(drop)
}

/// Every list and mapping that files of a schema may hold, but for what is any JSON.
pub(super) fn collections(schema: &str) -> Vec<Collection> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let mut found = Vec::new();
    let whole = (schema["title"].as_str().unwrap(), &schema);
    for (name, definition) in schema["$defs"].as_object().unwrap().iter().map(|(name, it)| (&**name, it)).chain([whole])
    {
        for (member, property) in definition["properties"].as_object().into_iter().flatten() {
            if is_collection(property) {
                let bound = property["maxItems"].as_u64().or(property["maxProperties"].as_u64());
                found.push(Collection { name: format!("{name}.{member}"), bound });
            }
        }
    }
    assert!(found.len() > 10, "the schema was not understood");
    found
}

fn is_collection(property: &Value) -> bool {
    let lists =
        property["type"] == "array" || property["type"].as_array().is_some_and(|it| it.contains(&json!("array")));
    let branches = property["anyOf"].as_array().into_iter().flatten();
    lists || property["additionalProperties"].is_object() || branches.into_iter().any(is_collection)
}

/// A bundle in which a collection has so many items. A new collection needs a line here.
fn document(name: &str, count: u64) -> Value {
    let list = |item: fn(u64) -> Value| Value::Array((0..count).map(item).collect());
    let mapping = |value: fn(u64) -> Value| -> Value {
        (0..count).map(|index| (format!("k{index}"), value(index))).collect::<Map<_, _>>().into()
    };
    let with = |member: &str, value: Value| json!({"jobs": [{"name": "a", "noop": true, member: value}]});
    let http =
        |member: &str, value: Value| json!({"jobs": [{"name": "a", "http": {"url": "http://h/", member: value}}]});
    let calendar = |member: &str, value: Value| json!({"calendars": [{"name": "c", member: value}]});
    let task = |beside: &str, what: Value, member: &str, value: Value| json!({"jobs": [{"name": "a", "tasks": {"t": {beside: what, member: value}}}]});
    match name {
        "Bundle.jobs" => {
            json!({"jobs": list(|index| json!({"name": format!("j{index}"), "noop": true, "schedule": "@daily"}))})
        }
        // The worst order: each stands on the one behind it.
        "Bundle.calendars" => {
            let item = |index| json!({"name": format!("c{index}"), "weekly": "sun", "base": format!("c{}", index + 1)});
            json!({"calendars": list(item)})
        }
        "Bundle.namespaces" => json!({"namespaces": list(|index| format!("n{index}").into())}),
        "JobSpec.schedule" => with("schedule", list(|_| "@daily".into())),
        "JobSpec.triggers" => with("triggers", list(|index| json!({"name": format!("t{index}"), "cron": "@daily"}))),
        "TriggerSpec.after" => with("schedule", json!({"after": list(|index| format!("j{index}").into())})),
        "JobSpec.exec" => json!({"jobs": [{"name": "a", "exec": list(|_| "x".into())}]}),
        "ScriptSpec.args" => {
            json!({"jobs": [{"name": "a", "script": {"language": "shell", "source": "x", "args": list(|_| "x".into())}}]})
        }
        "JobSpec.env" => json!({"jobs": [{"name": "a", "run": "x", "env": mapping(|_| "v".into())}]}),
        "JobSpec.labels" => with("labels", mapping(|_| "v".into())),
        "JobSpec.workers" => with("workers", mapping(|_| "v".into())),
        // Missing, so that there is a problem with each.
        "JobSpec.params" => {
            let given: Vec<Value> = (0..250).map(|_| json!({"cron": "@daily", "input": {"other": 1}})).collect();
            json!({"jobs": [{"name": "a", "noop": true, "schedule": given, "params": mapping(|_| json!({"required": true}))}]})
        }
        "JobSpec.retry_on" => {
            json!({"jobs": [{"name": "a", "run": "x", "retries": 1, "retry_on": list(|index| (index % 255 + 1).into())}]})
        }
        // The longest chain.
        "JobSpec.tasks" => {
            let task = |index: u64| match index {
                0 => json!({"noop": true}),
                _ => json!({"noop": true, "needs": format!("k{}", index - 1)}),
            };
            json!({"jobs": [{"name": "a", "tasks": mapping(task)}]})
        }
        // All needed by one, with one task each.
        "JobSpec.groups" => {
            let tasks: Map<_, _> = (0..count)
                .map(|index| (format!("t{index}"), json!({"noop": true, "group": format!("k{index}")})))
                .collect();
            json!({"jobs": [{"name": "a", "groups": mapping(|_| json!({})), "tasks": tasks}]})
        }
        "GroupSpec.needs" => {
            let mut tasks = mapping(|_| json!({"noop": true}));
            tasks["t"] = json!({"noop": true, "group": "g"});
            let needs = list(|index| format!("k{index}").into());
            json!({"jobs": [{"name": "a", "groups": {"g": {"needs": needs}}, "tasks": tasks}]})
        }
        "TaskSpec.needs" => {
            let mut tasks = mapping(|_| json!({"noop": true}));
            tasks["t"] = json!({"noop": true, "needs": list(|index| format!("k{index}").into())});
            json!({"jobs": [{"name": "a", "tasks": tasks}]})
        }
        "TaskSpec.matrix" => task("noop", true.into(), "matrix", mapping(|_| json!([1]))),
        "TaskSpec.outputs" => task("noop", true.into(), "outputs", list(|index| format!("o{index}").into())),
        "TaskSpec.exec" => task("queue", "q".into(), "exec", list(|_| "x".into())),
        "TaskSpec.env" => task("run", "x".into(), "env", mapping(|_| "v".into())),
        "TaskSpec.labels" => task("noop", true.into(), "labels", mapping(|_| "v".into())),
        "TaskSpec.workers" => task("noop", true.into(), "workers", mapping(|_| "v".into())),
        "TaskSpec.retry_on" => task("run", "x".into(), "retry_on", list(|index| (index % 255 + 1).into())),
        "TaskSpec.inputs" => task("workflow", "other".into(), "inputs", mapping(|_| 1.into())),
        "JobSpec.outputs" => {
            json!({"jobs": [{"name": "a", "tasks": {"t": {"noop": true}}, "outputs": mapping(|_| "x".into())}]})
        }
        "ApprovalSpec.from" => {
            task("needs", json!([]), "approval", json!({"prompt": "?", "from": list(|_| "ann".into())}))
        }
        "JobSpec.alerts" => with("alerts", list(|_| json!({"failed": true, "channels": ["ops"]}))),
        "AlertSpec.channels" => with("alerts", json!([{"failed": true, "channels": list(|_| "ops".into())}])),
        "AlertSpec.to" => {
            let to = list(|index| format!("a{index}@example.org").into());
            with("alerts", json!([{"failed": true, "channels": ["ops"], "to": to}]))
        }
        "ParamSpec.enum" => with("params", json!({"p": {"enum": list(Value::from)}})),
        "HttpTask.headers" => http("headers", mapping(|_| "v".into())),
        "HttpTask.expect" => http("expect", list(|index| (200 + index % 300).into())),
        "CalendarSpec.annual" => calendar("annual", list(|_| "12-25".into())),
        "CalendarSpec.holiday" => calendar("holiday", list(|index| format!("2026-12-{:02}", index % 28 + 1).into())),
        "CalendarSpec.monthly" => calendar("monthly", list(|index| (index % 31 + 1).into())),
        "CalendarSpec.weekly" => calendar("weekly", list(|_| "sun".into())),
        "DailyWindow.days" => {
            with("schedule", json!({"daily_window": {"every": "1h", "days": list(|_| "sun".into())}}))
        }
        other => panic!("say here how a document with many items of {other} looks"),
    }
}
