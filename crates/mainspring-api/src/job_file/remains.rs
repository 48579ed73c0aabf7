//! What remains of an item whose shape is wrong in places: the rest is read all the same, so that one wrong key hides
//! no other one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{ErrorCode, Problem, did_you_mean};

/// The places of a document that were left out for their shape, as pointers.
#[derive(Debug, Clone, Default)]
pub(super) struct LeftOut(BTreeSet<String>);

/// Keys that say what they say only beside another one of the same mapping.
const COMPANIONS: [(&str, &str); 2] = [("/max_active", "overlap"), ("/skip_missing_hour", "preserve_hour")];

impl LeftOut {
    /// Returns the item at `pointer` without the places that `problems` name, or `None` if nothing remains.
    pub(super) fn remains<'v>(
        &mut self,
        document: &'v Value,
        pointer: &str,
        problems: &[&Problem],
    ) -> Option<Cow<'v, Value>> {
        let mut item = Cow::Borrowed(document.pointer(pointer)?);
        for problem in problems {
            let Some(place) = problem.pointer.strip_prefix(pointer).filter(|rest| is_inside(rest)) else { continue };
            match place {
                "" if problem.code == ErrorCode::FieldMissing.as_str() => {
                    item.to_mut().as_object_mut()?.insert("name".to_owned(), Value::from(""));
                    self.0.insert(format!("{pointer}/name"));
                }
                "" => return None,
                place => {
                    let removed = remove(item.to_mut(), place)?;
                    self.0.insert(format!("{pointer}{removed}"));
                }
            }
        }
        Some(item)
    }

    /// Tells whether a problem only follows from what was left out.
    pub(super) fn explain(&self, code: &str, pointer: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let inside = ancestors(pointer).any(|place| self.0.contains(place));
        let companion = |(key, other): &(&str, &str)| {
            pointer.strip_suffix(key).is_some_and(|parent| self.0.contains(&format!("{parent}/{other}")))
        };
        let wanted = wanted(code);
        let stands_for = |key: &str| wanted.contains(&key) || did_you_mean(key, wanted.iter().copied()).is_some();
        inside || COMPANIONS.iter().any(companion) || (!wanted.is_empty() && self.members(pointer).any(stands_for))
    }

    /// The keys that were left out of the mapping at a pointer.
    fn members(&self, pointer: &str) -> impl Iterator<Item = &str> {
        let first = format!("{pointer}/");
        let below = self.0.range(first.clone()..).take_while(move |place| place.starts_with(&first));
        below.map(move |place| &place[pointer.len() + 1..]).filter(|key| !key.contains('/'))
    }
}

/// The places that a pointer leads through, and its own.
fn ancestors(pointer: &str) -> impl Iterator<Item = &str> {
    let parents = pointer.match_indices('/').map(|(end, _)| &pointer[..end]);
    parents.chain(std::iter::once(pointer))
}

/// Keys of other tools and versions that stand for a task, beside our own.
const TASKS: [&str; 20] = [
    "run",
    "exec",
    "http",
    "handler",
    "noop",
    "command",
    "cmd",
    "shell",
    "bash",
    "args",
    "argv",
    "url",
    "tasks",
    "workflow",
    "script",
    "xxl",
    "sql",
    "container",
    "approval",
    "wait",
];
/// The same of triggers.
const KINDS: [&str; 10] =
    ["cron", "every", "at", "calendar_interval", "daily_window", "delay", "event", "after", "interval", "expression"];
const CALENDARS: [&str; 6] = ["annual", "cron", "daily", "holiday", "monthly", "weekly"];

/// The keys of which a problem misses one.
fn wanted(code: &str) -> &'static [&'static str] {
    match ErrorCode::parse(code) {
        Some(ErrorCode::JobNoTask) => &TASKS,
        Some(ErrorCode::TriggerNoKind) => &KINDS,
        Some(ErrorCode::CalendarNoKind) => &CALENDARS,
        Some(ErrorCode::FieldMissing) => &["name"],
        _ => &[],
    }
}

fn is_inside(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

/// Removes what is at a place, and returns the place that is gone: that of the nearest member of a mapping. A trigger
/// in a list leaves an empty one, so that the others keep their places.
fn remove(item: &mut Value, place: &str) -> Option<String> {
    let (parent, key) = place.rsplit_once('/')?;
    match item.pointer_mut(parent) {
        // Gone with something around it.
        None => Some(place.to_owned()),
        Some(Value::Object(members)) => {
            members.remove(&key.replace("~1", "/").replace("~0", "~"));
            Some(place.to_owned())
        }
        Some(Value::Array(items)) if parent == "/schedule" || parent == "/triggers" => {
            *items.get_mut(key.parse::<usize>().ok()?)? = Value::Object(Map::new());
            Some(place.to_owned())
        }
        Some(_) => remove(item, parent),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_rest_of_an_item_remains() {
        let document =
            json!([{"name": "a", "labels": {"a/b": 1, "c": "d"}, "exec": ["x", 5], "schedule": [5, "@daily"]}]);
        let problems: Vec<_> = ["/0/labels/a~1b", "/0/exec/1", "/0/schedule/0", "/1"]
            .into_iter()
            .map(|pointer| Problem::new(ErrorCode::FieldType, "wrong").at(pointer))
            .collect();
        let mut left_out = LeftOut::default();
        let item = left_out.remains(&document, "/0", &problems.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(*item, json!({"name": "a", "labels": {"c": "d"}, "schedule": [{}, "@daily"]}));
        for (code, pointer, explained) in [
            ("job.no_task", "/0", true),
            ("trigger.no_kind", "/0/schedule/0", true),
            ("trigger.no_kind", "/0/schedule/1", false),
            ("name.invalid", "/0/name", false),
        ] {
            assert_eq!(left_out.explain(code, pointer), explained, "{code} {pointer}");
        }
    }

    #[test]
    fn only_a_key_that_may_have_been_meant_explains_what_is_missing() {
        for (key, explained) in [("rnu", true), ("run", true), ("timout", false)] {
            let document = json!({"name": "a", key: 5});
            let mut left_out = LeftOut::default();
            left_out.remains(&document, "", &[&Problem::new(ErrorCode::FieldUnknown, "").at(format!("/{key}"))]);
            assert_eq!(left_out.explain("job.no_task", ""), explained, "{key}");
        }
    }
}
