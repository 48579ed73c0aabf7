//! The reference document of the API is the one that the server makes.

use std::path::Path;
use std::process::Command;

#[test]
fn the_reference_document_is_up_to_date() {
    let made = serde_json::to_string_pretty(&mainspring_server::openapi()).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    if std::env::var_os("MAINSPRING_WRITE_REFERENCE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "docs/reference/openapi.json is stale: run this test with MAINSPRING_WRITE_REFERENCE=1");
}

#[test]
fn every_reference_within_the_document_has_its_target() {
    let document = mainspring_server::openapi();
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

/// Installs a validator that is not ours beside the build, once, and asks it. Without Python 3 or a registry of its packages there is
/// nobody to ask.
#[test]
fn a_validator_of_others_finds_nothing() {
    const VALIDATOR: &str = "openapi-spec-validator==0.7.2";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openapi-validator");
    let python = folder.join("bin/python");
    let made = python.exists() || {
        let run = |program: &Path, arguments: &[&str]| {
            let done = Command::new(program).args(arguments).output();
            done.is_ok_and(|done| done.status.success())
        };
        let place = folder.to_str().unwrap();
        let new = format!("{place}.new");
        run("python3".as_ref(), &["-m", "venv", &new])
            && run(&Path::new(&new).join("bin/python"), &["-m", "pip", "install", "--quiet", VALIDATOR])
            && std::fs::rename(&new, &folder).is_ok()
    };
    if !made {
        println!("skipped: Python 3 with venv and pip, or the registry of its packages, is not at hand");
        return;
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openapi.json");
    std::fs::write(&file, mainspring_server::openapi().to_string()).unwrap();
    let asked = Command::new(python).args(["-m", "openapi_spec_validator", file.to_str().unwrap()]).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&asked.stdout), String::from_utf8_lossy(&asked.stderr));
    assert!(asked.status.success(), "{said}");
}

#[test]
fn everything_is_described_and_named() {
    let document = mainspring_server::openapi();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let what = format!("{method} {path}");
            assert!(operation["summary"].is_string() || operation["description"].is_string(), "{what}");
            for (status, answer) in operation["responses"].as_object().unwrap() {
                assert!(!answer["description"].as_str().unwrap_or_default().is_empty(), "{what} {status}");
                for content in answer["content"].as_object().into_iter().flat_map(serde_json::Map::values) {
                    let schema = &content["schema"];
                    let plain = ["string", "array"].iter().any(|kind| schema["type"] == *kind);
                    let any = schema.as_object().is_some_and(serde_json::Map::is_empty);
                    assert!(schema["$ref"].is_string() || plain || any, "{what} {status}: {schema}");
                }
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                assert!(parameter["in"] != "path" || path.contains(&format!("{{{name}}}")), "{what}: {name}");
                let is_name = ["namespace", "job", "trigger", "calendar", "queue"].contains(&name);
                if parameter["in"] == "header" && name != "Last-Event-ID" || parameter["in"] == "path" && is_name {
                    assert!(parameter["schema"]["pattern"].is_string(), "{what}: {name}");
                }
            }
        }
    }
    let schemas = document["components"]["schemas"].as_object().unwrap();
    assert!(schemas.values().all(|schema| schema.get("allOf").is_none()), "parts that forbid each other");
}
