//! Running tasks again in a run that goes on. They are set back in place: their rows wait again, under the next generation.
//!
//! One step of the workflow run does all of it, and names the turn that the plan was made on. So either the plan still held, or nothing
//! is written and it is made again. The step also asks for the ends of runs that are in the way; the node that owns the run
//! [waits for these](crate::workflows) before it starts the tasks.

use mainspring_core::workflow::rerun::{self, Plan, Recorded};
use mainspring_core::workflow::{Shape, Stop, TaskState, Workflow};
use mainspring_core::{RunId, Timestamp};
use mainspring_store::{RunInfo, Stepped, TaskRow, TaskWrite, TimeLimit, WorkflowRow, WorkflowStep};

use super::{RerunAsk, RerunError, RerunPlan};
use crate::control::{Asking, Control, Error, Result, TRIES};

/// Why runs of tasks end that run again.
const CANCELLED: &str = "its task runs again";
/// How long to wait for the end of a run that is to start anew.
const END_WAIT_MS: i64 = 30_000;
const END_STEP_MS: i64 = 50;

/// What came of a request to carry out a plan.
#[derive(Clone, PartialEq, Debug)]
pub enum Reran {
    /// It is carried out: the run in which the tasks run.
    Run(Box<RunInfo>),
    /// The plan that was named no longer holds. This one does.
    Stale(Box<RerunPlan>),
}

/// What carries out a plan in a run that goes on.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct InPlace {
    turn: i64,
    stop: Option<Stop>,
    paused: bool,
    /// How long the run may take, if that has still to be noted.
    limit_ms: Option<i64>,
    tasks: Vec<TaskWrite>,
    cancel: Vec<(RunId, String)>,
}

/// What is kept of the tasks of a run that goes on, if tasks of it can run again now.
pub(super) fn begun(run: RunId, row: Option<&WorkflowRow>) -> std::result::Result<&WorkflowRow, RerunError> {
    match row.filter(|row| row.turn > 0) {
        None => Err(RerunError::Live { run, why: "has not begun yet, so no task of it can run again" }),
        Some(row) if row.stop == Some(Stop::Cancelled) => {
            Err(RerunError::Live { run, why: "is being cancelled: once it is over, it can be run again" })
        }
        Some(row) => Ok(row),
    }
}

/// Where the tasks of a run stand that goes on. One without a row waits.
pub(super) fn recorded(workflow: &Workflow, row: &WorkflowRow) -> Vec<Recorded> {
    let waits = Recorded { state: Some(TaskState::Waiting), by_condition: false };
    let mut recorded = vec![waits; workflow.tasks.len()];
    for task in row.tasks.iter().filter(|task| task.item.is_none()) {
        if let Some(record) = recorded.get_mut(task.task as usize) {
            let by_condition = task.state == TaskState::Skipped && task.reason.is_some();
            *record = Recorded { state: Some(task.state), by_condition };
        }
    }
    recorded
}

impl InPlace {
    pub(super) fn new(
        row: &WorkflowRow,
        limit_ms: Option<i64>,
        (shape, plan): (&Shape, &Plan),
        recorded: &[Recorded],
    ) -> Self {
        let stop = rerun::stop_then(shape, plan, recorded, row.stop);
        // The owner notes the limit with the first step, which this one is then.
        let limit_ms = limit_ms.filter(|_| row.turn == 1);
        let (tasks, cancel) = (Vec::new(), Vec::new());
        let mut it = Self { turn: row.turn, stop, paused: row.paused, limit_ms, tasks, cancel };
        let mut back = rerun::set_back(plan, recorded).into_iter().peekable();
        // Rows are in order of task and item, the whole first.
        for rows in row.tasks.chunk_by(|a, b| a.task == b.task) {
            while back.next_if(|task| *task < rows[0].task).is_some() {}
            if back.next_if_eq(&rows[0].task).is_some() {
                it.set_back(rows);
            }
        }
        it
    }

    /// Sets a task back, given the row of the whole and those of its items.
    fn set_back(&mut self, rows: &[TaskRow]) {
        let generation = rows[0].generation;
        for row in rows.iter().filter(|row| row.generation == generation) {
            let is_running = row.state == TaskState::Running;
            if is_running && let Some(child) = row.child {
                self.cancel.push((child, CANCELLED.to_owned()));
            }
            let (state, generation) = match row.item {
                None => (TaskState::Waiting, generation + 1),
                // Items of an earlier generation count no more. None of them must seem to wait for the end of its run.
                Some(_) if !row.state.is_final() => (TaskState::Cancelled, generation),
                Some(_) => continue,
            };
            self.tasks.push(TaskWrite {
                task: row.task,
                item: row.item,
                state,
                generation,
                reason: None,
                start: None,
                call: None,
            });
        }
    }

