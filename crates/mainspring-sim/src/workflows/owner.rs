//! A node that owns the runs, or believes so: it hears what their inboxes hold, and writes what follows.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::RunId;
use mainspring_core::cluster::ShardSet;
use mainspring_core::line::HOLD_LINE;
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::workflow::{End, Items, Progress, Row, Shape, Step, TaskState, branch, counted};
use mainspring_store::{
    MessageBody, RunQuery, Store, TaskRequest, TaskRow, TaskStart, TaskVerb, TaskWrite, WorkflowRow, WorkflowStep,
};

use super::graph::Place;
use super::{Graph, Load, What, World, ledger};
use crate::faults::Planted;
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
    pub(super) progress: Progress,
    paused: bool,
    /// Runs of tasks that have not ended, as far as is known, and the newest of each task or item.
    children: BTreeMap<RunId, Place>,
    latest: BTreeMap<Place, RunId>,
    /// Tasks that are ready and have no run.
    owed: BTreeSet<u32>,
    /// Tasks that run more than once and are under way.
    pub(super) spreads: BTreeMap<u32, Items>,
    /// What is to be written; of an item, with its state.
    writes: BTreeMap<Place, Option<TaskState>>,
    /// Those of these that get a run.
    starts: BTreeSet<Place>,
    /// Tasks whose row is to name a run of another job.
    calls: BTreeSet<u32>,
    /// Tasks that wait for others elsewhere, of which it is to be seen how these stand.
    to_look: BTreeSet<u32>,
    /// Runs of another job that rows name and that are to be asked for.
    to_ask: BTreeMap<u32, RunId>,
    cancel: BTreeSet<RunId>,
    pub(super) more: bool,
    verdict: Option<Verdict>,
}

/// Where a run stands by its rows.
pub(super) fn progress_of(shape: &Shape, row: &WorkflowRow) -> Progress {
    let mut rows = vec![Row::NEW; shape.graph().len()];
    for task in row.tasks.iter().filter(|task| task.item.is_none()) {
        rows[task.task as usize] = Row { state: task.state, generation: task.generation };
    }
    Progress::from_rows(shape, rows, row.stop)
}

/// The rows of a run, without those of items of an earlier generation.
fn current(row: &WorkflowRow) -> impl Iterator<Item = &TaskRow> {
    let mut whole: Option<&TaskRow> = None;
    row.tasks.iter().filter(move |task| {
        if task.item.is_none() {
            whole = Some(task);
        }
        whole.is_none_or(|whole| whole.task != task.task || whole.generation == task.generation)
    })
}

/// Where the items of tasks stand by the rows of a run, as far as these are under way.
pub(super) fn items_of(graph: &Graph, row: &WorkflowRow) -> BTreeMap<u32, Items> {
    let runs = row.tasks.iter().filter(|task| task.item.is_none() && task.state == TaskState::Running);
    let mut found: BTreeMap<u32, Items> =
        runs.filter_map(|task| Some((task.task, Items::new(graph.items(task.task)?)))).collect();
    for task in current(row) {
        if let (Some(item), Some(items)) = (task.item, found.get_mut(&task.task)) {
            items.set(item, task.state);
        }
    }
    found
}

impl Live {
    fn of(graph: &Graph, row: &WorkflowRow) -> Self {
        let shape = &graph.shape;
        let progress = progress_of(shape, row);
        let latest = current(row).filter_map(|it| Some(((it.task, it.item), it.child?))).collect();
        let runs = current(row).filter(|it| it.state == TaskState::Running);
        let children: BTreeMap<RunId, Place> = runs.filter_map(|it| Some((it.child?, (it.task, it.item)))).collect();
        let waits = children.values().map(|place| place.0).filter(|task| graph.need(*task).is_some());
        let to_look = waits.collect();
        let to_ask = children.iter().filter(|(_, place)| graph.is_call(place.0));
        let to_ask = to_ask.map(|(child, place)| (place.0, *child)).collect();
        let state = |task: u32| progress.rows()[task as usize].state;
        let owed = shape.graph().tasks().filter(|task| state(*task) == TaskState::Ready).collect();
        Self {
            turn: row.turn,
            paused: row.paused,
            children,
            latest,
            owed,
            spreads: items_of(graph, row),
            writes: BTreeMap::new(),
            starts: BTreeSet::new(),
            calls: BTreeSet::new(),
            to_ask,
            to_look,
            cancel: BTreeSet::new(),
            more: false,
            verdict: None,
            progress,
        }
    }

