//! Every answer that a test gets is compared with the description of the API.

use std::sync::{Arc, LazyLock, Mutex};

use mainspring_server::{Inspect, Inspected, openapi};
use serde_json::{Value, json};

static DOCUMENT: LazyLock<Value> = LazyLock::new(openapi);

/// The answers of a server that are not as described. Fails the test when it goes and there are any.
#[derive(Clone, Default)]
pub struct Answers(Arc<Mutex<Vec<String>>>);

impl Answers {
    /// What looks at the answers.
    pub fn inspect(&self) -> Inspect {
        let found = Arc::clone(&self.0);
        Inspect::new(move |answer| found.lock().unwrap().extend(differences(answer)))
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        let found = std::mem::take(&mut *self.0.lock().unwrap());
        if !std::thread::panicking() {
            assert!(found.is_empty(), "answers that are not as described:\n{}", found.join("\n"));
        }
    }
}

fn differences(answer: Inspected<'_>) -> Vec<String> {
    let Inspected { method, route, status, media_type, body } = answer;
    let what = format!("{method} {route} {status}");
    // XXL-JOB's own: its protocol, and the forms of its console.
    let is_form =
        route.ends_with("/{action}") || matches!(route, "/login" | "/xxl-job-admin/login" | "/xxl-job-admin/logout");
    if route.ends_with("/api/{method}") || is_form {
        // That is XXL-JOB's protocol, and not our API.
        return Vec::new();
    }
    let operation = &DOCUMENT["paths"][route][method.to_lowercase()];
    if !operation.is_object() {
        // A method that the path does not take is refused by the router.
        return if status == 405 { Vec::new() } else { vec![format!("{what}: not described")] };
    }
    let answers = &operation["responses"];
    let described = answers.get(status.to_string()).or_else(|| answers.get("default").filter(|_| status >= 400));
    let Some(described) = described else { return vec![format!("{what}: the status is not described")] };
    let schema = &described["content"][media_type]["schema"];
    if schema.is_null() {
        return vec![format!("{what}: no {media_type} is described")];
    }
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return vec![format!("{what}: no JSON")] };
    let mut found = Vec::new();
    check(schema, &value, "", &mut found);
    found.into_iter().map(|difference| format!("{what}: {difference}")).collect()
}

/// Compares a value with a schema, as far as ours go.
fn check(schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    if let Some(target) = schema["$ref"].as_str() {
        let target = DOCUMENT.pointer(target.trim_start_matches('#')).expect("references lead somewhere");
        return check(target, value, place, found);
    }
    for (key, least) in [("oneOf", 1), ("anyOf", 1), ("allOf", usize::MAX)] {
        let Some(branches) = schema[key].as_array() else { continue };
        let fits = |branch: &&Value| {
            let mut wrong = Vec::new();
            check(branch, value, place, &mut wrong);
            wrong.is_empty()
        };
        let fitting = branches.iter().filter(fits).count();
        if fitting < least.min(branches.len()) || (key == "oneOf" && fitting > 1) {
            found.push(format!("{place}: {value} fits {fitting} of {key}"));
        }
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        found.push(format!("{place}: {value} is none of {words:?}"));
    }
    if !has_type(&schema["type"], value) {
        found.push(format!("{place}: {value} is not of type {}", schema["type"]));
    }
    match value {
        Value::Object(members) => {
            let known = schema["properties"].as_object();
            for (name, value) in members {
                let place = format!("{place}/{name}");
                match (known.and_then(|known| known.get(name)), &schema["additionalProperties"]) {
                    (Some(schema), _) => check(schema, value, &place, found),
                    (None, Value::Bool(false)) => found.push(format!("{place}: is not described")),
                    // What a type does not list, clients in other languages never see.
                    (None, Value::Null) if known.is_some() => found.push(format!("{place}: is not described")),
                    (None, others) if others.is_object() => check(others, value, &place, found),
                    (None, _) => {}
                }
            }
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            found.extend(
                required.filter(|name| !members.contains_key(*name)).map(|name| format!("{place}/{name}: is missing")),
            );
        }
        Value::Array(items) if schema["items"].is_object() => {
            for (index, item) in items.iter().enumerate() {
                check(&schema["items"], item, &format!("{place}/{index}"), found);
            }
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            let bound = |key: &str| schema[key].as_f64();
            if bound("minimum").is_some_and(|least| number < least)
                || bound("maximum").is_some_and(|most| number > most)
            {
                found.push(format!("{place}: {value} is beyond its bounds"));
            }
        }
        _ => {}
    }
}

fn has_type(described: &Value, value: &Value) -> bool {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |word: &Value| word == found || (word == "number" && found == "integer");
    match described {
        Value::Null => true,
        Value::Array(words) => words.iter().any(fits),
        word => fits(word),
    }
}

#[test]
fn an_answer_that_differs_is_noticed() {
    let look = |route, body: Value| {
        let body = serde_json::to_vec(&body).unwrap();
        let media_type = "application/json";
        differences(Inspected { method: "GET", route, status: 200, media_type, body: &body })
    };
    let queue = json!({"name": "q", "paused": false, "queued": 0, "running": 0, "workers": 0});
    let route = "/api/v1/queues/{queue}";
    assert_eq!(look(route, queue.clone()), Vec::<String>::new());
    for (name, value, difference) in [
        ("queued", json!("many"), "/queued: \"many\" is not of type"),
        ("queued", json!(-1), "/queued: -1 is beyond its bounds"),
        ("colour", json!("red"), "/colour: is not described"),
    ] {
        let mut wrong = queue.clone();
        wrong[name] = value;
        assert!(look(route, wrong).concat().contains(difference), "{name}");
    }
    assert!(look(route, json!({"name": "q"})).concat().contains("/workers: is missing"));
    assert!(look("/nowhere", json!({})).concat().contains("not described"));
}
