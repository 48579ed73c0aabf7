//! The stream of the console: small messages that something has changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::Timestamp;

/// What a stream is for, and where it goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StreamFilter {
    /// Topics with commas between them: `runs`, `jobs`, `queues`, `workers`, `cluster`, `stats`, `flows`, `run:ID` (that run and its tasks), `job:NAMESPACE/NAME`, `flow:NAMESPACE/NAME`; at most 100.
    pub topics: String,
    /// The id of the last event, for those who cannot send the header `Last-Event-ID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event_id: Option<String>,
}

/// Something of a topic has changed: the data of `event: change`. There are at most four of a topic in a second, so one may stand for
/// many changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LiveChange {
    /// Position within this stream's node. Events of a quarter of a second share one.
    pub seq: u64,
    /// The topic.
    pub topic: String,
    /// What has changed, where that is one thing: a run, or `NAMESPACE/NAME` of a job or flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its members that are known to be different now. Of a run: `state`, `namespace`, `job`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// How many things have changed; absent where that was not counted, because there were too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Each of them, where there are 2 to 50. Otherwise look at all again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<LiveItem>,
}

/// One of several things that have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LiveItem {
    /// A run, or `NAMESPACE/NAME` of a job or flow.
    pub id: String,
    /// Its members that are known to be different now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
}

/// Figures of now, once a second: the data of `event: stats`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LiveStats {
    /// Runs that are executed, on all nodes and workers.
    pub running: u64,
    /// Runs that wait in queues.
    pub queued: u64,
    /// Fires of the node that answers, since it started.
    pub fires_total: u64,
    /// Failed runs that ended on the node that answers, since it started.
    pub failed_total: u64,
    /// How late handlers were entered on it during the last minutes: 99 of 100 were not later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_p99_ms: Option<u32>,
    /// Workers of all nodes.
    pub workers: u64,
    /// Nodes.
    pub nodes: u32,
    /// The server's clock.
    pub now: Timestamp,
}
