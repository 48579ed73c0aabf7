//! What waits in a queue, and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Run, WhyCode};

/// How much of what waits is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct QueueWaitingFilter {
    /// Runs that are shown, 0 to 100; 10 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(maximum = 100)]
    pub limit: Option<u32>,
}

/// What waits in a queue, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueueWaiting {
    /// Its name.
    pub queue: String,
    /// Runs that wait.
    pub count: u64,
    /// Whether more may wait: they are counted up to a bound of 100,000.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_least: bool,
    /// Why they wait, the reason of most runs first.
    pub reasons: Vec<QueueReason>,
    /// Of which namespaces they are, that of most runs first. Of runs for which a worker is picked, this is not known.
    pub namespaces: Vec<QueueShare>,
    /// The runs that are due to leave first. Where runs of several namespaces wait, these take turns.
    pub head: Vec<Run>,
}

/// Why runs of a queue wait: what is in the way of the one that leaves first of those that wait alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueueReason {
    /// What kind of reason.
    pub code: WhyCode,
    /// The reason, for people.
    pub message: String,
    /// What helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How many runs wait for this.
    pub count: u64,
}

/// How many runs of a namespace wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueueShare {
    /// The namespace; of a name of more than 119 bytes, the beginning.
    pub namespace: String,
    /// How many.
    pub count: u64,
}
