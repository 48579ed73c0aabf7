//! What goes in and out of a store for tasks that wait for tasks of other workflows, by date.
//!
//! Such a task has a row that says what it awaits. The transaction that ends what is awaited leaves a
//! [request to look](crate::TaskVerb::Look) in the inbox of the workflow run that waits. Whoever advances that run looks once the row is
//! written, and with each request: what it sees then decides.

use mainspring_core::run::RunState;
use mainspring_core::workflow::TaskState;
use mainspring_core::{RunId, Timestamp};

/// What a task of a workflow run awaits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Await {
    /// The number of the task that waits.
    pub task: u32,
    /// The name of the job whose runs are awaited, in the namespace of the workflow.
    pub upstream: String,
    /// Which of its tasks; whole runs if absent. Ends of runs are told in both cases.
    pub of_task: Option<String>,
    /// The first date of these runs.
    pub first: Timestamp,
    /// The last one.
    pub last: Timestamp,
}

/// How a run stands, and one of its tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stands {
    /// How the run ended; absent while it is live.
    pub ended: Option<RunState>,
    /// The state of the task as a whole; absent if nothing has happened to it.
    pub task: Option<TaskState>,
    /// The newest run that repeats it, if it is of a workflow.
    pub rerun_as: Option<RunId>,
}
