//! What people ask of workflow runs, and what becomes of the runs of their tasks.

use std::sync::Arc;

use mainspring_core::batch::{Completion, CompletionBatch, Queues};
use mainspring_core::line::WORKFLOW_LINE;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, Origin, Verdict};
use mainspring_core::workflow::TaskState;
use mainspring_core::workflow::rerun::{self, Recorded, Selection};
use mainspring_core::{JobId, JobVersion, RunId, RunSource, Timestamp};
use mainspring_store::{AskedRun, Store, TaskRequest, TaskRow, TaskVerb, TaskWrite, WorkflowRow, WorkflowStep};

use super::desk::DEADLINE_MS;
use super::{What, World};
use crate::faults::Kind;
use crate::store::ready;

/// Runs that somebody starts at most.
const RUNS_MAX: usize = 24;
/// Runs of tasks that are executed at a time.
const SLOTS: usize = 6;

impl World {
    /// Somebody starts a run.
    pub(super) fn start(&mut self) {
        if self.healed || self.runs.len() - self.called.len() >= RUNS_MAX {
            return;
        }
        let again = self.random.between(500, 12_000);
        self.after(again, What::Start);
        let at = self.time();
        let id = self.ask_for(self.job, at);
        self.tell(|| format!("run {id} is asked for"));
        self.plan_needed(at);
    }

    /// Asks for a run of a workflow.
    pub(super) fn ask_for(&mut self, (job, job_version): (JobId, JobVersion), fire_time: Timestamp) -> RunId {
        let at = self.time();
        let id = RunId::new(at, RunSource::Asked(job, self.runs.len() as u64 + 1));
        let asked = AskedRun {
            id,
            job,
            job_version,
            origin: Origin::Manual,
            input: None,
            queue: WORKFLOW_LINE.to_owned(),
            priority: 0,
            rerun_of: None,
            repeat: None,
            caller: None,
            fire_time,
            at,
        };
        ready(self.memory.ask_run(asked)).expect("a job has no limit unless it says so");
        self.runs.push(id);
        id
    }

    /// Somebody asks something of a run that goes on.
    pub(super) fn ask(&mut self) {
        if self.healed {
            return;
        }
        let again = self.random.between(100, 3_000);
        self.after(again, What::Ask);
        let open = self.open();
        if open.is_empty() {
            return;
        }
        let run = *self.random.pick(&open);
        let graph = self.graph_of(run);
        let task = u32::try_from(self.random.index(graph.len())).expect("few");
        let verb = match self.random.below(16) {
            0 => return self.request(run, TaskVerb::Cancel, None, None),
            1..=3 => return self.request(run, TaskVerb::Pause, None, None),
            4..=6 => return self.request(run, TaskVerb::Resume, None, None),
            7..=10 => return self.run_again(run, task),
            11 => TaskVerb::Cancel,
            12 => TaskVerb::CancelBranch,
            13 => TaskVerb::Skip,
            14 => TaskVerb::Succeed,
            _ => TaskVerb::Fail,
        };
        let item = graph.items(task).filter(|_| self.random.chance(500_000));
        let item = item.map(|count| u32::try_from(self.random.below(count.into())).expect("few"));
        self.request(run, verb, Some(task), item);
    }

    fn request(&mut self, run: RunId, verb: TaskVerb, task: Option<u32>, item: Option<u32>) {
        let request = TaskRequest { verb, task, item, by: None, reason: None, at: self.time() };
        let heard = ready(self.memory.ask_workflow(run, request)).expect("the memory store is open");
        self.tell(|| format!("{verb:?} of {task:?} {item:?} of run {run}: {heard}"));
    }

    /// Whatever is paused goes on.
    pub(super) fn resume_all(&mut self) {
        for run in self.open() {
            self.request(run, TaskVerb::Resume, None, None);
        }
    }

