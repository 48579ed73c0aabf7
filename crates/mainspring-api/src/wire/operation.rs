//! Operations over many jobs or runs, and saved views.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::words;
use crate::Timestamp;

/// What is done to each job, or run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationAction {
    /// None of its triggers fires.
    Pause,
    /// Its triggers fire again.
    Resume,
    /// A run starts now.
    Run,
    /// Its runs that are not final are cancelled.
    Cancel,
    /// The job goes with its triggers; its history is kept.
    Delete,
    /// Labels are set and removed.
    Label,
    /// Of runs: each starts again as a new run with the same input. Those that a query finds are final, have failed unless it asks for
    /// another `state`, and have not been run again yet.
    Rerun,
}
words!(OperationAction: Pause = "pause", Resume = "resume", Run = "run", Cancel = "cancel", Delete = "delete", Label = "label",
    Rerun = "rerun");

/// Which jobs; where the action is `rerun`, which runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationSelector {
    /// Their namespace; for runs, `-` is all of them.
    pub namespace: String,
    /// Their names, 1 to 100,000; for runs, their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// In place of names: a query as the list of jobs takes it, or that of runs; empty for all of the namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
}

/// An operation that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationSpec {
    /// What is done.
    pub action: OperationAction,
    /// To which jobs or runs.
    pub selector: OperationSelector,
    /// Why; kept with the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Labels that are set, where the action is `label`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub add_labels: BTreeMap<String, String>,
    /// Names of labels that are removed, where the action is `label`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_labels: Vec<String>,
}

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationState {
    /// Nothing was begun: it says what would be done.
    Planned,
    /// At work.
    Running,
    /// Over: every job was done, or has failed.
    Done,
    /// Ended on request before it was over. What was done stays done.
    Cancelled,
    /// Its node ended before it was over. What was done stays done; ask for the rest again.
    Interrupted,
    /// Something that this client does not know.
    #[serde(other)]
    Unknown,
}
words!(OperationState: Planned = "planned", Running = "running", Done = "done", Cancelled = "cancelled", Interrupted = "interrupted", Unknown = "unknown");

/// One job or run that an operation could not do something to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct OperationError {
    /// The job, or the run.
    pub name: String,
    /// Code of the error.
    pub code: String,
    /// What was wrong.
    pub message: String,
}

/// Something that is done to many jobs or runs, one after the other. Kept for a week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Operation {
    /// Its id.
    pub id: String,
    /// What is done.
    pub action: OperationAction,
    /// The namespace of the jobs or runs.
    pub namespace: String,
    /// How far it is.
    pub state: OperationState,
    /// How many there are.
    pub total: u32,
    /// How many were done.
    pub done: u32,
    /// How many have failed.
    pub failed: u32,
    /// Where nothing was begun: the first ten of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sample: Vec<String>,
    /// Who has begun it, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The first 100 that have failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<OperationError>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Incarnation of the node that does it.
    pub node: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Whether somebody has asked to end it.
    #[serde(default)]
    pub cancel_asked: bool,
}

/// What a page shows, under a name: shared by all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewSpec {
    /// The page: `jobs`, `runs`.
    pub page: String,
    /// What is looked for there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Which columns are shown, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// By what it is sorted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// By what its rows are grouped: a field such as `owner`, or `label:NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// A saved view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct View {
    /// Its name.
    pub name: String,
    /// Counts its changes, from 1; also in `ETag`.
    pub version: u64,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// What it shows.
    #[serde(flatten)]
    pub spec: ViewSpec,
}

/// Which views.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ViewFilter {
    /// Only those of a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}
