//! The answers of Quartz to triggers, calendars, misfires and replaced calendars.

use std::collections::BTreeMap;

use mainspring_schedule::Semantics;
use serde_json::Value;

use crate::replay;

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/vectors/quartz/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn all_pass(file: &str) {
    let cases = cases(file);
    assert!(!cases.is_empty());
    let mut failed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in &cases {
        let ours = replay::answers(file, case, Semantics::Quartz);
        if let Some((field, expected, got)) = replay::difference(case, &ours) {
            let group = match &case["cat"] {
                Value::String(cat) => cat.clone(),
                _ => format!("{} {}", case["trigger"]["type"], case["misfire"]),
            };
            let line = format!("{}: {field}: expected {expected}, got {got}", case["id"]);
            failed.entry(group).or_default().push(line);
        }
    }
    let count: usize = failed.values().map(Vec::len).sum();
    let shown = |(group, lines): (&String, &Vec<String>)| format!("{group}: {}", lines[0]);
    let groups: Vec<String> = failed.iter().map(shown).collect();
    assert_eq!(count, 0, "{count} of {} differ, such as\n{}", cases.len(), groups.join("\n"));
}

#[test]
fn triggers_fire_as_in_quartz() {
    all_pass("trigger");
}

#[test]
fn calendars_include_what_quartz_includes() {
    all_pass("calendar");
}

#[test]
fn misfires_are_handled_as_in_quartz() {
    all_pass("misfire");
}

#[test]
fn replaced_calendars_move_fires_as_in_quartz() {
    all_pass("new_calendar");
}
