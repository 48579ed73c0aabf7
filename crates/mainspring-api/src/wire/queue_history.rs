//! How queues did over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::Timestamp;

/// Which part of a queue's history is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct QueueHistoryFilter {
    /// From here on; an hour before `to` when absent. At most 100 days back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// Up to here; now when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
    /// How long a point stands for, in milliseconds; as long as makes about a hundred points when absent. Made longer where it is not a
    /// multiple of what is kept: minutes for 2 days, quarters of an hour for 8 days, three hours for 100 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_ms: Option<u64>,
}

/// How a queue did over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueueHistory {
    /// Its name.
    pub queue: String,
    /// When the first point begins.
    pub from: Timestamp,
    /// When the last point ends.
    pub to: Timestamp,
    /// How long each point stands for, in milliseconds.
    pub step_ms: u64,
    /// Without gaps, the oldest first. The last one may go on.
    pub points: Vec<QueuePoint>,
}

/// How a queue did within a part of time. Where nothing waited and nothing left, all is 0; so it is where no server ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueuePoint {
    /// When it begins.
    pub at: Timestamp,
    /// Runs that came: those that left, and those by which the queue has grown. What was cancelled or moved away while it waited counts
    /// against them.
    pub arrived: u64,
    /// Runs that left to be executed: they were claimed, or started as they fired.
    pub left: u64,
    /// Runs that waited at the end.
    pub depth: u64,
    /// Runs that waited at most.
    pub depth_max: u64,
    /// Whether more may have waited: runs are counted up to a bound of 100,000.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub depth_is_least: bool,
    /// What half of those that left had waited at most, from when they were due, in milliseconds; a fifth too high at most. This and the
    /// next two are absent where none left that had not been tried before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_p50_ms: Option<u32>,
    /// What nineteen of twenty had waited at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_p95_ms: Option<u32>,
    /// What the one had waited that waited longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_max_ms: Option<u32>,
}

/// How a queue did lately: in the last five whole minutes, and in the present one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueueLately {
    /// How many runs waited at most in each of these minutes, the oldest first; the present one is the last.
    pub depths: Vec<u64>,
    /// Runs that came in the five whole minutes.
    pub arrived: u64,
    /// Runs that left in them.
    pub left: u64,
    /// What nineteen of twenty runs that left, in the present minute too, had waited at most, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_p95_ms: Option<u32>,
    /// Whether more runs came than left in every one of the five minutes.
    pub is_filling: bool,
    /// How long what waits would take to leave at the pace of the five minutes if nothing more came, in milliseconds; absent where nothing
    /// waits or nothing left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_ms: Option<u64>,
}
