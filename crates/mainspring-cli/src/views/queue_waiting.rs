//! What holds the runs of a queue back, and what its namespaces have of it, in tables.

use mainspring_api::{QueueReason, QueueShare, QueueWaiting};
use serde::Serialize;

use super::{optional, text};
use crate::output::{Column, View};

/// Runs that a table names of those that hold a limit.
const NAMED: usize = 3;

/// Something that holds runs of a queue back.
#[derive(Debug, Clone, Serialize)]
pub struct Hindrance {
    /// Whether the runs wait in the queue, or do not come into it yet.
    in_queue: bool,
    #[serde(flatten)]
    reason: QueueReason,
}

/// What holds the runs of a queue back: those that wait in it, and those that wait for their jobs.
#[must_use]
pub fn hindrances(waiting: QueueWaiting) -> Vec<Hindrance> {
    let in_queue = waiting.reasons.into_iter().map(|reason| Hindrance { in_queue: true, reason });
    in_queue.chain(waiting.held.into_iter().map(|reason| Hindrance { in_queue: false, reason })).collect()
}

/// Columns of what holds runs back.
pub const QUEUE_WHY: View<Hindrance> = View {
    columns: &[
        Column::usual("RUNS", |it, _| text(it.reason.count)),
        Column::usual("WHERE", |it, _| {
            text(if it.in_queue { "queue" } else { it.reason.job.as_deref().unwrap_or("job") })
        }),
        Column::usual("CODE", |it, _| text(it.reason.code)),
        Column::usual("WHY", |it, _| text(&it.reason.message)),
        Column::usual("HELD BY", |it, _| {
            let holders = &it.reason.holders;
            let named: Vec<_> = holders.iter().take(NAMED).map(|run| format!("{} {}", run.job, run.id)).collect();
            let more = holders.len().saturating_sub(NAMED);
            let more = (more > 0).then(|| format!("and {more} more"));
            let all = named.into_iter().chain(more).collect::<Vec<_>>().join(", ");
            optional(Some(all).filter(|all| !all.is_empty()))
        }),
        Column::extra("HINT", |it, _| optional(it.reason.hint.as_ref())),
    ],
    name: |it| it.reason.code.to_string(),
    empty: "nothing waits",
};

/// Columns of what namespaces have of a queue.
pub const QUEUE_SHARE: View<QueueShare> = View {
    columns: &[
        Column::usual("NAMESPACE", |it, _| text(&it.namespace)),
        Column::usual("WAITING", |it, _| text(it.count)),
        Column::usual("RUNNING", |it, _| text(it.running)),
        Column::usual("SHARE", |it, _| text(format_args!("{}.{}%", it.share_permille / 10, it.share_permille % 10))),
    ],
    name: |it| it.namespace.clone(),
    empty: "nothing waits or runs",
};
