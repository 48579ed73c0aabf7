//! Running a run again: what is asked for, and what would happen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words;
use crate::{BackfillActions, BackfillPlanItem, RunState, TaskState};

/// How a run is to run again. Without tasks, `failed` or `missing`, all of it does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"tasks": ["extract"], "downstream": true, "version": "latest", "plan": "5c0e8b1f2a94"}))]
pub struct Rerun {
    /// Names of tasks of a workflow run that are to run again. The others keep their results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
    /// With `tasks`: also all that need them, directly or not, and the tasks that run last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub downstream: bool,
    /// With `tasks`: also all that they need, directly or not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub upstream: bool,
    /// What failed or was cancelled, what did not start because of it, and the tasks that run last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// What the run has no record of.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    /// Version of the workflow: `pinned` (that of the run, and the usual one), `latest`, or its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Of a run that goes on: cancels chosen tasks that run first, or the whole run if it has no tasks. They start again once these runs
    /// have ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancel_running: bool,
    /// Plan that is to be carried out, as [`RerunPlan::plan`] names it: refused if there would be another one by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Why, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who asks, as the caller says; the server notes it and cannot check it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What a rerun of a workflow run would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[schema(example = json!({
    "plan": "5c0e8b1f2a94", "run": "019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11", "namespace": "default", "job": "etl", "state": "failed",
    "job_version": 7, "version": 7, "latest_version": 9, "reruns": 2, "keeps": 1, "goes_on": 0, "cancels": 0, "cannot_run": 0, "gone": 0, "in_place": false, "estimate_ms": 61000,
    "tasks": [
        {"name": "extract", "action": "keep", "state": "succeeded", "reason": "succeeded", "estimate_ms": 30000},
        {"name": "load", "action": "rerun", "state": "failed", "reason": "chosen", "estimate_ms": 60000},
        {"name": "report", "action": "rerun", "state": "upstream_failed", "reason": "after load", "estimate_ms": 1000}
    ]
}))]
pub struct RerunPlan {
    /// Names the plan and all that it was made from: [`Rerun::plan`] takes it.
    pub plan: String,
    /// Run that is repeated.
    pub run: String,
    /// Its namespace.
    pub namespace: String,
    /// Its job.
    pub job: String,
    /// How it ended, or stands.
    pub state: RunState,
    /// Version that it ran.
    pub job_version: u64,
    /// Version that is to run.
    pub version: u64,
    /// Newest version of the job.
    pub latest_version: u64,
    /// Newest run that repeats this one, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_as: Option<String>,
    /// How many tasks would run again.
    pub reruns: u64,
    /// How many would keep their results.
    pub keeps: u64,
    /// How many go on as they are, in a run that goes on.
    #[serde(default)]
    pub goes_on: u64,
    /// How many run and would be cancelled first.
    #[serde(default)]
    pub cancels: u64,
    /// Whether the tasks would run again in the run itself, because it goes on. Otherwise a new run begins.
    #[serde(default)]
    pub in_place: bool,
    /// How many would have to run and cannot.
    pub cannot_run: u64,
    /// How many the version that is to run does not have.
    pub gone: u64,
    /// How long it would take if nothing had to wait for a worker: the longest chain of medians of past runs, as far as there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_ms: Option<u64>,
    /// Each task, in the order of their names; then those that are gone.
    pub tasks: Vec<RerunTask>,
    /// Of a rerun with what depends on it in other workflows: how many of their dates, by what is done about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<BackfillActions>,
    /// These dates, level by level: the first 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependants: Vec<BackfillPlanItem>,
}

/// What would become of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RerunTask {
    /// Name.
    pub name: String,
    /// What would happen.
    pub action: RerunAction,
    /// How it ended or stands in the run that is repeated; absent if that has no record of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<TaskState>,
    /// Why, in words.
    pub reason: String,
    /// How it differs from the task of that run, where another version is to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<RerunChange>,
    /// How long it took in the median of past runs, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_ms: Option<u64>,
}

/// What a rerun does with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RerunAction {
    /// It runs once what it needs has ended.
    Rerun,
    /// It stays as it ended, with what it has left.
    Keep,
    /// It has not ended in a run that goes on, and is left alone.
    GoesOn,
    /// It would run, but what it needs is kept in a state that does not allow it.
    CannotRun,
    /// The version that is to run does not have it.
    Gone,
    /// An action newer than this client.
    #[serde(other)]
    Unknown,
}
words!(RerunAction: Rerun = "rerun", Keep = "keep", GoesOn = "goes on", CannotRun = "cannot run", Gone = "gone", Unknown = "unknown");

/// How a task differs from that of the run that is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RerunChange {
    /// The version of that run does not have it.
    New,
    /// It is defined in another way.
    Changed,
    /// A difference newer than this client.
    #[serde(other)]
    Unknown,
}
words!(RerunChange: New = "new", Changed = "changed", Unknown = "unknown");
