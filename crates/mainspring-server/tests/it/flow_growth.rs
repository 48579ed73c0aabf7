//! What holds of lists and mappings of job files holds of those of flows.

use mainspring_api::{ErrorCode, FlowSpec, Limits, Problem, flow_json_schema, read_body};
use mainspring_server::convert;
use serde_json::{Map, Value, json};

use crate::growth::{Collection, collections, grows_little};

/// Items of the largest flow that is tried.
const TRIED_MAX: u64 = 8_000;

#[test]
fn every_collection_of_a_flow_has_a_bound_that_is_checked() {
    for Collection { name, bound } in collections(&flow_json_schema()) {
        let bound = bound.unwrap_or_else(|| panic!("{name} has no maxItems or maxProperties"));
        let too_many = |count| -> Vec<Problem> {
            let problems = read(&document(&name, count)).err().unwrap_or_default();
            problems.into_iter().filter(|problem| problem.code == ErrorCode::FieldTooMany.as_str()).collect()
        };
        assert!(!too_many(bound + 1).is_empty(), "{name}");
        assert_eq!(too_many(bound), [], "{name}");
    }
}

#[test]
fn work_on_a_flow_grows_little_faster_than_its_parts() {
    for Collection { name, bound } in collections(&flow_json_schema()) {
        let most = bound.unwrap_or(TRIED_MAX).min(TRIED_MAX);
        grows_little(&name, most, |count| document(&name, count), |it| drop(read(it)));
    }
}

/// Names that nobody knows are compared with those that are there, a few of them only.
#[test]
fn work_on_a_flow_grows_little_faster_than_what_is_wrong_with_it() {
    let strangers = |count: u64| {
        let connection = |index: u64| json!({"from": format!("xomponent-{index}"), "to": format!("yomponent-{index}")});
        let connections: Vec<Value> = (0..count).map(connection).collect();
        json!({"flow": "f", "components": mapping("component-", count, log()), "connections": connections})
    };
    let loose = |count: u64| json!({"flow": "f", "components": mapping("c", count, json!({"run": "x"}))});
    // A component has so many relationships, and each of its connections as many that it does not have.
    let unknown = |count: u64| {
        let names: Vec<String> = (0..100).map(|it| format!("x{it}")).collect();
        let connections: Vec<Value> =
            (0..count / 40).map(|_| json!({"from": "a", "to": "b", "relationships": names})).collect();
        json!({"flow": "f", "components": {"a": route(100), "b": log()}, "connections": connections})
    };
    grows_little("unknown components", 4_000, strangers, |it| drop(read(it)));
    grows_little("loose relationships", TRIED_MAX, loose, |it| drop(read(it)));
    grows_little("unknown relationships", TRIED_MAX, unknown, |it| drop(read(it)));
}

/// Reads a flow as the server does.
fn read(document: &Value) -> Result<(), Vec<Problem>> {
    let flow: FlowSpec = read_body(&serde_json::to_vec(document).unwrap(), Limits::APPLY)?;
    convert::flow(&flow, "UTC", "2026-01-01T00:00:00Z".parse().unwrap()).map(drop)
}

fn log() -> Value {
    json!({"log": {}, "end": "success"})
}

/// A component with so many relationships.
fn route(count: u64) -> Value {
    let way = |index| json!({"to": format!("r{index}"), "if": "${{ true }}"});
    json!({"route": (0..count).map(way).collect::<Vec<_>>()})
}

fn mapping(prefix: &str, count: u64, value: Value) -> Value {
    (0..count).map(|index| (format!("{prefix}{index}"), value.clone())).collect::<Map<_, _>>().into()
}

/// A flow in which a collection has so many items. A new collection needs a line here.
fn document(name: &str, count: u64) -> Value {
    let list = |prefix: &str| -> Value { (0..count).map(|index| Value::from(format!("{prefix}{index}"))).collect() };
    let of = |component: Value| json!({"flow": "f", "components": {"a": component}});
    let process = |member: &str, value: Value| of(json!({"run": "x", "end": ["success", "failure"], member: value}));
    let connected = |member: &str, value: Value| {
        let connection = json!({"from": "a", "to": "b", member: value});
        json!({"flow": "f", "components": {"a": route(count.min(1_000)), "b": log()}, "connections": [connection]})
    };
    let http = |member: &str, value: Value| {
        of(json!({"http": {"url": "http://h/", member: value}, "end": ["success", "failure"]}))
    };
    match name {
        // In a circle, which is one group of all.
        "FlowSpec.components" => {
            let connection = |index| json!({"from": format!("c{index}"), "to": format!("c{}", (index + 1) % count)});
            let connections: Vec<Value> = (0..count).map(connection).collect();
            json!({"flow": "f", "components": mapping("c", count, json!({"log": {}})), "connections": connections})
        }
        // Each component with each other one.
        "FlowSpec.connections" => {
            let side = count.isqrt() + 1;
            let connection = |it: u64| json!({"from": format!("c{}", it / side), "to": format!("c{}", it % side)});
            let connections: Vec<Value> = (0..count).map(connection).collect();
            json!({"flow": "f", "components": mapping("c", side, json!({"log": {}})), "connections": connections})
        }
        "ComponentSpec.end" => process("end", list("r")),
        "ComponentSpec.env" => process("env", mapping("k", count, "v".into())),
        "ComponentSpec.exec" => of(json!({"exec": list("x"), "end": ["success", "failure"]})),
        "ComponentSpec.route" => of(route(count)),
        "ConnectionSpec.prioritizers" => connected("prioritizers", (0..count).map(|_| Value::from("newest")).collect()),
        "ConnectionSpec.relationships" => connected("relationships", list("r")),
        "GenerateSpec.attributes" => {
            of(json!({"generate": {"payload": "x", "attributes": mapping("k", count, "v".into())}, "end": "success"}))
        }
        "HttpTask.expect" => http("expect", (0..count).map(|index| Value::from(200 + index % 300)).collect()),
        "HttpTask.headers" => http("headers", mapping("k", count, "v".into())),
        "RetrySpec.relationships" => process("retry", json!({"relationships": list("r")})),
        "ScriptSpec.args" => of(
            json!({"script": {"language": "shell", "source": "x", "args": list("x")}, "end": ["success", "failure"]}),
        ),
        other => panic!("say here how a flow with many items of {other} looks"),
    }
}
