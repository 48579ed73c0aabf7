//! Fire times to come in tables.

use mainspring_api::NextFire;

use super::text;
use crate::output::{Column, View, state};

/// Columns of fire times to come.
pub const NEXT: View<NextFire> = View {
    columns: &[
        Column::usual("NEXT", |it, style| text(style.at(Some(it.fire_at)))),
        Column::usual("LEFT", |it, style| text(style.left(Some(it.due_at)))),
        Column::usual("LAST", |it, style| {
            let last = it.last_run.as_ref();
            text(style.at(last.and_then(|run| run.started_at.or(run.fire_at))))
        }),
        Column::usual("RESULT", |it, _| {
            it.last_run.as_ref().map_or_else(|| text("-"), |run| state(run.state.as_str()))
        }),
        Column::usual("JOB", |it, _| text(&it.job)),
        Column::usual("SCHEDULE", |it, _| text(&it.explanation)),
        Column::usual("ZONE", |it, _| text(&it.timezone)),
        Column::extra("TRIGGER", |it, _| text(&it.trigger)),
        Column::extra("NAMESPACE", |it, _| text(&it.namespace)),
        Column::extra("DUE", |it, style| text(style.at(Some(it.due_at)))),
    ],
    name: |it| format!("{}/{}/{}", it.namespace, it.job, it.trigger),
    empty: "nothing fires in that time; look further with --until 7d (paused triggers are left out)",
};
