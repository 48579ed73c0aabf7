//! Plans of reruns in tables.

use mainspring_api::{RerunTask, TaskState};

use super::{optional, text};
use crate::output::{Column, View, dash, duration};

/// Columns of what would become of tasks.
pub const RERUN: View<RerunTask> = View {
    columns: &[
        Column::usual("TASK", |it, _| text(&it.name)),
        Column::usual("ACTION", |it, _| text(it.action)),
        Column::usual("WAS", |it, _| {
            it.state.map_or_else(|| text("-"), |it: TaskState| crate::output::state(it.as_str()))
        }),
        Column::usual("WHY", |it, _| text(&it.reason)),
        Column::usual("CHANGE", |it, _| optional(it.change)),
        Column::usual("TAKES", |it, _| {
            text(it.estimate_ms.map_or_else(dash, |ms| duration(i64::try_from(ms).unwrap_or(i64::MAX))))
        }),
    ],
    name: |it| it.name.clone(),
    empty: "no tasks",
};
