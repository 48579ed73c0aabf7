//! Changes to a value: made by a merge patch (RFC 7396), and found between two values.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::FieldChange;
use crate::document::escape;

/// Changes a value as a merge patch says: members are replaced, `null` removes one, mappings are merged.
///
/// ```
/// use serde_json::json;
/// let mut job = json!({"name": "a", "retries": 3, "env": {"A": "1", "B": "2"}});
/// mainspring_api::merge_patch(&mut job, &json!({"retries": null, "env": {"B": "3"}}));
/// assert_eq!(job, json!({"name": "a", "env": {"A": "1", "B": "3"}}));
/// ```
pub fn merge_patch(value: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *value = patch.clone();
        return;
    };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let members = value.as_object_mut().expect("it was made an object");
    for (key, change) in changes {
        if change.is_null() {
            members.remove(key);
        } else {
            merge_patch(members.entry(key.clone()).or_insert(Value::Null), change);
        }
    }
}

/// Returns what differs between two values: members of mappings one by one, anything else as a whole.
///
/// ```
/// use serde_json::json;
/// let changes = mainspring_api::field_changes(
///     &json!({"name": "a", "env": {"A": "1"}, "exec": ["x"]}),
///     &json!({"name": "a", "env": {"B/C": "2"}, "exec": ["x", "y"]}),
/// );
/// let pointers: Vec<_> = changes.iter().map(|change| change.pointer.as_str()).collect();
/// assert_eq!(pointers, ["/env/A", "/env/B~1C", "/exec"]);
/// assert_eq!((changes[0].before.is_some(), changes[0].after.is_some()), (true, false));
/// ```
pub fn field_changes(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    collect(Some(before), Some(after), &mut String::new(), &mut changes);
    changes
}

fn collect(before: Option<&Value>, after: Option<&Value>, pointer: &mut String, changes: &mut Vec<FieldChange>) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
            for key in keys {
                let length = pointer.len();
                pointer.push('/');
                pointer.push_str(&escape(key));
                collect(before.get(key), after.get(key), pointer, changes);
                pointer.truncate(length);
            }
        }
        (before, after) => {
            let (before, after) = (before.cloned(), after.cloned());
            changes.push(FieldChange { pointer: pointer.clone(), before, after });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn merge_patches_do_what_the_examples_of_rfc_7396_do() {
        let cases = [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
            (json!({"a": "b"}), json!(["c"]), json!(["c"])),
            (json!({"a": "foo"}), json!(null), json!(null)),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ];
        for (mut value, patch, expected) in cases {
            merge_patch(&mut value, &patch);
            assert_eq!(value, expected, "{patch}");
        }
    }

    #[test]
    fn equal_values_have_no_changes() {
        let value = json!({"a": [1, {"b": null}]});
        assert_eq!(field_changes(&value, &value), []);
    }
}
