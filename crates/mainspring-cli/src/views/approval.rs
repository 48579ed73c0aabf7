//! What waits for somebody's approval, in tables.

use mainspring_api::Approval;

use super::text;
use crate::output::{Column, View};

/// Columns of approvals.
pub const APPROVAL: View<Approval> = View {
    columns: &[
        Column::usual("JOB", |it, _| text(&it.job)),
        Column::usual("TASK", |it, _| text(&it.task)),
        Column::usual("PROMPT", |it, _| text(&it.prompt)),
        Column::usual("FROM", |it, _| text(if it.from.is_empty() { "-".to_owned() } else { it.from.join(" ") })),
        Column::usual("SINCE", |it, style| text(style.at(Some(it.since)))),
        Column::usual("UNTIL", |it, style| text(style.at(it.until))),
        Column::usual("RUN", |it, _| text(&it.run)),
        Column::extra("NAMESPACE", |it, _| text(&it.namespace)),
    ],
    name: |it| format!("{} {}", it.run, it.task),
    empty: "nothing waits for an approval",
};
