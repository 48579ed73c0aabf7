//! What other limits of a queue would do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::QueueSettings;

/// What limits of a queue would do to the runs that are there now, beside what the present ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueuePreview {
    /// Runs that wait.
    pub waiting: u64,
    /// Whether more may wait: they are counted up to a bound of 100,000.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_least: bool,
    /// Runs that are executed.
    pub running: u64,
    /// What the present limits do.
    pub before: QueueEffect,
    /// What these would do.
    pub after: QueueEffect,
}

/// What limits of a queue do to the runs that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueueEffect {
    /// The limits.
    pub settings: QueueSettings,
    /// Runs that wait and may leave at once, as far as there are slots for them.
    pub leave: u64,
    /// Runs that go on waiting.
    pub wait: u64,
    /// Runs that are executed beyond the limit: they go on, and none leaves before that many have ended.
    pub over: u64,
    /// How long the rate takes for all that wait, in milliseconds; absent without a rate, and for a queue that is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_ms: Option<u64>,
    /// Whether more runs are refused, because as many wait as may.
    pub refuses: bool,
}
