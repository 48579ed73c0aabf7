//! What an apply did or would do, in tables and as a list of differences.

use mainspring_api::{ApplyAction, ApplyItem, ApplyResult};

use super::text;
use crate::output::{Column, View, state};

/// Columns of what an apply did.
pub const PLAN: View<ApplyItem> = View {
    columns: &[
        Column::usual("ACTION", |it, _| state(it.action.as_str())),
        Column::usual("KIND", |it, _| text(it.kind)),
        Column::usual("NAMESPACE", |it, _| text(&it.namespace)),
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("VERSION", |it, _| super::optional(it.version)),
        Column::usual("CHANGES", |it, _| {
            let pointers = it.changes.iter().map(|change| change.pointer.as_str());
            text(pointers.collect::<Vec<_>>().join(" "))
        }),
    ],
    name: |it| format!("{}/{}", it.namespace, it.name),
    empty: "the files hold no jobs and no calendars",
};

/// Writes the differences as `+`, `~` and `-` lines with values before and after.
pub fn changes(result: &ApplyResult) -> String {
    let mut lines = Vec::new();
    for item in &result.items {
        let (sign, colour) = match item.action {
            ApplyAction::Created => ('+', "32"),
            ApplyAction::Updated => ('~', "33"),
            ApplyAction::Deleted => ('-', "31"),
            ApplyAction::Unchanged => continue,
        };
        lines.push(format!("\x1b[{colour}m{sign} {} {}/{}\x1b[0m", item.kind, item.namespace, item.name));
        for change in &item.changes {
            lines.push(format!("    {}", change.pointer));
            if let Some(before) = &change.before {
                lines.push(format!("\x1b[31m      - {before}\x1b[0m"));
            }
            if let Some(after) = &change.after {
                lines.push(format!("\x1b[32m      + {after}\x1b[0m"));
            }
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_item_place_and_both_values() {
        let result: ApplyResult = serde_json::from_str(
            r#"{"dry_run": true, "totals": {"created": 1, "updated": 1, "unchanged": 1, "deleted": 0}, "items": [
                {"kind": "job", "namespace": "default", "name": "a", "action": "created"},
                {"kind": "job", "namespace": "default", "name": "b", "action": "unchanged", "version": 3},
                {"kind": "job", "namespace": "default", "name": "c", "action": "updated", "version": 2,
                 "changes": [{"pointer": "/retries", "before": 1, "after": 3}, {"pointer": "/timeout", "after": "1h"}]}
            ]}"#,
        )
        .unwrap();
        let plain = anstream::adapter::strip_str(&changes(&result)).to_string();
        let expected =
            "+ job default/a\n~ job default/c\n    /retries\n      - 1\n      + 3\n    /timeout\n      + \"1h\"";
        assert_eq!(plain, expected);
    }
}
