//! From rows of the store to resources of the API.

mod cluster;
mod job;
mod run;
mod trigger;
mod worker;

use mainspring_api as api;
use mainspring_schedule::Timestamp;

pub(crate) use cluster::{figures as lateness_figures, lateness, nodes, shard_moves, shard_owners, shards};
pub(crate) use job::{JobView, job};
pub(crate) use run::{Runs, attempt, definition_of, own_labels, reason, shard, summary};
pub(crate) use trigger::trigger;
pub(crate) use worker::{worker_task, workers};

/// The same instant on the wire.
pub(crate) const fn instant(at: Timestamp) -> api::Timestamp {
    api::Timestamp::from_millis(at.as_millis())
}

/// The same instant from the wire.
pub(crate) const fn from_wire(at: api::Timestamp) -> Timestamp {
    Timestamp::from_millis(at.as_millis())
}

/// A count or version, which is never negative.
pub(crate) fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
