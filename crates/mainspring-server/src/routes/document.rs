//! What the description of the API lacks when it is made from types and handlers: words for every answer, and the patterns and
//! bounds that extractors and schemas hold.

use mainspring_api::{Bundle, PreviewRequest, RunNow, WorkerSpec};
use schemars::{JsonSchema, schema_for};
use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

/// Names of namespaces, jobs, triggers, calendars and queues.
const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$";
/// Members of request bodies that are such names.
const NAMES: [(&str, &[&str]); 4] = [
    ("JobSpec", &["name", "namespace", "queue", "calendar"]),
    ("TriggerSpec", &["name", "calendar"]),
    ("CalendarSpec", &["name", "namespace", "base"]),
    ("Bundle", &["namespace"]),
];

/// Finishes the description.
pub(super) fn finished(document: &OpenApi) -> Value {
    let mut document = serde_json::to_value(document).expect("a description is plain JSON");
    for operation in operations(&mut document) {
        describe_answers(operation);
        describe_parameters(operation);
    }
    merge_parts(&mut document);
    bounds_of::<Bundle>(&mut document);
    bounds_of::<RunNow>(&mut document);
    bounds_of::<PreviewRequest>(&mut document);
    bounds_of::<WorkerSpec>(&mut document);
    for (of, names) in NAMES {
        for name in names {
            if let Some(property) = document.pointer_mut(&format!("/components/schemas/{of}/properties/{name}")) {
                property["pattern"] = NAME.into();
            }
        }
    }
    document
}

fn operations(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    let items = paths.filter_map(Value::as_object_mut).flat_map(Map::iter_mut);
    items.filter(|(method, _)| method.as_str() != "parameters").map(|(_, operation)| operation)
}

fn describe_answers(operation: &mut Value) {
    let Some(answers) = operation["responses"].as_object_mut() else { return };
    for (status, answer) in answers {
        let has_words = answer["description"].as_str().is_some_and(|words| !words.is_empty());
        if !has_words {
            answer["description"] = match status.as_str() {
                "201" => "It was made",
                "202" => "It will be done",
                "204" => "Done",
                _ => "The answer",
            }
            .into();
        }
    }
}

fn describe_parameters(operation: &mut Value) {
    let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) else { return };
    for parameter in parameters {
        let (place, name) =
            (parameter["in"].as_str().unwrap_or_default(), parameter["name"].as_str().unwrap_or_default());
        let more = match (place, name) {
            ("path", "namespace" | "job" | "trigger" | "calendar" | "queue") => json!({"pattern": NAME}),
            ("path", "label") => json!({"pattern": "^[^=]+=.*$"}),
            ("header", "If-Match") => json!({"pattern": "^(\\*|\"[0-9]+\")$"}),
            ("header", "If-None-Match") => json!({"pattern": "^\\*$"}),
            ("header", "Idempotency-Key") => json!({"pattern": "^[!-~]{1,128}$"}),
            ("query", "limit" | "tail") => json!({"minimum": 1}),
            _ => continue,
        };
        let schema = parameter["schema"].as_object_mut().into_iter();
        let more = more.as_object().cloned().unwrap_or_default();
        schema.for_each(|schema| schema.extend(more.clone()));
    }
}

/// Makes one object of the parts of a flattened type: each part forbids the members of the others, so no value fits all.
fn merge_parts(document: &mut Value) {
    let Some(schemas) = document["components"]["schemas"].as_object() else { return };
    let merged: Vec<(String, Value)> =
        schemas.iter().filter_map(|(name, schema)| Some((name.clone(), merged(schema, schemas)?))).collect();
    for (name, schema) in merged {
        document["components"]["schemas"][name] = schema;
    }
}

fn merged(schema: &Value, schemas: &Map<String, Value>) -> Option<Value> {
    let parts = schema["allOf"].as_array()?;
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in parts {
        let name = part["$ref"].as_str().and_then(|target| target.rsplit('/').next());
        let part = name.and_then(|name| schemas.get(name)).unwrap_or(part);
        properties.extend(part["properties"].as_object()?.clone());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    let mut object = json!({"type": "object", "properties": properties, "required": required});
    if let Some(words) = schema.get("description") {
        object["description"] = words.clone();
    }
    Some(object)
}

/// Takes over the bounds of collections, which the schema of job files has and the reader of bodies holds.
fn bounds_of<T: JsonSchema>(document: &mut Value) {
    let root = schema_for!(T).to_value();
    let own = root["title"].as_str().map(|name| (name.to_owned(), &root));
    let others = root["$defs"].as_object().into_iter().flatten().map(|(name, schema)| (name.clone(), schema));
    for (of, schema) in own.into_iter().chain(others) {
        for (member, property) in schema["properties"].as_object().into_iter().flatten() {
            let place = format!("/components/schemas/{of}/properties/{member}");
            let Some(described) = document.pointer_mut(&place) else { continue };
            for bound in ["maxItems", "maxProperties"] {
                if let Some(most) = property.get(bound) {
                    described[bound] = most.clone();
                }
            }
        }
    }
}
