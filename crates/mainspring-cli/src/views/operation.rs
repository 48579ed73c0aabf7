//! Operations in tables.

use mainspring_api::Operation;

use super::{optional, text};
use crate::output::{Column, View, state};

/// Columns of operations.
pub const OPERATION: View<Operation> = View {
    columns: &[
        Column::usual("ID", |it, _| text(&it.id)),
        Column::usual("ACTION", |it, _| text(it.action)),
        Column::usual("STATE", |it, _| state(it.state.as_str())),
        Column::usual("TOTAL", |it, _| text(it.total)),
        Column::usual("DONE", |it, _| text(it.done)),
        Column::usual("FAILED", |it, _| text(it.failed)),
        Column::extra("NAMESPACE", |it, _| text(&it.namespace)),
        Column::extra("BY", |it, _| optional(it.by.as_ref())),
        Column::extra("REASON", |it, _| optional(it.reason.as_ref())),
        Column::extra("STARTED", |it, style| text(style.at(Some(it.started_at)))),
        Column::extra("ENDED", |it, style| text(style.at(it.ended_at))),
        Column::extra("SAMPLE", |it, _| text(it.sample.join(" "))),
    ],
    name: |it| it.id.clone(),
    empty: "no operations",
};
