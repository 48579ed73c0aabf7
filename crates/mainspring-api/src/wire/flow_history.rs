//! What flows did minute by minute.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Timestamp;

/// Which part of the history of a flow is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FlowHistoryFilter {
    /// How many minutes back, 1 to 1,440; 1,440 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1440)]
    pub minutes: Option<u32>,
    /// The name of a component or connection: minutes then have what is known of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// What a flow did in a minute. Minutes in which nothing happened are left out: queues are then as they were before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowMinute {
    /// When the minute began.
    pub at: Timestamp,
    /// What components did, by name. Those that did nothing are left out.
    pub components: BTreeMap<String, FlowCounts>,
    /// What queues held at its end, by name. Those that were empty are left out.
    pub queues: BTreeMap<String, FlowHeld>,
}

/// What a component did in a minute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowCounts {
    /// Items that it took.
    pub items_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Items that it put into queues.
    pub items_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Bodies that ended.
    pub tasks: u64,
    /// How long these ran together, in milliseconds.
    pub task_ms: u64,
}

/// What a queue held at the end of a minute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowHeld {
    /// Items, those of bodies included.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
}
