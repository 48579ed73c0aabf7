//! What an operation may be asked, and what it makes of its answers. Pure.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_api::{
    ErrorCode, Operation, OperationAction, OperationError, OperationSpec, Problem, ProblemDetails, is_valid_name,
};
use mainspring_core::RunId;

use crate::refusal::Refusal;

/// Jobs or runs of one operation.
pub(super) const NAMES_MAX: usize = 100_000;
/// Errors that an operation keeps.
const ERRORS_MAX: usize = 100;
/// Labels that one operation sets and removes.
const LABELS_MAX: usize = 100;

/// Refuses what cannot be meant. Labels themselves are checked with each job.
pub(super) fn check(spec: &OperationSpec) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    let mut wrong = |code, pointer: &str, message: String| problems.push(Problem::new(code, message).at(pointer));
    let (names, q) = (&spec.selector.names, &spec.selector.q);
    match (names.is_empty(), q) {
        (true, None) => {
            wrong(ErrorCode::FieldMissing, "/selector", "a selector has `names` or `q`".into());
        }
        (false, Some(_)) => {
            wrong(ErrorCode::FieldValue, "/selector/q", "a selector has `names` or `q`, and not both".into());
        }
        _ => {}
    }
    if names.len() > NAMES_MAX {
        wrong(ErrorCode::FieldValue, "/selector/names", format!("there are more than {NAMES_MAX} names"));
    }
    if spec.action == OperationAction::Rerun {
        if let Some(index) = names.iter().position(|id| id.parse::<RunId>().is_err()) {
            let message = format!("\"{}\" is not the id of a run", names[index].escape_debug());
            wrong(ErrorCode::FieldValue, &format!("/selector/names/{index}"), message);
        }
    } else if let Some(index) = names.iter().position(|name| !is_valid_name(name)) {
        let message = format!("\"{}\" cannot name a job", names[index].escape_debug());
        wrong(ErrorCode::NameInvalid, &format!("/selector/names/{index}"), message);
    }
    let labels = spec.add_labels.len() + spec.remove_labels.len();
    match (spec.action, labels) {
        (OperationAction::Label, 0) => {
            let message = "the action `label` wants `add_labels` or `remove_labels`";
            wrong(ErrorCode::FieldMissing, "/add_labels", message.into());
        }
        (OperationAction::Label, count) if count > LABELS_MAX => {
            wrong(ErrorCode::FieldValue, "/add_labels", format!("there are more than {LABELS_MAX} labels"));
        }
        (OperationAction::Label, _) | (_, 0) => {}
        (action, _) => {
            wrong(ErrorCode::FieldValue, "/add_labels", format!("the action `{action}` takes no labels"));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Refuses to do something to more than an operation may.
pub(super) fn too_many(what: &str) -> Refusal {
    Refusal::new(ErrorCode::RequestTooLarge, format!("more than {NAMES_MAX} {what} match; narrow the query"))
}

/// Each name once, in the order of the first.
pub(super) fn distinct(names: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| seen.insert(name.as_str())).cloned().collect()
}

/// The labels of a job afterwards.
pub(super) fn relabelled(
    labels: &BTreeMap<String, String>,
    add: &BTreeMap<String, String>,
    remove: &[String],
) -> BTreeMap<String, String> {
    let mut labels = labels.clone();
    labels.retain(|name, _| !remove.contains(name));
    labels.extend(add.clone());
    labels
}

/// Notes what came of one job.
pub(super) fn note(operation: &mut Operation, name: &str, problem: Option<&ProblemDetails>) {
    match problem {
        None => operation.done += 1,
        Some(problem) => {
            operation.failed += 1;
            if operation.errors.len() < ERRORS_MAX {
                // Of a list of problems, the first says enough.
                let message = problem.errors.first().map_or(&problem.detail, |first| &first.message);
                let (name, code, message) = (name.to_owned(), problem.code.clone(), message.clone());
                operation.errors.push(OperationError { name, code, message });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(json: serde_json::Value) -> OperationSpec {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_place() {
        let ns = |rest: serde_json::Value| {
            let mut selector = json!({"namespace": "a"});
            selector.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            selector
        };
        let cases = [
            (json!({"action": "pause", "selector": ns(json!({}))}), Some("/selector")),
            (json!({"action": "pause", "selector": ns(json!({"q": ""}))}), None),
            (json!({"action": "pause", "selector": ns(json!({"names": ["x"]}))}), None),
            (json!({"action": "pause", "selector": ns(json!({"names": ["x"], "q": ""}))}), Some("/selector/q")),
            (json!({"action": "pause", "selector": ns(json!({"names": ["x", "a/b"]}))}), Some("/selector/names/1")),
            (json!({"action": "rerun", "selector": ns(json!({"names": ["x"]}))}), Some("/selector/names/0")),
            (json!({"action": "rerun", "selector": {"namespace": "-", "q": "queue:mail"}}), None),
            (json!({"action": "label", "selector": ns(json!({"q": "x"}))}), Some("/add_labels")),
            (json!({"action": "label", "selector": ns(json!({"q": "x"})), "remove_labels": ["l"]}), None),
            (
                json!({"action": "run", "selector": ns(json!({"q": "x"})), "add_labels": {"l": "v"}}),
                Some("/add_labels"),
            ),
        ];
        for (json, place) in cases {
            let found = check(&spec(json.clone())).err().map(|problems| problems[0].pointer.clone());
            assert_eq!(found.as_deref(), place, "{json}");
        }
    }

    #[test]
    fn labels_are_removed_and_then_set() {
        let before = BTreeMap::from([("a".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())]);
        let change = spec(json!({"action": "label", "selector": {"namespace": "n"},
            "add_labels": {"c": "3", "b": "4"}, "remove_labels": ["a", "b", "x"]}));
        let after = relabelled(&before, &change.add_labels, &change.remove_labels);
        assert_eq!(after, BTreeMap::from([("b".to_owned(), "4".to_owned()), ("c".to_owned(), "3".to_owned())]));
    }

    #[test]
    fn each_name_counts_once() {
        assert_eq!(distinct(&["b".into(), "a".into(), "b".into()]), ["b", "a"]);
    }
}
