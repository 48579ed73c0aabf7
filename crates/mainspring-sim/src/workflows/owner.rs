//! A node that owns the runs, or believes so: it hears what their inboxes hold, and writes what follows.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::RunId;
use mainspring_core::cluster::ShardSet;
use mainspring_core::run::Verdict;
use mainspring_core::workflow::{End, Progress, Row, Shape, Step, TaskState, branch, counted};
use mainspring_store::{
    MessageBody, RunQuery, Store, TaskRequest, TaskStart, TaskVerb, TaskWrite, WorkflowRow, WorkflowStep,
};

use super::{Graph, Load, What, World, ledger};
use crate::store::ready;

/// How often a node looks what is due.
const LOOK_MS: u64 = 200;
/// Messages that are read at a time, and rows that one step changes, about: few, so that much takes several.
const INBOX_MAX: u32 = 4;
const STEP_MAX: usize = 4;

/// A process, and the runs that it has in memory.
#[derive(Default)]
pub(super) struct Node {
    pub(super) is_up: bool,
    /// Whether it believes that the runs are its own.
    pub(super) owns: bool,
    /// Until when it stands still.
    pub(super) still: u64,
    /// Counts its process starts and takeovers.
    number: u64,
    live: BTreeMap<RunId, Live>,
    /// Runs of which a step is on its way.
    busy: BTreeSet<RunId>,
}

impl Node {
    pub(super) fn up() -> Self {
        Self { is_up: true, ..Self::default() }
    }

    pub(super) fn still_until(&self, now: u64) -> Option<u64> {
        (self.is_up && self.still > now).then_some(self.still)
    }

    /// Forgets all runs.
    pub(super) fn forget(&mut self) {
        self.number += 1;
        self.owns = false;
        self.live.clear();
        self.busy.clear();
    }
}

/// A run in memory.
pub(super) struct Live {
    turn: i64,
    progress: Progress,
    paused: bool,
    /// Runs of tasks that have not ended, as far as is known, and the newest of each task.
    children: BTreeMap<RunId, u32>,
    latest: BTreeMap<u32, RunId>,
    /// Tasks that are ready and have no run.
    owed: BTreeSet<u32>,
    writes: BTreeSet<u32>,
    cancel: BTreeSet<RunId>,
    more: bool,
    verdict: Option<Verdict>,
}

/// Where a run stands by its rows.
pub(super) fn progress_of(shape: &Shape, row: &WorkflowRow) -> Progress {
    let mut rows = vec![Row::NEW; shape.graph().len()];
    for task in &row.tasks {
        rows[task.task as usize] = Row { state: task.state, generation: task.generation };
    }
    Progress::from_rows(shape, rows, row.stop)
}

impl Live {
    fn of(shape: &Shape, row: &WorkflowRow) -> Self {
        let progress = progress_of(shape, row);
        let latest: BTreeMap<u32, RunId> = row.tasks.iter().filter_map(|it| Some((it.task, it.child?))).collect();
        let state = |task: u32| progress.rows()[task as usize].state;
        let runs = latest.iter().filter(|(task, _)| state(**task) == TaskState::Running);
        let children = runs.map(|(task, child)| (*child, *task)).collect();
        let owed = shape.graph().tasks().filter(|task| state(*task) == TaskState::Ready).collect();
        Self {
            turn: row.turn,
            paused: row.paused,
            children,
            latest,
            owed,
            writes: BTreeSet::new(),
            cancel: BTreeSet::new(),
            more: false,
            verdict: None,
            progress,
        }
    }

    fn row(&self, task: u32) -> Row {
        self.progress.rows()[task as usize]
    }

    /// The run of a task that has not ended.
    fn child(&self, task: u32) -> Option<RunId> {
        self.latest.get(&task).copied().filter(|child| self.children.contains_key(child))
    }

    fn hear(&mut self, shape: &Shape, graph: &Graph, message: &MessageBody) {
        match message {
            MessageBody::Ended { child, state } => {
                if let Some(task) = self.children.remove(child) {
                    self.end(shape, task, counted(*state));
                }
            }
            MessageBody::Asked(request) => self.asked(shape, graph, request),
        }
    }

