//! Tasks of workflow runs in tables.

use mainspring_api::RunTask;
use serde::Serialize;

use super::{optional, text};
use crate::output::{Column, View, dash, state};

/// A task with its place in the graph.
#[derive(Debug, Serialize)]
pub struct Placed {
    /// From 1; absent for items, and for tasks that run last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave: Option<u32>,
    /// The task.
    #[serde(flatten)]
    pub task: RunTask,
}

/// Columns of tasks.
pub const TASK: View<Placed> = View {
    columns: &[
        Column::usual("WAVE", |it, _| match (it.wave, it.task.finally) {
            (Some(wave), _) => text(wave),
            (None, true) => text("last"),
            (None, false) => text(""),
        }),
        Column::usual("TASK", |it, _| text(&it.task.name)),
        Column::usual("STATE", |it, _| state(it.task.state.as_str())),
        Column::usual("NEEDS", |it, _| match &it.task {
            task if task.needs.is_empty() => text("-"),
            // Its tasks name it.
            task if task.tasks.is_some() => text("its tasks"),
            task => text(task.needs.join(" ")),
        }),
        Column::usual("STARTED", |it, style| text(style.at(it.task.started_at))),
        Column::usual("TOOK", |it, _| text(super::run::took(it.task.started_at, it.task.ended_at))),
        Column::usual("ITEMS", |it, _| {
            text(
                it.task
                    .items
                    .or(it.task.tasks)
                    .map_or_else(dash, |items| format!("{}/{}", items.succeeded, items.total)),
            )
        }),
        Column::usual("RUN", |it, _| optional(it.task.run.as_ref())),
        Column::extra("GROUP", |it, _| optional(it.task.group.as_ref())),
        Column::extra("RUN STATE", |it, _| optional(it.task.run_state)),
        Column::extra("ATTEMPT", |it, _| optional(it.task.attempt)),
        Column::extra("RULE", |it, _| {
            text(
                serde_json::to_value(it.task.trigger_rule)
                    .ok()
                    .and_then(|rule| rule.as_str().map(str::to_owned))
                    .unwrap_or_default(),
            )
        }),
        Column::extra("GENERATION", |it, _| text(it.task.generation)),
        Column::extra("SINCE", |it, style| text(style.at(it.task.since))),
        Column::extra("ENDED", |it, style| text(style.at(it.task.ended_at))),
        Column::extra("KEPT FROM", |it, _| optional(it.task.kept_from.as_ref())),
        Column::extra("REASON", |it, _| optional(it.task.reason.as_ref())),
    ],
    name: |it| it.task.name.clone(),
    empty: "no tasks",
};
