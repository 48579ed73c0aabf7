//! Runs and attempts in tables.

use mainspring_api::{Attempt, MisfireItem, Run, Timestamp};

use super::{json, labels, optional, text, yes};
use crate::output::{Cell, Column, Style, View, counted, dash, duration, state};

/// Columns of runs.
pub const RUN: View<Run> = View {
    columns: &[
        Column::usual("ID", |it, _| text(&it.id)),
        Column::usual("JOB", |it, _| match &it.task {
            Some(task) => text(format_args!("{}/{task}", it.job)),
            None => text(&it.job),
        }),
        Column::usual("STATE", |it, _| state(it.state.as_str())),
        Column::usual("FIRE TIME", |it, style| text(style.at(it.fire_at))),
        Column::usual("STARTED", |it, style| text(style.at(it.started_at))),
        Column::usual("TOOK", |it, _| text(took(it.started_at, it.ended_at))),
        Column::usual("ATTEMPT", |it, _| match it.attempt {
            // It waits, or its shards run in its place.
            0 => text(dash()),
            attempt => text(format_args!("{attempt}/{}", it.attempts_max)),
        }),
        Column::usual("ORIGIN", |it, _| text(it.origin)),
        Column::extra("NAMESPACE", |it, _| text(&it.namespace)),
        Column::extra("TRIGGER", |it, _| optional(it.trigger.as_ref())),
        Column::extra("REASON", |it, _| optional(it.reason.as_ref())),
        Column::extra("EXIT", |it, _| optional(it.exit_code)),
        Column::extra("LATENESS", |it, _| text(it.lateness_ms.map_or_else(dash, duration))),
        Column::extra("CREATED", |it, style| text(style.at(Some(it.created_at)))),
        Column::extra("LOGICAL DATE", |it, style| text(style.at(it.logical_date.or(it.fire_at)))),
        Column::extra("DUE", |it, style| text(style.at(it.due_at))),
        Column::extra("NOT BEFORE", |it, style| text(style.at(it.not_before))),
        Column::extra("EXPIRES", |it, style| text(style.at(it.expires_at))),
        Column::extra("DEADLINE", |it, style| text(style.at(it.deadline_at))),
        Column::extra("MISSED IT", |it, _| yes(it.deadline_missed)),
        Column::extra("ENDED", |it, style| text(style.at(it.ended_at))),
        Column::extra("CANCEL ASKED", |it, style| text(style.at(it.cancel_requested_at))),
        Column::extra("QUEUE", |it, _| text(&it.queue)),
        Column::extra("PRIORITY", |it, _| text(it.priority)),
        Column::extra("WORKER", |it, _| optional(it.worker.as_ref())),
        Column::extra("NODE", |it, _| optional(it.node.as_ref())),
        Column::extra("VERSION", |it, _| text(it.job_version)),
        Column::extra("LABELS", |it, _| text(labels(&it.labels))),
        Column::extra("PARENT", |it, _| optional(it.parent.as_ref())),
        Column::extra("TASK", |it, _| optional(it.task.as_ref())),
        Column::extra("TASKS", |it, _| optional(it.tasks.as_ref())),
        Column::extra("PAUSED", |it, _| yes(it.paused)),
        Column::extra("SHARD", |it, _| {
            optional(it.shard.map(|shard| format!("{} of {}", shard.index, shard.total)).as_ref())
        }),
        Column::extra("RERUN OF", |it, _| optional(it.rerun_of.as_ref())),
        Column::extra("RERUN AS", |it, _| optional(it.rerun_as.as_ref())),
        Column::extra("CALLER", |it, _| {
            optional(it.caller.as_ref().map(|caller| format!("{} {}", caller.run, caller.task)))
        }),
        Column::extra("CAUSE", |it, _| optional(it.cause.as_ref())),
        Column::extra("RECOVERED", |it, _| yes(it.recovered)),
        Column::extra("INPUT", |it, _| json(it.input.as_ref())),
        Column::extra("OUTPUT", |it, _| match &it.output_ref {
            Some(apart) => text(format_args!("{} bytes: mainspring run output {}", apart.bytes, it.id)),
            None => json(it.output.as_ref()),
        }),
    ],
    name: |it| it.id.clone(),
    empty: "no runs",
};

/// Shows an instant that did not fire, or a range of them, in a column of runs.
pub fn misfire_cell(it: &MisfireItem, column: &str, style: &Style) -> Cell {
    match column {
        "ID" if it.count > 1 => text(counted(usize::try_from(it.count).unwrap_or(usize::MAX), "instant")),
        "JOB" => text(&it.job),
        "STATE" => state(&it.outcome),
        "FIRE TIME" => text(style.at(Some(it.first))),
        "ENDED" if it.count > 1 => text(style.at(Some(it.last))),
        "ORIGIN" | "REASON" => text(format_args!("{} ({})", it.cause, it.policy)),
        "NAMESPACE" => text(&it.namespace),
        "TRIGGER" => optional(it.trigger.as_ref()),
        "CREATED" => text(style.at(Some(it.recorded_at))),
        _ => text(dash()),
    }
}

/// Columns of attempts.
pub const ATTEMPT: View<Attempt> = View {
    columns: &[
        Column::usual("ATTEMPT", |it, _| text(it.number)),
        Column::usual("STATE", |it, _| state(it.state.as_str())),
        Column::usual("STARTED", |it, style| text(style.at(it.started_at))),
        Column::usual("TOOK", |it, _| text(took(it.started_at, it.ended_at))),
        Column::usual("EXIT", |it, _| optional(it.exit_code)),
        Column::usual("SIGNAL", |it, _| optional(it.signal)),
        Column::usual("WORKER", |it, _| optional(it.worker.as_ref().or(it.node.as_ref()))),
        Column::usual("REASON", |it, _| optional(it.reason.as_ref())),
    ],
    name: |it| it.number.to_string(),
    empty: "no attempts",
};

pub(super) fn took(started_at: Option<Timestamp>, ended_at: Option<Timestamp>) -> String {
    match (started_at, ended_at) {
        (Some(start), Some(end)) => duration(end.as_millis() - start.as_millis()),
        _ => dash(),
    }
}
