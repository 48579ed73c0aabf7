//! Queues: what waits in them, and what is set for them and for labels of jobs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::QueueLately;
use crate::Timestamp;

/// A queue as the API shows it. Unfinished runs are counted up to ten thousand, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// What is set for it.
    #[serde(flatten)]
    pub settings: QueueSettings,
    /// Why it was paused. This and the next two are there while it is paused, if somebody asked for the pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_reason: Option<String>,
    /// When it was paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<Timestamp>,
    /// Who paused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_by: Option<String>,
    /// Runs that wait in it.
    pub queued: u64,
    /// Runs of it that are executed.
    pub running: u64,
    /// When the oldest that waits was due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_due_at: Option<Timestamp>,
    /// Workers that take runs from it, beside servers.
    pub workers: u32,
    /// How it did in the last minutes; absent where nothing waited and nothing left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lately: Option<QueueLately>,
}

/// Which runs that wait in a queue are to wait in another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueMove {
    /// The queue in which they are to wait.
    pub to: String,
    /// Only runs of this job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The namespace of the job, where it is not `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// How many move at most: those that would leave first. Without it, as many as one request may move: 10000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Why; the server notes it in its log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The queue in which one run is to wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunMove {
    /// Its name.
    pub queue: String,
    /// Why; the server notes it in its log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How many runs wait in another queue now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueueMoved {
    /// Runs that have moved.
    pub moved: u32,
    /// Whether more may wait: the request moved as many as it may. Ask again.
    pub more: bool,
}

/// What is set for a queue. Without any of it, runs leave as fast as there are slots, and any number may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueSettings {
    /// Nothing leaves it; what runs goes on.
    #[serde(default)]
    pub paused: bool,
    /// Runs that are executed at a time, over all nodes and workers; at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_running: Option<u32>,
    /// How fast runs leave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<QueueRate>,
    /// Runs that wait in it at a time; 1 to 100000. Where as many wait, runs that are asked for are refused, and fires suppressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_waiting: Option<u32>,
}

/// So many runs in a time, evenly spread; what a second allows may leave at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueRate {
    /// How many, at least 1 and at most a million a second.
    pub count: u32,
    /// In how many milliseconds: 1 to a day.
    pub per_ms: u32,
}

/// A label of jobs whose runs are limited, whatever their queues and namespaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LabelLimit {
    /// `NAME=VALUE`.
    pub label: String,
    /// Runs that are executed at a time, over all nodes and workers.
    pub max_running: u32,
    /// Runs that are executed and count.
    pub running: u32,
}

/// The limit of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LabelSettings {
    /// Runs that are executed at a time, over all nodes and workers; at least 1.
    pub max_running: u32,
}
