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
    /// Runs that do not wait in the queue yet, because as many of their job are unfinished as may be: job by job, with most runs first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<QueueReason>,
    /// Of which namespaces the runs are that wait or are executed, that of most waiting runs first. Of runs for which a worker is
    /// picked, this is not known.
    pub namespaces: Vec<QueueShare>,
    /// The runs that are due to leave first. Where runs of several namespaces wait, these take turns.
    pub head: Vec<Run>,
}

/// Why runs of a queue wait: what is in the way of the one that leaves first of those that wait alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
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
    /// The job whose limit it is, with its namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Where a limit is in the way, runs that count in it, 20 at most, and the one that began first is the first: each that ends lets
    /// one more go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<Run>,
}

/// How many runs of a namespace wait in a queue and are executed of it, and what it gets of the claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct QueueShare {
    /// The namespace; of a name of more than 119 bytes, the beginning.
    pub namespace: String,
    /// How many wait.
    pub count: u64,
    /// How many are executed; of all unfinished runs, ten thousand are looked at.
    #[serde(default)]
    pub running: u64,
    /// Which part of what leaves next is of it, in thousandths: namespaces in which runs wait get equal parts, and one that has fewer runs
    /// leaves the rest to the others.
    #[serde(default)]
    pub share_permille: u32,
}
