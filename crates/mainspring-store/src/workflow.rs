//! What goes in and out of a store for runs of workflows.
//!
//! A run of a workflow is a row of `run` like any other, which waits in [`WORKFLOW_LINE`](mainspring_core::line::WORKFLOW_LINE). Once
//! it is begun it is `running` and held by nobody: it has a row of `workflow_run`, whose `turn` counts what was written. Whoever
//! advances it names the turn that it has seen, so that of two nodes one wins and the other reads again.
//!
//! Tasks are rows of `workflow_task`; one that nothing has happened to has none. A task that is `running` has a run of its own, with
//! `parent_run`, `root_run` and the task's name, whose version [stands for the task](mainspring_core::JobVersion::of_task). The
//! transaction that ends such a run leaves its end in the workflow run's inbox, and requests of people come the same way.
//!
//! A task that starts another workflow has no such run. Its row names a run of that other job before there is one, so that an end that
//! comes soon finds who it is told to; then that run is [asked for](crate::Store::ask_run) with its [caller](crate::Caller).

use std::sync::Arc;

use crate::Error;
use crate::awaits::Await;
use mainspring_core::job::JobKey;
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::workflow::{Stop, TaskState};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp};

/// A workflow run that has something to do: it is to be begun, or its inbox is not empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkflowDue {
    /// The run.
    pub run: RunId,
    /// Its job.
    pub job: JobId,
    /// The version that it runs.
    pub job_version: JobVersion,
    /// Whether it waits to be [begun](crate::Store::begin_workflow).
    pub begins: bool,
}

/// Where a workflow run stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkflowRow {
    /// The run.
    pub run: RunId,
    /// Its job.
    pub job: JobId,
    /// Its job's key.
    pub key: JobKey,
    /// The version that it runs.
    pub job_version: JobVersion,
    /// The instant that it stands for.
    pub fire_time: Timestamp,
    /// Its priority, which its tasks have where they name none.
    pub priority: i32,
    /// JSON given with the run.
    pub input: Option<String>,
    /// Counts what was written; 0 before it begins, if it repeats another one, and once it is final.
    pub turn: i64,
    /// Why nothing starts any more.
    pub stop: Option<Stop>,
    /// Whether nothing new starts until it is resumed.
    pub paused: bool,
    /// Whether its time was over before it ended.
    pub timed_out: bool,
    /// How it ended; absent while it is live.
    pub ended: Option<RunState>,
    /// The newest run that repeats it.
    pub rerun_as: Option<RunId>,
    /// Tasks to which something has happened, and runs of those that run more than once, in order of task and item.
    pub tasks: Vec<TaskRow>,
    /// What has not been heard yet, oldest first.
    pub inbox: Vec<Message>,
}

/// What a workflow run begins with that repeats another one, which is over.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Repeat {
    /// The newest run that repeats the other one, as far as the request knows. Another one is in its way.
    pub after: Option<RunId>,
    /// Tasks that are final there and are not to run: they begin with the rows that they have there.
    pub keep: Vec<KeptTask>,
}

/// A task that a run takes over from the one that it repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptTask {
    /// Its number there.
    pub there: u32,
    /// Its number here, in the version that is to run.
    pub here: u32,
}

/// Where a task of a workflow run stands, or one of its runs if it runs more than once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskRow {
    /// Its number.
    pub task: u32,
    /// Which run of a task that runs more than once, from 0. Absent: the task as a whole.
    pub item: Option<u32>,
    /// The state.
    pub state: TaskState,
    /// How often it was made to wait again.
    pub generation: u32,
    /// The latest run made for it.
    pub child: Option<RunId>,
    /// Why it is in its state, where that is not plain: what a condition said, or who asked for it and why.
    pub reason: Option<String>,
    /// When it came into its state.
    pub since: Timestamp,
}

/// Something that a workflow run is to hear.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Its place in the inbox.
    pub id: i64,
    /// What it says.
    pub body: MessageBody,
}

/// What a workflow run is to hear.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageBody {
    /// The run of a task is final.
    Ended {
        /// That run.
        child: RunId,
        /// How it ended.
        state: RunState,
    },
    /// Somebody asks for something.
    Asked(TaskRequest),
}

impl MessageBody {
    /// Whether it says that a run has ended.
    pub(crate) fn is_end_of(&self, run: RunId) -> bool {
        matches!(self, Self::Ended { child, .. } if *child == run)
    }
}

/// What people ask of a workflow run. Kept as JSON.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct TaskRequest {
    /// What is to happen.
    pub verb: TaskVerb,
    /// To which task; to the whole run if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u32>,
    /// To which run of a task that runs more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<u32>,
    /// Who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl TaskRequest {
    /// Tells a run that its time is over.
    pub(crate) fn time_out(at: Timestamp) -> Self {
        Self { verb: TaskVerb::TimeOut, task: None, item: None, by: None, reason: None, at }
    }

    /// Tells a run that something has ended which one of its tasks may await.
    pub(crate) const fn look(task: u32, at: Timestamp) -> Self {
        Self { verb: TaskVerb::Look, task: Some(task), item: None, by: None, reason: None, at }
    }

    /// Asks for the end of a whole run.
    pub(crate) fn cancel(reason: &str, at: Timestamp) -> Self {
        Self { verb: TaskVerb::Cancel, task: None, item: None, by: None, reason: Some(reason.to_owned()), at }
    }
}

