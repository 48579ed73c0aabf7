//! Runs that wait get another place in their queue, and what people have changed about queues.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{QueueSettings, words};
use crate::Timestamp;

/// An end of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueEnd {
    /// Before all others that wait in it.
    First,
    /// Behind all others that wait in it.
    Last,
}
words!(QueueEnd: First = "first", Last = "last");

/// Where a run that waits is to stand in its queue: at an end of it, or where a priority puts it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunPlace {
    /// At this end: it gets the priority that puts it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<QueueEnd>,
    /// In place of an end: the priority that it gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Why; kept among the changes of the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who asks, as the caller says, such as `ann@laptop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What somebody did to a queue or to what waits in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueAction {
    /// Its limits were set.
    Set,
    /// It was paused.
    Pause,
    /// Its pause was ended.
    Resume,
    /// Runs that waited in it were put into another queue.
    Move,
    /// A run that waited got another place.
    Place,
    /// A run that waited was dropped: it ended cancelled.
    Drop,
    /// Something newer than this client.
    #[serde(other)]
    Unknown,
}
words!(QueueAction: Set = "set", Pause = "pause", Resume = "resume", Move = "move", Place = "place", Drop = "drop", Unknown = "unknown");

/// Something that somebody has changed about a queue. Kept for 90 days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueueChange {
    /// Its id; that of a newer change is less.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// Who, as far as it is known.
    pub by: String,
    /// What was done.
    pub action: QueueAction,
    /// Why, as was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The run that it was done to, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The job of that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// How many runs have moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// Where they went: the other queue, or `first` or `last`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The priorities that the run had before and has since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<PriorityChange>,
    /// What was set before and is since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<SettingsChange>,
}

/// The priorities of a run that got another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PriorityChange {
    /// The one that it had.
    pub before: i32,
    /// The one that it has.
    pub after: i32,
}

/// What was set for a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct SettingsChange {
    /// What it was.
    pub before: QueueSettings,
    /// What it is since.
    pub after: QueueSettings,
}
