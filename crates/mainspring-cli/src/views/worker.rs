//! Workers and their tokens in tables.

use mainspring_api::{Worker, WorkerToken};

use super::cluster::clock;
use super::{optional, text};
use crate::output::{Column, View, dash};

/// Columns of workers.
pub const WORKER: View<Worker> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("ID", |it, _| text(&it.id)),
        Column::usual("QUEUES", |it, _| text(it.queues.join(", "))),
        Column::usual("RUNNING", |it, _| text(format_args!("{}/{}", it.running, it.slots))),
        Column::usual("STATE", |it, _| text(if it.draining { "draining" } else { "active" })),
        Column::usual("CLOCK", |it, _| text(clock(it.clock_offset_ms))),
        Column::usual("HEARD", |it, style| text(style.at(Some(it.heard_at)))),
        Column::usual("NODE", |it, _| optional(it.node.as_ref())),
        Column::extra("LABELS", |it, _| text(labels(it))),
        Column::extra("JOINED", |it, style| text(style.at(Some(it.joined_at)))),
        Column::extra("VERSION", |it, _| optional(it.version.as_ref())),
    ],
    name: |it| it.id.clone(),
    empty: "no workers",
};

/// Columns of tokens.
pub const WORKER_TOKEN: View<WorkerToken> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("QUEUES", |it, _| {
            text(if it.queues.is_empty() { "all".to_owned() } else { it.queues.join(", ") })
        }),
        Column::usual("CREATED", |it, style| text(style.at(Some(it.created_at)))),
        Column::usual("EXPIRES", |it, style| text(style.at(it.expires_at))),
    ],
    name: |it| it.name.clone(),
    empty: "no tokens of workers",
};

fn labels(worker: &Worker) -> String {
    let labels: Vec<String> = worker.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if labels.is_empty() { dash() } else { labels.join(", ") }
}
