//! The reference document of the API is the one that the server makes.

use std::path::Path;

#[test]
fn the_reference_document_is_up_to_date() {
    let made = mainspring_server::openapi().to_pretty_json().unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    if std::env::var_os("MAINSPRING_WRITE_REFERENCE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "docs/reference/openapi.json is stale: run this test with MAINSPRING_WRITE_REFERENCE=1");
}

#[test]
fn every_reference_within_the_document_has_its_target() {
    let document = serde_json::to_value(mainspring_server::openapi()).unwrap();
    let mut open = vec![&document];
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::Object(members) => {
                if let Some(target) = members.get("$ref").and_then(|target| target.as_str()) {
                    let pointer = target.strip_prefix('#').expect("references stay within the document");
                    assert!(document.pointer(pointer).is_some(), "{target}");
                }
                open.extend(members.values());
            }
            serde_json::Value::Array(values) => open.extend(values),
            _ => {}
        }
    }
}