/// What may be asked of a workflow run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskVerb {
    /// End it: the whole run, or a task.
    Cancel,
    /// End a task and all that need it, directly or not.
    CancelBranch,
    /// Start nothing new until it is resumed. The whole run.
    Pause,
    /// Go on. The whole run.
    Resume,
    /// Leave a task out that has not started.
    Skip,
    /// Take a task for succeeded.
    Succeed,
    /// Take a task for failed.
    Fail,
    /// Approve what a task asks for.
    Approve,
    /// Reject it.
    Reject,
    /// End the whole run, whose time is over. Nobody asks for it but the store.
    TimeOut,
    /// Look again whether what a task awaits of another workflow has ended. Nobody asks for it but the store.
    Look,
}

/// One step of a workflow run: a transaction, whole or not at all.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkflowStep {
    /// The run.
    pub run: RunId,
    /// The [`WorkflowRow::turn`] that it was decided on.
    pub turn: i64,
    /// Messages that are heard with it, and leave the inbox.
    pub heard: Vec<i64>,
    /// Tasks that change, each task and item once.
    pub tasks: Vec<TaskWrite>,
    /// Live runs of tasks whose end is asked for, and why.
    pub cancel: Vec<(RunId, String)>,
    /// Why nothing starts any more from now on.
    pub stop: Option<Stop>,
    /// Whether it is paused from now on.
    pub paused: bool,
    /// Whether there is more to do at once: the run stays [due](crate::Store::workflows_due), though nobody has told it anything. A
    /// run is due like this once it is begun.
    pub more: bool,
    /// How the run ends, and why where that is not plain. Its rows of tasks stay until retention takes the run.
    pub end: Option<(Verdict, Option<String>)>,
    /// What the run leaves with its end: JSON of at most [`INLINE_MAX`](mainspring_core::output::INLINE_MAX) bytes.
    pub output: Option<String>,
    /// What tasks await of other workflows from now on, in place of what they awaited before.
    pub awaits: Vec<Await>,
    /// Tasks that end with it and await nothing of other workflows any more.
    pub settled: Vec<u32>,
    /// Names of tasks that end with it: those who await them are told.
    pub over: Vec<Arc<str>>,
    /// What is known of its time limit from now on; as before if absent.
    pub limit: Option<TimeLimit>,
    /// When.
    pub at: Timestamp,
}

/// The limit of the time that a workflow run may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeLimit {
    /// The run hears [`TaskVerb::TimeOut`] then, once.
    Ends(Timestamp),
    /// It was reached, and the run ends by it.
    Reached,
    /// There is none any more.
    Lifted,
}

/// A task that changes.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskWrite {
    /// Its number.
    pub task: u32,
    /// Which run of a task that runs more than once.
    pub item: Option<u32>,
    /// The state from now on; `running` goes with a run.
    pub state: TaskState,
    /// How often it was made to wait again.
    pub generation: u32,
    /// Why it is in its state.
    pub reason: Option<String>,
    /// The run that is made for it.
    pub start: Option<TaskStart>,
    /// The run of another job that it is to start: its row names it, and whoever has written that [asks for it](crate::Store::ask_run).
    pub call: Option<RunId>,
}

/// A run that is made for a task, and queued. It counts in no gate: the workflow's run does. Its fire time is that of the workflow run.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskStart {
    /// The task's name, with the item in brackets if it runs more than once.
    pub name: String,
    /// Where it waits.
    pub line: String,
    /// Higher goes first.
    pub priority: i32,
    /// What it is given: JSON that a store does not look into.
    pub input: Option<String>,
    /// When it ends by itself if it still waits then.
    pub expires_at: Option<Timestamp>,
}

/// What came of a [`WorkflowStep`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stepped {
    /// It is written, and the turn is one higher. The runs that were made, in the order of the writes that asked for one.
    Written(Vec<RunId>),
    /// The run is at another turn, or over: nothing is written.
    Stale,
}

/// What a run is refused for that was to repeat another one, which somebody else has repeated meanwhile.
pub(crate) fn repeated(of: RunId) -> Error {
    Error::Conflict { what: REPEATED, key: of.to_string(), why: "was repeated meanwhile".to_owned() }
}

/// What [`Error::Conflict`](crate::Error::Conflict) names where a run was repeated by somebody else.
pub const REPEATED: &str = "rerun of a workflow run";

/// Returns at most `limit` of what is due, in this order: neither what is to be begun nor what is to be heard has more than half of it while
/// the other could have more. So a backlog of new runs does not keep those under way from their ends, and the other way round.
pub(crate) fn shared(mut begins: Vec<WorkflowDue>, mut hears: Vec<WorkflowDue>, limit: u32) -> Vec<WorkflowDue> {
    let limit = limit as usize;
    hears.truncate(limit - begins.len().min(limit / 2));
    begins.truncate(limit - hears.len());
    begins.append(&mut hears);
    begins
}

#[cfg(test)]
mod tests {
    use mainspring_core::RunSource;

    use super::*;

    #[test]
    fn runs_to_begin_and_runs_that_hear_share_a_look() {
        let some = |count: usize, begins| {
            let run = RunId::new(Timestamp::from_millis(0), RunSource::Asked(JobId(1), 1));
            vec![WorkflowDue { run, job: JobId(1), job_version: JobVersion(1), begins }; count]
        };
        for (begins, hears, limit, expected) in [
            (9, 9, 4, (2, 2)),
            (9, 1, 4, (3, 1)),
            (1, 9, 4, (1, 3)),
            (9, 9, 1, (0, 1)),
            (9, 0, 1, (1, 0)),
            (1, 1, 9, (1, 1)),
        ] {
            let due = shared(some(begins, true), some(hears, false), limit);
            let found = due.iter().filter(|due| due.begins).count();
            assert_eq!((found, due.len() - found), expected, "{begins}, {hears}, {limit}");
        }
    }
}
