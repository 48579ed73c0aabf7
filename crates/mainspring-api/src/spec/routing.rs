//! Which worker executes a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How a worker is picked from those of the queue that have the labels of `workers`. Workers are in the order of their names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// Whoever has a free slot.
    #[default]
    Any,
    /// The first.
    First,
    /// The last.
    Last,
    /// One after the other.
    Round,
    /// Each as likely as the others.
    Random,
    /// Always the same for the same job, or for the same `routing_key`, while it lives.
    ConsistentHash,
    /// The one that was given the fewest runs of the job.
    LeastFrequentlyUsed,
    /// The one whose last run of the job is the longest ago.
    LeastRecentlyUsed,
    /// The first that was heard lately.
    Failover,
    /// The first with a free slot and no run of the job; until there is one, the run waits.
    BusyOver,
    /// Each of them: a run of its own for each, a shard, and the run ends when all of these have.
    ShardingBroadcast,
}