    fn asked(&mut self, shape: &Shape, graph: &Graph, request: &TaskRequest) {
        let Some(task) = request.task else {
            match request.verb {
                TaskVerb::Cancel => {
                    let step = self.progress.cancel(shape, STEP_MAX);
                    self.absorb(shape, step);
                }
                TaskVerb::Pause => self.paused = true,
                TaskVerb::Resume => self.paused = false,
                _ => {}
            }
            return;
        };
        if request.verb == TaskVerb::CancelBranch {
            let workflow = graph.job.workflow().expect("it is a workflow");
            for task in branch(workflow, shape.graph(), task) {
                let one = TaskRequest { verb: TaskVerb::Cancel, task: Some(task), ..request.clone() };
                self.asked(shape, graph, &one);
            }
            return;
        }
        let state = self.row(task).state;
        let is_running = state == TaskState::Running;
        match request.verb {
            _ if state.is_final() => {}
            TaskVerb::Cancel if is_running => self.cancel_task(shape, task),
            TaskVerb::Cancel => self.end(shape, task, TaskState::Cancelled),
            TaskVerb::Skip if !is_running => self.end(shape, task, TaskState::Skipped),
            TaskVerb::Succeed | TaskVerb::Fail => {
                self.cancel.extend(self.child(task));
                let end = if request.verb == TaskVerb::Fail { TaskState::Failed } else { TaskState::Succeeded };
                self.end(shape, task, end);
            }
            _ => {}
        }
    }

    /// Asks for the end of a task's run; without one, it is over.
    fn cancel_task(&mut self, shape: &Shape, task: u32) {
        match self.child(task) {
            Some(child) => _ = self.cancel.insert(child),
            None => self.end(shape, task, TaskState::Cancelled),
        }
    }

    fn end(&mut self, shape: &Shape, task: u32, state: TaskState) {
        let end = End { task, generation: self.row(task).generation, state };
        let step = self.progress.advance(shape, &[end], STEP_MAX);
        self.absorb(shape, step);
    }

    fn absorb(&mut self, shape: &Shape, step: Step) {
        for &task in &step.changed {
            self.writes.insert(task);
            if self.row(task).state == TaskState::Ready {
                self.owed.insert(task);
            } else {
                self.owed.remove(&task);
            }
        }
        (self.more, self.verdict) = (step.more, step.verdict);
        for task in step.cancel {
            self.cancel_task(shape, task);
        }
    }

    /// Tasks that may start now: no earlier run of them is left.
    fn startable(&self, unfinished: &BTreeSet<u32>) -> Vec<u32> {
        if self.paused {
            return Vec::new();
        }
        self.owed.iter().copied().filter(|task| !unfinished.contains(task)).collect()
    }

    /// Takes in the runs that a step has made which is kept.
    pub(super) fn written(&mut self, tasks: &[TaskWrite], made: &[RunId]) {
        self.turn += 1;
        for (write, child) in tasks.iter().filter(|write| write.start.is_some()).zip(made) {
            self.children.insert(*child, write.task);
            self.latest.insert(write.task, *child);
        }
    }
}

impl World {
    /// Gives the runs to a node.
    pub(super) fn take(&mut self, node: usize) {
        self.nodes[node].forget();
        self.desk.lost(node);
        self.nodes[node].owns = true;
        let load = Load { node, number: self.nodes[node].number };
        self.after(1, What::Look(load));
    }

    fn is_there(&self, load: Load) -> bool {
        let node = &self.nodes[load.node];
        node.is_up && node.owns && node.number == load.number
    }

    pub(super) fn look(&mut self, load: Load) {
        if self.is_there(load) {
            self.pass(load);
            self.after(LOOK_MS, What::Look(load));
        }
    }

    /// Advances what is due.
    pub(super) fn pass(&mut self, load: Load) {
        if !self.is_there(load) {
            return;
        }
        let due = ready(self.memory.workflows_due(ShardSet::ALL, 100)).expect("the memory store is open");
        for due in due {
            let is_begun = !due.begins
                || ready(self.memory.begin_workflow(due.run, self.time())).expect("the memory store is open");
            if is_begun && !self.nodes[load.node].busy.contains(&due.run) {
                self.advance(load, due.run);
            }
        }
    }

