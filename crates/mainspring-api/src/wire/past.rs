//! Past runs: what another scheduler has executed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::AttemptState;
use crate::timestamp::Timestamp;

/// Runs of a job that another scheduler has executed, to be kept in its history.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PastRuns {
    /// Where they come from, for people, such as `XXL-JOB`; at most 64 characters.
    pub source: String,
    /// The runs, in any order; at most 1,000.
    #[schemars(length(max = 1_000))]
    #[schema(max_items = 1_000)]
    pub runs: Vec<PastRun>,
}

impl PastRuns {
    /// Runs that one request brings at most.
    pub const MAX: usize = 1_000;
}

/// A run that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PastRun {
    /// Names the record that it is made of, together with the job and `due_at`: 1 to 128 characters. One that is there already is not
    /// added again.
    pub key: String,
    /// When it was due.
    pub due_at: Timestamp,
    /// Its attempts, first to last: 1 to 100. The last one says how the run has ended.
    #[schemars(length(min = 1, max = 100))]
    #[schema(min_items = 1, max_items = 100)]
    pub attempts: Vec<PastAttempt>,
    /// Who executed it, for people; at most 120 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// What people should know of it; at most 256 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What it was given; at most 64 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// What it has left; at most 64 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

/// An attempt of a run that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PastAttempt {
    /// How it has ended: any state but `running`.
    pub outcome: AttemptState,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Exit code, HTTP status, or code of another protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// A stable word for the error, such as `xxl.failed`; at most 64 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Why it failed, for people; at most 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What came of bringing past runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PastRunsAdded {
    /// How many were added.
    pub added: u64,
    /// How many were there already.
    pub known: u64,
}
