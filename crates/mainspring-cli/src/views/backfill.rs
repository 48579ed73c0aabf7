//! Backfills, their plans and their items in tables.

use mainspring_api::{Backfill, BackfillItem, BackfillPlanItem};

use super::{optional, text};
use crate::output::{Column, View};

/// Columns of backfills.
pub const BACKFILL: View<Backfill> = View {
    columns: &[
        Column::usual("ID", |it, _| text(&it.id)),
        Column::usual("JOB", |it, _| text(&it.job)),
        Column::usual("STATE", |it, _| text(it.state)),
        Column::usual("DONE", |it, _| {
            text(format!("{}/{}", it.items.total - it.items.open - it.items.running, it.items.total))
        }),
        Column::usual("RUNNING", |it, _| text(it.items.running)),
        Column::usual("FAILED", |it, _| text(it.items.failed)),
        Column::usual("FROM", |it, style| text(style.at(Some(it.from)))),
        Column::usual("TO", |it, style| text(style.at(Some(it.to)))),
        Column::usual("REASON", |it, _| optional(it.reason.as_ref())),
        Column::extra("NAMESPACE", |it, _| text(&it.namespace)),
        Column::extra("TRIGGER", |it, _| text(&it.trigger)),
        Column::extra("VERSION", |it, _| text(it.job_version)),
        Column::extra("REPROCESS", |it, _| text(it.reprocess)),
        Column::extra("ORDER", |it, _| text(it.order)),
        Column::extra("MAX ACTIVE", |it, _| text(it.max_active)),
        Column::extra("STOP ON FAILURE", |it, _| text(it.stop_on_failure)),
        Column::extra("PRIORITY", |it, _| text(it.priority)),
        Column::extra("PLAN", |it, _| text(&it.plan)),
        Column::extra("CASCADE OF", |it, _| optional(it.cascade_of.as_ref())),
        Column::extra("SUCCEEDED", |it, _| text(it.items.succeeded)),
        Column::extra("CANCELLED", |it, _| text(it.items.cancelled)),
        Column::extra("SKIPPED", |it, _| text(it.items.skipped)),
        Column::extra("STARTED", |it, style| text(style.at(Some(it.created_at)))),
        Column::extra("BY", |it, _| optional(it.created_by.as_ref())),
        Column::extra("ENDED", |it, style| text(style.at(it.ended_at))),
    ],
    name: |it| it.id.clone(),
    empty: "no backfills",
};

/// Columns of the items of a backfill.
pub const BACKFILL_ITEM: View<BackfillItem> = View {
    columns: &[
        Column::usual("NUMBER", |it, _| text(it.number)),
        Column::usual("FIRE TIME", |it, style| text(style.at(Some(it.fire_at)))),
        Column::usual("STATE", |it, _| text(it.state)),
        Column::usual("ACTION", |it, _| text(it.action)),
        Column::usual("RUN", |it, _| optional(it.run.as_ref())),
        Column::extra("RERUN OF", |it, _| optional(it.rerun_of.as_ref())),
        Column::extra("LOGICAL DATE", |it, style| text(style.at(it.logical_date.or(Some(it.fire_at))))),
    ],
    name: |it| it.number.to_string(),
    empty: "no items",
};

/// Columns of the fire times of a plan.
pub const BACKFILL_PLAN_ITEM: View<BackfillPlanItem> = View {
    columns: &[
        Column::usual("FIRE TIME", |it, style| text(style.at(Some(it.fire_at)))),
        Column::usual("ACTION", |it, _| text(it.action)),
        Column::usual("RUN", |it, _| optional(it.run.as_ref())),
    ],
    name: |it| it.fire_at.to_string(),
    empty: "no fire times",
};

/// The same where runs are named after the start of their data.
pub const BACKFILL_NAMED_ITEM: View<BackfillPlanItem> = View {
    columns: &[
        Column::usual("LOGICAL DATE", |it, style| text(style.at(it.logical_date.or(Some(it.fire_at))))),
        Column::usual("FIRE TIME", |it, style| text(style.at(Some(it.fire_at)))),
        Column::usual("ACTION", |it, _| text(it.action)),
        Column::usual("RUN", |it, _| optional(it.run.as_ref())),
    ],
    name: |it| it.fire_at.to_string(),
    empty: "no dates",
};

/// The same where only some tasks run again.
pub const BACKFILL_PART_ITEM: View<BackfillPlanItem> = View {
    columns: &[
        Column::usual("FIRE TIME", |it, style| text(style.at(Some(it.fire_at)))),
        Column::usual("ACTION", |it, _| text(it.action)),
        Column::usual("TASKS", |it, _| optional(it.tasks)),
        Column::usual("RUN", |it, _| optional(it.run.as_ref())),
        Column::usual("REASON", |it, _| optional(it.reason.as_ref())),
        Column::extra("LOGICAL DATE", |it, style| text(style.at(it.logical_date.or(Some(it.fire_at))))),
    ],
    name: |it| it.fire_at.to_string(),
    empty: "no fire times",
};

/// The same where what depends on them runs, too.
pub const BACKFILL_CASCADE_ITEM: View<BackfillPlanItem> = View {
    columns: &[
        Column::usual("LEVEL", |it, _| text(it.level.unwrap_or(0))),
        Column::usual("JOB", |it, _| optional(it.job.as_ref())),
        Column::usual("FIRE TIME", |it, style| text(style.at(Some(it.fire_at)))),
        Column::usual("ACTION", |it, _| text(it.action)),
        Column::usual("TASKS", |it, _| optional(it.tasks)),
        Column::usual("RUN", |it, _| optional(it.run.as_ref())),
        Column::usual("WHY", |it, _| optional(it.why.as_ref())),
        Column::extra("TRIGGER", |it, _| optional(it.trigger.as_ref())),
        Column::extra("REASON", |it, _| optional(it.reason.as_ref())),
        Column::extra("LOGICAL DATE", |it, style| text(style.at(it.logical_date.or(Some(it.fire_at))))),
    ],
    name: |it| it.fire_at.to_string(),
    empty: "no fire times",
};
