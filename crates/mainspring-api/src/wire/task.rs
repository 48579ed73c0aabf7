//! Tasks of workflows: as they are defined, and where they stand in a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{TaskState, words};
use crate::{RunState, Timestamp, TriggerRule, Why};

/// The graph of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct JobGraph {
    /// Namespace.
    pub namespace: String,
    /// Name of the workflow.
    pub job: String,
    /// Version that is shown.
    pub version: u64,
    /// Tasks, in the order of their names.
    pub tasks: Vec<GraphTask>,
    /// How many edges there are between them.
    pub edges: u64,
    /// How many groups of tasks follow each other at least.
    pub waves: u32,
    /// A longest chain of tasks that need each other.
    pub longest_path: Vec<String>,
}

/// A task of a workflow as it is defined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct GraphTask {
    /// Name.
    pub name: String,
    /// What it does: `run`, `exec`, `http`, `handler`, `noop`, `wait`, `approval`, `workflow`, `external` where it waits for another
    /// workflow, or `group` where it stands for a group: then it needs the tasks of that.
    pub kind: String,
    /// Workflow or job that it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Group that it lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// From 1: one more than the latest wave of the tasks that it needs.
    pub wave: u32,
    /// Tasks that must end first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// When it may run, given how these ended.
    pub trigger_rule: TriggerRule,
    /// Condition that is asked before it runs.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// `matrix` or `map`, where it runs more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<String>,
    /// Whether its failure counts as success.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continue_on_error: bool,
    /// Whether it runs when all others have ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub finally: bool,
}

/// Which version of a graph is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct GraphFilter {
    /// Version; the present one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// A task of a workflow run, or one item of a task that runs more than once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RunTask {
    /// Name; of an item, with its number in brackets.
    pub name: String,
    /// Where it stands.
    pub state: TaskState,
    /// Why it stands there, when that needs saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How often it was made to wait again.
    pub generation: u32,
    /// Tasks that must end first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// When it may run, given how these ended.
    pub trigger_rule: TriggerRule,
    /// Whether it runs when all others have ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub finally: bool,
    /// Its newest run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Workflow run that ran it, where this one repeats that and has kept the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_from: Option<String>,
    /// Where that run stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_state: Option<RunState>,
    /// Attempts that this run has opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// When its newest attempt started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When the task ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// When it came into its state; absent where nothing has happened to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// How many items it has in each state, where it runs more than once and has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<TaskCounts>,
    /// Group that it lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// How many tasks are in each state, where it stands for a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TaskCounts>,
}

/// A task of a workflow run with what it waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RunTaskDetail {
    /// The task.
    pub task: RunTask,
    /// Why it stands where it does: which tasks, which rule, which limit.
    pub why: Why,
}

/// How many tasks are in each state. States without a task are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct TaskCounts {
    /// All of them.
    pub total: u32,
    /// Not allowed yet.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiting: u32,
    /// Owed a run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ready: u32,
    /// With a run that is not final.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub running: u32,
    /// Done, and well.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub succeeded: u32,
    /// Done, and not well.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u32,
    /// Never started, because of others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub upstream_failed: u32,
    /// Left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u32,
    /// Ended on request.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cancelled: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl TaskCounts {
    /// Counts a task in `state`.
    pub fn add(&mut self, state: TaskState) {
        self.total += 1;
        let count = match state {
            TaskState::Waiting => &mut self.waiting,
            TaskState::Ready => &mut self.ready,
            TaskState::Running => &mut self.running,
            TaskState::Succeeded => &mut self.succeeded,
            TaskState::Failed => &mut self.failed,
            TaskState::UpstreamFailed => &mut self.upstream_failed,
            TaskState::Skipped => &mut self.skipped,
            TaskState::Cancelled => &mut self.cancelled,
            TaskState::Unknown => return,
        };
        *count += 1;
    }
}

/// Says it as people read it.
///
/// ```
/// use mainspring_api::{TaskCounts, TaskState};
/// let mut counts = TaskCounts::default();
/// [TaskState::Succeeded, TaskState::Succeeded, TaskState::Waiting].map(|state| counts.add(state));
/// assert_eq!(counts.to_string(), "3 tasks: 2 succeeded, 1 waiting");
/// ```
impl std::fmt::Display for TaskCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = [
            (self.succeeded, TaskState::Succeeded),
            (self.failed, TaskState::Failed),
            (self.upstream_failed, TaskState::UpstreamFailed),
            (self.skipped, TaskState::Skipped),
            (self.cancelled, TaskState::Cancelled),
            (self.running, TaskState::Running),
            (self.ready, TaskState::Ready),
            (self.waiting, TaskState::Waiting),
        ];
        let parts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, state)| format!("{count} {state}")).collect();
        write!(f, "{} task{}: {}", self.total, if self.total == 1 { "" } else { "s" }, parts.join(", "))
    }
}

/// Which tasks of a run are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TaskFilter {
    /// State.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<TaskState>,
    /// Name of a task that runs more than once: its items, in place of the tasks of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items_of: Option<String>,
    /// `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Items at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What of a workflow run is to end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskCancel {
    /// Whether all tasks end, too, that need it, directly or not. Those that run last still run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub downstream: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who asks, as the caller says; the server notes it and cannot check it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What a task is taken for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskMark {
    /// How it ended.
    pub state: Marked,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who asks, as the caller says; the server notes it and cannot check it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What a task may be marked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Marked {
    /// Done, and well: what needs it goes on.
    Succeeded,
    /// Done, and not well.
    Failed,
}
words!(Marked: Succeeded = "succeeded", Failed = "failed");
