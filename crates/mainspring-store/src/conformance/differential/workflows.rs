//! Random requests about runs of workflows.

use mainspring_core::JobVersion;
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::run::{RunState, Verdict as End};
use mainspring_core::workflow::{Stop, TaskDefinition, TaskState, TriggerRule, Workflow};

use super::{Pair, Result, RunId, RunInfo, ShardSet, Store, Verdict, same};
use crate::workflow::{Message, TaskRequest, TaskStart, TaskVerb, TaskWrite, WorkflowRow, WorkflowStep};

/// The names of the tasks, in their order.
const TASKS: [&str; 3] = ["a", "b", "c"];

/// A step of a workflow. Each bit of a mask stands for a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) starts: u8,
    pub(super) skips: u8,
    pub(super) cancels: u8,
    pub(super) hears: u8,
    pub(super) more: bool,
    pub(super) stale: bool,
    pub(super) end: Option<u8>,
}

/// What a workflow's job does.
pub(super) fn tasks(key: &JobKey) -> Task {
    let task = |name: &&str| TaskDefinition {
        name: (*name).to_owned(),
        job: Job::new(key.clone(), Task::Noop),
        needs: Vec::new(),
        trigger_rule: TriggerRule::AllSuccess,
        condition: None,
        spread: None,
        hold: None,
        call: None,
        max_parallel: None,
        continue_on_error: false,
        finally: false,
        group: None,
        joins: None,
        outputs: Vec::new(),
    };
    Task::Workflow(Box::new(Workflow { tasks: TASKS.iter().map(task).collect(), ..Workflow::default() }))
}

/// The version that a run carries: people are shown that of its job.
pub(super) fn version_of(run: &RunInfo) -> JobVersion {
    let task = run.task.as_ref().and_then(|name| TASKS.iter().position(|task| name == task));
    let task = task.and_then(|task| u32::try_from(task).ok());
    task.map_or(run.job_version, |task| run.job_version.of_task(task))
}

impl Pair {
    /// Begins workflow runs that wait to be begun, up to two.
    pub(super) async fn begin(&self) -> Verdict {
        let (a, b) = (&*self.kit.store, &*self.other);
        same("workflows_due", a.workflows_due(ShardSet::ALL, 9).await, b.workflows_due(ShardSet::ALL, 9).await)?;
        let due = a.workflows_due(ShardSet::ALL, 9).await.expect("workflows_due");
        let runs: Vec<RunId> = due.iter().filter(|due| due.begins).map(|due| due.run).take(2).collect();
        let begun = [a, b].map(|store| store.begin_workflows(runs.clone(), self.now()));
        let [first, second] = begun;
        same("begin_workflows", first.await, second.await)
    }

    /// Begun runs that go on.
    async fn begun(&self) -> Vec<RunId> {
        let mut begun = Vec::new();
        for run in self.kit.all_runs().await.iter().filter(|run| run.state == RunState::Running) {
            let row = self.kit.store.workflow(run.id, 0).await.expect("workflow");
            begun.extend(row.map(|row| row.run));
        }
        begun
    }

    /// Writes steps of the first runs that go on, of which the first one may be late and the others go on as they are.
    pub(super) async fn step(&self, shape: Shape) -> Verdict {
        let (a, b) = (&*self.kit.store, &*self.other);
        let (mut to_a, mut to_b) = (Vec::new(), Vec::new());
        for run in self.begun().await.into_iter().take(3) {
            let rows = [a, b].map(|store| store.workflow(run, 100));
            let [first, second] = rows;
            let (first, second) = (first.await.expect("workflow"), second.await.expect("workflow"));
            let (Some(first), Some(second)) = (first, second) else { return Err("workflow: one has it".to_owned()) };
            let shape = if to_a.is_empty() { shape } else { Shape { stale: false, end: None, ..shape } };
            to_a.push(self.written(&first, shape));
            to_b.push(self.written(&second, shape));
        }
        same("step_workflows", a.step_workflows(to_a).await, b.step_workflows(to_b).await)
    }

    fn written(&self, row: &WorkflowRow, shape: Shape) -> WorkflowStep {
        let Shape { starts, skips, cancels, hears, more, stale, end } = shape;
        let has = |mask: u8, task: u32| mask & (1 << task) != 0;
        let child = |task: u32| row.tasks.iter().find(|row| row.task == task).and_then(|row| row.child);
        let generation = u32::try_from(row.turn).unwrap_or(0);
        let write = |task: u32| {
            let start = TaskStart {
                name: TASKS[task as usize].to_owned(),
                line: "default".to_owned(),
                priority: 5,
                input: Some("{}".to_owned()),
                expires_at: has(cancels, task).then_some(self.now() + 1_500),
            };
            let state = if has(starts, task) { TaskState::Running } else { TaskState::Skipped };
            let reason = has(skips, task).then(|| format!("why {}", self.step));
            TaskWrite {
                task,
                item: None,
                state,
                generation,
                reason,
                start: has(starts, task).then_some(start),
                call: None,
            }
        };
        let cancels = (0..3).filter(|task| has(cancels, *task)).filter_map(child).map(|run| (run, "why".to_owned()));
        WorkflowStep {
            run: row.run,
            turn: row.turn + i64::from(stale),
            heard: row.inbox.iter().take(usize::from(hears)).map(|message| message.id).collect(),
            tasks: (0..3).filter(|task| has(starts | skips, *task)).map(write).collect(),
            cancel: cancels.collect(),
            stop: more.then_some(Stop::Failed),
            paused: stale,
            more,
            end: end.map(|end| (if end == 0 { End::Succeeded } else { End::Cancelled }, None)),
            output: None,
            limit: None,
            awaits: Vec::new(),
            settled: Vec::new(),
            over: Vec::new(),
            at: self.now(),
        }
    }

    /// Asks something of the first run that goes on, or of another.
    pub(super) async fn ask_workflow(&self, other: Option<RunId>) -> Verdict {
        let Some(run) = other.or(self.begun().await.first().copied()) else { return Ok(()) };
        let (task, reason) = (Some(1), Some("why".to_owned()));
        let request = TaskRequest { verb: TaskVerb::Skip, task, item: None, by: None, reason, at: self.now() };
        let (a, b) = (&*self.kit.store, &*self.other);
        same("ask_workflow", a.ask_workflow(run, request.clone()).await, b.ask_workflow(run, request).await)
    }

    /// Compares what can be seen of a run if it is of a workflow.
    pub(super) async fn same_workflow(&self, run: RunId) -> Verdict {
        same("workflow", read(&*self.kit.store, run).await, read(&*self.other, run).await)
    }
}

/// A workflow run without the numbers of its messages, in the order of which others may come between.
async fn read(store: &dyn Store, run: RunId) -> Result<Option<WorkflowRow>> {
    let mut row = store.workflow(run, 100).await?;
    for message in row.iter_mut().flat_map(|row| &mut row.inbox) {
        *message = Message { id: 0, body: message.body.clone() };
    }
    Ok(row)
}