    /// Hears what is new of a run, and sends what follows.
    fn advance(&mut self, load: Load, run: RunId) {
        let row = ready(self.memory.workflow(run, INBOX_MAX)).expect("the memory store is open");
        let Some(row) = row.filter(|row| row.ended.is_none()) else { return self.forgets(load, run) };
        let shape = &self.graph.shape;
        let known = self.nodes[load.node].live.remove(&run);
        let mut live = known.unwrap_or_else(|| Live::of(shape, &row));
        row.inbox.iter().for_each(|message| live.hear(shape, &self.graph, &message.body));
        let step = live.progress.advance(shape, &[], STEP_MAX);
        live.absorb(shape, step);
        let unfinished = self.unfinished(run, &live);
        let mut starts = BTreeSet::new();
        for task in live.startable(&unfinished) {
            live.progress.started(task);
            live.owed.remove(&task);
            live.writes.insert(task);
            starts.insert(task);
        }
        let tasks = std::mem::take(&mut live.writes).into_iter().map(|task| TaskWrite {
            task,
            item: None,
            state: live.row(task).state,
            generation: live.row(task).generation,
            reason: None,
            start: starts.contains(&task).then(|| TaskStart {
                name: self.graph.name(task),
                line: "default".to_owned(),
                priority: 0,
                input: None,
                expires_at: None,
            }),
            call: None,
        });
        let end = live.verdict.filter(|_| !live.more).map(|verdict| (verdict, None));
        let step = WorkflowStep {
            heard: row.inbox.iter().map(|message| message.id).collect(),
            tasks: tasks.collect(),
            cancel: std::mem::take(&mut live.cancel).into_iter().map(|run| (run, "asked".to_owned())).collect(),
            stop: live.progress.stop(),
            paused: live.paused,
            more: live.more,
            end,
            ..self.step_of(run, live.turn)
        };
        self.nodes[load.node].busy.insert(run);
        self.send(Some(load), step, Some(live));
    }

    /// A step that changes nothing.
    pub(super) fn step_of(&self, run: RunId, turn: i64) -> WorkflowStep {
        WorkflowStep {
            run,
            turn,
            heard: Vec::new(),
            tasks: Vec::new(),
            cancel: Vec::new(),
            stop: None,
            paused: false,
            more: false,
            end: None,
            output: None,
            awaits: Vec::new(),
            settled: Vec::new(),
            over: Vec::new(),
            limit: None,
            at: self.time(),
        }
    }

    /// Tasks of which a run has not ended that its row names no more.
    fn unfinished(&self, run: RunId, live: &Live) -> BTreeSet<u32> {
        let query = RunQuery { parent: Some(run), limit: 1_000, ..RunQuery::default() };
        let runs = ready(self.memory.runs(query)).expect("the memory store is open");
        let left = runs.iter().filter(|run| !run.state.is_final() && !live.children.contains_key(&run.id));
        let number = |name: &str| self.graph.job.workflow().and_then(|workflow| workflow.find(name));
        left.filter_map(|run| number(run.task.as_deref()?)).collect()
    }

    /// A step of a run is kept: what is in memory is what the rows say.
    pub(super) fn written(&mut self, load: Load, run: RunId, live: Live, is_over: bool) {
        if is_over || !self.is_there(load) {
            return self.forgets(load, run);
        }
        let row = ready(self.memory.workflow(run, 0)).expect("the memory store is open");
        if let Some(row) = row.filter(|row| row.ended.is_none() && row.turn == live.turn) {
            let broken = ledger::recounted(&self.graph.shape, &live.progress, &row, !live.more);
            self.hold(broken);
        }
        let goes_on = live.more;
        self.keeps(load, run, live);
        if goes_on {
            self.after(1, What::Wake(load));
        }
    }

    /// A node keeps a run in memory.
    pub(super) fn keeps(&mut self, load: Load, run: RunId, live: Live) {
        if self.is_there(load) {
            self.nodes[load.node].live.insert(run, live);
            self.nodes[load.node].busy.remove(&run);
        }
    }

    /// What was in memory of a run holds no more.
    pub(super) fn forgets(&mut self, load: Load, run: RunId) {
        if self.is_there(load) {
            self.nodes[load.node].live.remove(&run);
            self.nodes[load.node].busy.remove(&run);
        }
    }
}
