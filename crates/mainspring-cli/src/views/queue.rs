//! Queues in tables.

use mainspring_api::Queue;
use serde::Serialize;

use super::queue_history::{sparkline, took};
use super::{optional, text, yes};
use crate::output::{Column, View, dash, duration};

/// Columns of queues.
pub const QUEUE: View<Queue> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("QUEUED", |it, _| text(it.queued)),
        Column::usual("RUNNING", |it, _| text(it.running)),
        Column::usual("LATELY", |it, _| {
            text(it.lately.as_ref().map_or_else(String::new, |lately| sparkline(&lately.depths)))
        }),
        Column::usual("OLDEST DUE", |it, style| text(style.at(it.oldest_due_at))),
        Column::usual("PAUSED", |it, _| yes(it.settings.paused)),
        Column::usual("MAX RUNNING", |it, _| optional(it.settings.max_running)),
        Column::usual("RATE", |it, _| {
            let rate = it.settings.rate.map(|rate| format!("{}/{}", rate.count, duration(rate.per_ms.into())));
            text(rate.unwrap_or_else(dash))
        }),
        Column::usual("MAX WAITING", |it, _| optional(it.settings.max_waiting)),
        Column::usual("WORKERS", |it, _| text(it.workers)),
        Column::extra("IN 5MIN", |it, _| optional(it.lately.as_ref().map(|lately| lately.arrived))),
        Column::extra("OUT 5MIN", |it, _| optional(it.lately.as_ref().map(|lately| lately.left))),
        Column::extra("WAIT P95", |it, _| optional(it.lately.as_ref().and_then(|lately| took(lately.wait_p95_ms)))),
        Column::extra("FILLS UP", |it, _| yes(it.lately.as_ref().is_some_and(|lately| lately.is_filling))),
        Column::extra("DRAINS IN", |it, _| {
            let drain_ms = it.lately.as_ref().and_then(|lately| lately.drain_ms);
            optional(drain_ms.map(|ms| duration(i64::try_from(ms).unwrap_or(i64::MAX))))
        }),
        Column::extra("PAUSED BY", |it, _| optional(it.paused_by.as_ref())),
        Column::extra("PAUSED SINCE", |it, style| text(style.at(it.paused_at))),
        Column::extra("REASON", |it, _| optional(it.pause_reason.as_ref())),
    ],
    name: |it| it.name.clone(),
    empty: "no queues",
};

/// How many runs have moved to another queue.
#[derive(Debug, Serialize)]
pub struct MovedRuns {
    /// Where they waited.
    pub from: String,
    /// Where they wait.
    pub to: String,
    /// How many.
    pub moved: u64,
}

/// Columns of what has moved.
pub const MOVED: View<MovedRuns> = View {
    columns: &[
        Column::usual("FROM", |it, _| text(&it.from)),
        Column::usual("TO", |it, _| text(&it.to)),
        Column::usual("MOVED", |it, _| text(it.moved)),
    ],
    name: |it| it.to.clone(),
    empty: "no runs",
};