    fn row(&self, task: u32) -> Row {
        self.progress.rows()[task as usize]
    }

    /// The run of a place that has not ended.
    fn child(&self, place: Place) -> Option<RunId> {
        self.latest.get(&place).copied().filter(|child| self.children.contains_key(child))
    }

    fn hear(&mut self, shape: &Shape, graph: &Graph, message: &MessageBody) {
        match message {
            MessageBody::Ended { child, state } => {
                if let Some(place) = self.children.remove(child) {
                    self.end(shape, place, counted(*state));
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
        if request.verb == TaskVerb::Look {
            self.to_look.insert(task);
            return;
        }
        let place = (task, request.item);
        let Some(state) = self.stands(place) else { return };
        let is_running = state == TaskState::Running;
        match request.verb {
            TaskVerb::Cancel if is_running && place.1.is_none() => self.cancel_task(shape, task),
            TaskVerb::Cancel if is_running => self.cancel_place(shape, place),
            TaskVerb::Cancel => self.end(shape, place, TaskState::Cancelled),
            TaskVerb::Skip if !is_running => self.end(shape, place, TaskState::Skipped),
            TaskVerb::Succeed | TaskVerb::Fail => {
                let of = |it: &&Place| it.0 == task && (place.1.is_none() || it.1 == place.1);
                let runs = self.children.iter().filter(|(_, it)| of(it)).map(|(child, _)| *child);
                self.cancel.extend(runs);
                let end = if request.verb == TaskVerb::Fail { TaskState::Failed } else { TaskState::Succeeded };
                self.end(shape, place, end);
            }
            _ => {}
        }
    }

    /// Where a task or an item stands; nothing if it is over or there is no such item.
    fn stands(&self, (task, item): Place) -> Option<TaskState> {
        let whole = Some(self.row(task).state).filter(|state| !state.is_final());
        match item {
            None => whole,
            Some(item) => whole.and(self.spreads.get(&task)?.state(item)).filter(|state| !state.is_final()),
        }
    }

    /// Asks for the end of what runs of a task.
    fn cancel_task(&mut self, shape: &Shape, task: u32) {
        let Some(items) = self.spreads.get(&task) else { return self.cancel_place(shape, (task, None)) };
        let open: Vec<u32> = items.open().collect();
        open.into_iter().for_each(|item| self.cancel_place(shape, (task, Some(item))));
    }

    /// Asks for the end of the run of a place; without one, it is over.
    fn cancel_place(&mut self, shape: &Shape, place: Place) {
        match self.child(place) {
            Some(child) => _ = self.cancel.insert(child),
            None => self.end(shape, place, TaskState::Cancelled),
        }
    }

    fn end(&mut self, shape: &Shape, place: Place, state: TaskState) {
        if self.stands(place).is_none() {
            return;
        }
        self.starts.remove(&place);
        self.calls.remove(&place.0);
        let (task, mut state) = (place.0, state);
        if let Some(item) = place.1 {
            self.writes.insert(place, Some(state));
            let items = self.spreads.get_mut(&task).expect("the item stands somewhere");
            items.set(item, state);
            let Some(whole) = items.end() else { return };
            state = whole;
        }
        let end = End { task, generation: self.row(task).generation, state };
        let step = self.progress.advance(shape, &[end], STEP_MAX);
        self.absorb(shape, step);
    }

    fn absorb(&mut self, shape: &Shape, step: Step) {
        for &task in &step.changed {
            self.writes.insert((task, None), None);
            if self.row(task).state == TaskState::Ready {
                self.owed.insert(task);
            } else {
                self.owed.remove(&task);
            }
            if self.row(task).state.is_final()
                && let Some(items) = self.spreads.remove(&task)
            {
                self.starts.retain(|place| place.0 != task);
                self.writes.extend(items.open().map(|item| ((task, Some(item)), Some(TaskState::Cancelled))));
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

    /// Starts a task; one that runs more than once starts with its items.
    fn start(&mut self, graph: &Graph, task: u32) {
        self.progress.started(task);
        self.owed.remove(&task);
        self.writes.insert((task, None), None);
        match graph.items(task) {
            Some(count) => _ = self.spreads.insert(task, Items::new(count)),
            None if graph.is_call(task) => _ = self.calls.insert(task),
            None => _ = self.starts.insert((task, None)),
        }
    }

    /// Starts as many items as may run at once and fit into the step. Where nothing starts any more, they end. Answers whether any did.
    fn fill(&mut self, graph: &Graph) -> bool {
        let mut has_ended = false;
        for task in self.spreads.keys().copied().collect::<Vec<_>>() {
            let Some(items) = self.spreads.get(&task) else { continue };
            if self.progress.stop().is_some() && !graph.is_last(task) {
                for item in items.startable(None) {
                    self.end(&graph.shape, (task, Some(item)), TaskState::Cancelled);
                    has_ended = true;
                }
            } else if !self.paused {
                for item in items.startable(graph.max_parallel(task)) {
                    if self.starts.len() < STEP_MAX {
                        self.spreads.get_mut(&task).expect("it is there").set(item, TaskState::Running);
                        self.writes.insert((task, Some(item)), Some(TaskState::Running));
                        self.starts.insert((task, Some(item)));
                    }
                }
            }
        }
        has_ended
    }

    /// Whether there is more to do at once.
    pub(super) fn has_more(&self, graph: &Graph) -> bool {
        let can_start = |(task, items): (&u32, &Items)| items.can_start(graph.max_parallel(*task));
        self.more || !self.paused && self.spreads.iter().any(can_start)
    }

    /// Tasks that wait for others elsewhere, of which it is to be seen how these stand.
    pub(super) fn take_to_look(&mut self) -> BTreeSet<u32> {
        std::mem::take(&mut self.to_look)
    }

    /// Ends a task that has waited for one elsewhere.
    pub(super) fn settle(&mut self, shape: &Shape, task: u32, state: TaskState) {
        if self.row(task).state == TaskState::Running {
            self.cancel.extend(self.child((task, None)));
            self.end(shape, (task, None), state);
        }
    }

    /// Looks at what tasks await from now on.
    pub(super) fn look_at(&mut self, tasks: impl Iterator<Item = u32>) {
        self.to_look.extend(tasks);
    }

    /// The runs of another job that are to be asked for, with the tasks whose rows name them.
    pub(super) fn take_to_ask(&mut self) -> BTreeMap<u32, RunId> {
        std::mem::take(&mut self.to_ask)
    }

    /// Whether it has asked for and looked at all that its rows name.
    fn owes_nothing(&self) -> bool {
        !self.more && self.to_ask.is_empty() && self.to_look.is_empty()
    }

    /// Takes in the runs that a step has made which is kept.
    pub(super) fn written(&mut self, tasks: &[TaskWrite], made: &[RunId]) {
        self.turn += 1;
        for (task, child) in tasks.iter().filter_map(|write| Some((write.task, write.call?))) {
            self.children.insert(child, (task, None));
            self.latest.insert((task, None), child);
            self.to_ask.insert(task, child);
        }
        for (write, child) in tasks.iter().filter(|write| write.start.is_some()).zip(made) {
            self.children.insert(*child, (write.task, write.item));
            self.latest.insert((write.task, write.item), *child);
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
        let graph = self.graph_of(run);
        let known = self.nodes[load.node].live.remove(&run);
        let mut live = known.unwrap_or_else(|| Live::of(&graph, &row));
        if self.has(Planted::CallsForgotten) {
            live.take_to_ask();
        }
        self.ask_calls(run, &mut live);
        row.inbox.iter().for_each(|message| live.hear(&graph.shape, &graph, &message.body));
        self.look_elsewhere(run, &mut live);
        let heard = row.inbox.iter().map(|message| message.id).collect();
        let step = self.follow(run, &mut live, heard);
        self.nodes[load.node].busy.insert(run);
        self.send(Some(load), step, Some(live), None);
    }

    /// What follows the end of a run of a task that is not recorded yet, where the owner has its workflow's run in memory: no more than rows
    /// of tasks and new runs of theirs.
    pub(super) fn ahead(&mut self, child: RunId, state: RunState) -> Option<(Load, WorkflowStep, Live)> {
        let node = self.holder;
        let load = Load { node, number: self.nodes[node].number };
        if !self.is_there(load) || self.nodes[node].still_until(self.now).is_some() {
            return None;
        }
        let Node { live, busy, .. } = &mut self.nodes[node];
        // A step that says there is no more to do is none for a run that has more to do.
        let is_its = |(run, live): &(&RunId, &Live)| {
            live.children.contains_key(&child) && !busy.contains(run) && live.owes_nothing()
        };
        let run = *live.iter().find(is_its)?.0;
        let mut live = live.remove(&run)?;
        let graph = self.graph_of(run);
        live.hear(&graph.shape, &graph, &MessageBody::Ended { child, state });
        let step = self.follow(run, &mut live, Vec::new());
        // What is forgotten is read again.
        let is_small = step.end.is_none() && !step.more && step.cancel.is_empty();
        is_small.then(|| {
            self.nodes[node].busy.insert(run);
            (load, step, live)
        })
    }

    /// The step that follows from what a run has heard.
    fn follow(&self, run: RunId, live: &mut Live, heard: Vec<i64>) -> WorkflowStep {
        let graph = self.graph_of(run);
        let step = live.progress.advance(&graph.shape, &[], STEP_MAX);
        live.absorb(&graph.shape, step);
        let unfinished = self.unfinished(run, live);
        loop {
            live.startable(&unfinished).into_iter().for_each(|task| live.start(&graph, task));
            // What is startable after an end of an item may start in this step, too.
            if !live.fill(&graph) {
                break;
            }
        }
        let (starts, calls) = (std::mem::take(&mut live.starts), std::mem::take(&mut live.calls));
        let waits: BTreeSet<u32> = starts.iter().map(|it| it.0).filter(|task| graph.need(*task).is_some()).collect();
        let awaits = self.awaits(run, &waits);
        // Whoever goes on after a crash looks at what is named, and at what is awaited.
        let more = live.has_more(&graph) || !calls.is_empty() || !awaits.is_empty();
        let writes = std::mem::take(&mut live.writes);
        let called = |task: u32| run.called(self.job.0, &graph.name((task, None)), live.row(task).generation);
        let over: Vec<u32> = writes.keys().filter(|it| it.1.is_none()).map(|it| it.0).collect();
        let over: Vec<u32> = over.into_iter().filter(|task| live.row(*task).state.is_final()).collect();
        let tasks = writes.into_iter().map(|(place, state)| TaskWrite {
            task: place.0,
            item: place.1,
            state: state.unwrap_or(live.row(place.0).state),
            generation: live.row(place.0).generation,
            reason: None,
            start: starts.contains(&place).then(|| TaskStart {
                name: graph.name(place),
                line: if waits.contains(&place.0) { HOLD_LINE } else { "default" }.to_owned(),
                priority: 0,
                input: None,
                expires_at: None,
            }),
            call: (place.1.is_none() && calls.contains(&place.0)).then(|| called(place.0)),
        });
        let end = live.verdict.filter(|_| !more).map(|verdict| (verdict, None));
        WorkflowStep {
            heard,
            tasks: tasks.collect(),
            cancel: std::mem::take(&mut live.cancel).into_iter().map(|run| (run, "asked".to_owned())).collect(),
            stop: live.progress.stop(),
            paused: live.paused,
            more,
            end,
            awaits,
            settled: over.iter().copied().filter(|task| graph.need(*task).is_some()).collect(),
            over: over.iter().map(|task| graph.name((*task, None)).into()).collect(),
            ..self.step_of(run, live.turn)
        }
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
        let graph = self.graph_of(run);
        let number = |name: &str| graph.job.workflow().and_then(|workflow| workflow.find(name));
        let called = ready(self.memory.called_runs(run)).expect("the memory store is open");
        let called = called.iter().filter(|(child, _)| !live.children.contains_key(child));
        let called = called.filter_map(|(_, name)| number(name));
        left.filter_map(|run| number(run.task.as_deref()?.split('[').next()?)).chain(called).collect()
    }

    /// A step of a run is kept: what is in memory is what the rows say.
    pub(super) fn written(&mut self, load: Load, run: RunId, mut live: Live, is_over: bool) {
        if is_over || !self.is_there(load) {
            return self.forgets(load, run);
        }
        let row = ready(self.memory.workflow(run, 0)).expect("the memory store is open");
        if let Some(row) = row.filter(|row| row.ended.is_none() && row.turn == live.turn) {
            let broken = ledger::recounted(&self.graph_of(run), &live, &row);
            self.hold(broken);
        }
        let asked = self.ask_calls(run, &mut live);
        let goes_on = live.has_more(&self.graph_of(run)) || asked;
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