    /// Whether nothing has to be set back.
    pub(super) const fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    pub(super) const fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Tells it from plans for earlier generations of the same tasks.
    pub(super) fn name(&self) -> String {
        let whole = self.tasks.iter().filter(|task| task.item.is_none());
        let generations: Vec<String> = whole.map(|task| format!("{}:{}", task.task, task.generation)).collect();
        format!("in place {}", generations.join(","))
    }

    fn step(self, run: RunId, at: Timestamp) -> WorkflowStep {
        let Self { turn, stop, paused, limit_ms, tasks, cancel } = self;
        WorkflowStep {
            run,
            turn,
            heard: Vec::new(),
            tasks,
            cancel,
            stop,
            paused,
            more: true,
            end: None,
            output: None,
            limit: limit_ms.map(|ms| TimeLimit::Ends(at + ms)),
            awaits: Vec::new(),
            settled: Vec::new(),
            over: Vec::new(),
            at,
        }
    }
}

impl Control {
    /// Plans a rerun and carries the plan out. `plan` names the one that was shown, if one was; a run that goes on may move on
    /// meanwhile, as long as the plan stays the same.
    ///
    /// # Errors
    /// As for [`plan_rerun`](Self::plan_rerun) and [`rerun_as_planned`](Self::rerun_as_planned); [`RerunError::Busy`].
    pub async fn rerun_tasks(
        &self,
        run: RunId,
        ask: &RerunAsk,
        plan: Option<&str>,
        asking: Option<Asking>,
    ) -> Result<Reran> {
        for _ in 0..TRIES {
            let now = self.plan_rerun(run, ask).await?;
            if plan.is_some_and(|plan| plan != now.hash) {
                return Ok(Reran::Stale(Box::new(now)));
            }
            let in_place = now.is_in_place();
            match self.rerun_as_planned(now, asking).await {
                Err(Error::Rerun(RerunError::Overtaken { .. })) if in_place => {}
                done => return Ok(Reran::Run(Box::new(done?))),
            }
        }
        Err(RerunError::Busy { run }.into())
    }

    /// Sets tasks of a run back, if it is where the plan was made.
    pub(super) async fn set_back(&self, run: RunId, in_place: InPlace) -> Result<RunInfo> {
        match self.store.step_workflow(in_place.step(run, self.now())).await? {
            Stepped::Written(_) => {
                self.workflows.wake();
                self.run(run).await
            }
            Stepped::Stale => Err(RerunError::Overtaken { run }.into()),
        }
    }

    /// Cancels a run of a plain job and waits for its end, so that it may start anew.
    pub(in crate::control) async fn end_first(&self, run: RunId) -> Result<()> {
        match self.cancel(run, "it starts anew").await {
            // It has ended meanwhile.
            Ok(_) | Err(Error::Store(mainspring_store::Error::Conflict { what: "run", .. })) => {}
            Err(error) => return Err(error),
        }
        let (mut alarm, until) = (self.clock.alarm(), self.clock.now() + END_WAIT_MS);
        while !self.run(run).await?.state.is_final() {
            if self.clock.now() >= until {
                let why = "was asked to end and has not done so yet: ask again, and it starts anew once it has";
                return Err(RerunError::Live { run, why }.into());
            }
            alarm.wait_until(self.clock.now() + END_STEP_MS).await;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::job::{Job, JobKey, Task};
    use mainspring_core::workflow::TaskDefinition;
    use mainspring_core::workflow::rerun::Selection;
    use mainspring_core::{JobId, JobVersion, RunSource};

    use super::*;

    #[test]
    fn first_step_of_a_run_notes_its_limit_whoever_writes_it() {
        let key = JobKey::new("default", "etl");
        let workflow = Workflow {
            tasks: vec![TaskDefinition::new("a", Job::new(key.clone(), Task::Noop))],
            ..Workflow::default()
        };
        let shape = workflow.shape().expect("a graph");
        let run = RunId::new(Timestamp::from_millis(1), RunSource::Asked(JobId(1), 1));
        let row = WorkflowRow {
            run,
            job: JobId(1),
            key,
            job_version: JobVersion(1),
            fire_time: Timestamp::from_millis(1),
            priority: 0,
            input: None,
            turn: 1,
            stop: None,
            paused: false,
            timed_out: false,
            ended: None,
            rerun_as: None,
            tasks: Vec::new(),
            inbox: Vec::new(),
        };
        let recorded = recorded(&workflow, &row);
        let selection = Selection::Tasks { tasks: vec![0], downstream: false, upstream: false };
        let plan = rerun::plan(&shape, &recorded, &selection, false).expect("nothing runs");
        let at = Timestamp::from_millis(5);
        for (turn, limit_ms, expected) in
            [(1, Some(7), Some(TimeLimit::Ends(at + 7))), (2, Some(7), None), (1, None, None)]
        {
            let row = WorkflowRow { turn, ..row.clone() };
            let step = InPlace::new(&row, limit_ms, (&shape, &plan), &recorded).step(run, at);
            assert_eq!(step.limit, expected, "turn {turn}");
        }
    }
}
