//! The OpenAPI schemas of the wire types hold together.

use std::collections::BTreeSet;

use mainspring_api::*;
use serde_json::Value;
use utoipa::OpenApi;

#[derive(OpenApi)]
#[openapi(components(schemas(
    ApplyResult, Bundle, Calendar, Cluster, Event, Health, Job, LogPage, Namespace, NamespaceSpec, NextFire, Node, Page<Attempt>,
    Page<Calendar>, Page<Job>, Page<Namespace>, Page<Run>, Page<Trigger>, Preview, PreviewRequest, ProblemDetails, Reason,
    RunNow, ServerInfo
)))]
struct Description;

#[test]
fn every_reference_resolves() {
    let description = serde_json::to_value(Description::openapi()).unwrap();
    let mut references = BTreeSet::new();
    collect(&description, &mut references);
    assert!(references.len() > 20, "{references:?}");
    for reference in references {
        assert!(description.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
}

#[test]
fn instants_are_described_as_such() {
    let description = serde_json::to_value(Description::openapi()).unwrap();
    let timestamp = &description["components"]["schemas"]["Timestamp"];
    assert_eq!((&timestamp["type"], &timestamp["format"]), (&"string".into(), &"date-time".into()));
}

fn collect(value: &Value, references: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            references.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}