    /// Sets a task back, and perhaps all below it, in a run that goes on.
    fn run_again(&mut self, run: RunId, task: u32) {
        let row = ready(self.memory.workflow(run, 0)).expect("the memory store is open");
        let Some(row) = row.filter(|row| row.turn > 0 && row.ended.is_none() && row.stop.is_none()) else { return };
        let (downstream, cancel_running) = (self.random.chance(500_000), self.random.chance(500_000));
        let selection = Selection::Tasks { tasks: vec![task], downstream, upstream: false };
        let graph = self.graph_of(run);
        let shape = &graph.shape;
        let recorded = recorded(graph.len(), &row);
        let Ok(plan) = rerun::plan(shape, &recorded, &selection, cancel_running) else { return };
        let back = rerun::set_back(&plan, &recorded);
        // Items of earlier generations count no more.
        let generation = |task: u32| row.tasks.iter().find(|row| row.task == task).map(|row| row.generation);
        let is_current = |it: &&TaskRow| generation(it.task) == Some(it.generation);
        let rows = row.tasks.iter().filter(|row| back.contains(&row.task)).filter(is_current);
        let cancel = rows.clone().filter(|row| row.state == TaskState::Running);
        let cancel = cancel.filter_map(|row| Some((row.child?, "its task runs again".to_owned()))).collect();
        let tasks: Vec<TaskWrite> = rows
            .filter(|row| row.item.is_none() || !row.state.is_final())
            .map(|row| TaskWrite {
                task: row.task,
                item: row.item,
                state: if row.item.is_none() { TaskState::Waiting } else { TaskState::Cancelled },
                generation: row.generation + u32::from(row.item.is_none()),
                reason: None,
                start: None,
                call: None,
            })
            .collect();
        if tasks.is_empty() {
            return;
        }
        let stop = rerun::stop_then(shape, &plan, &recorded, row.stop);
        self.tell(|| format!("tasks {back:?} of run {run} are set back at turn {}", row.turn));
        let step = WorkflowStep { tasks, cancel, stop, paused: row.paused, more: true, ..self.step_of(run, row.turn) };
        self.send(None, step, None, None);
    }

    /// Workers take what waits.
    pub(super) fn work(&mut self) {
        let again = self.random.between(20, 150);
        self.after(again, What::Work);
        let room = u32::try_from(SLOTS.saturating_sub(self.bodies.len())).expect("few");
        if room == 0 {
            return;
        }
        let batch = self.batch();
        let claimed = ready(self.memory.claim(batch, &Queues::All, room, self.time()));
        for claimed in claimed.expect("the memory store is open") {
            self.numbers += 1;
            let number = self.numbers;
            let takes_ms = if self.random.chance(50_000) { 10_000 } else { self.random.between(5, 1_500) };
            self.bodies.insert(number, claimed);
            self.after(takes_ms, What::BodyEnds(number));
        }
    }

    pub(super) fn body_ends(&mut self, number: u64) {
        let Some(claimed) = self.bodies.get(&number).cloned() else { return };
        let found = ready(self.memory.run(claimed.run)).expect("the memory store is open");
        let is_cancelled = found.is_some_and(|run| run.cancel_requested_at.is_some());
        let fails = !self.healed && self.random.chance(120_000);
        let (outcome, verdict) = match (is_cancelled, fails) {
            (true, _) => (AttemptOutcome::Cancelled, Verdict::Cancelled),
            (_, true) => (AttemptOutcome::Failed, Verdict::Failed),
            _ => (AttemptOutcome::Succeeded, Verdict::Succeeded),
        };
        self.tell(|| format!("run {} ends: {verdict:?}", claimed.run));
        let at = self.time();
        let entry = Completion {
            run: claimed.run,
            held_by: None,
            job: claimed.job,
            job_version: claimed.job_version,
            trigger: None,
            attempt: claimed.attempt,
            outcome,
            then: AfterAttempt::Final(verdict),
            started_at: Some(at),
            ended_at: at,
            detail: None,
            rearm: None,
            deadline: None,
        };
        let batch = Arc::new(CompletionBatch { id: self.batch(), at, entries: vec![entry.clone()] });
        if self.hops
            && let Some((load, step, live)) = self.ahead(claimed.run, verdict.into())
        {
            self.send(Some(load), step, Some(live), Some(batch));
            // Without an answer it is sent again.
            return self.after(DEADLINE_MS + 1, What::BodyEnds(number));
        }
        self.bodies.remove(&number);
        ready(self.memory.complete(Arc::clone(&batch))).expect("the memory store is open");
        // A report that comes again, and one that somebody sends anew, change nothing.
        if self.chance(self.odds.duplicate, Kind::Duplicate) {
            ready(self.memory.complete(batch)).expect("the memory store is open");
            let anew = CompletionBatch { id: self.batch(), at, entries: vec![entry] };
            ready(self.memory.complete(Arc::new(anew))).expect("the memory store is open");
        }
    }
}

/// Where the tasks of a run stand. One without a row waits.
fn recorded(count: usize, row: &WorkflowRow) -> Vec<Recorded> {
    let waits = Recorded { state: Some(TaskState::Waiting), by_condition: false };
    let mut recorded = vec![waits; count];
    for task in row.tasks.iter().filter(|task| task.item.is_none()) {
        recorded[task.task as usize] = Recorded { state: Some(task.state), by_condition: false };
    }
    recorded
}
