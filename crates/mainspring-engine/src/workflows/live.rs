//! A workflow run in memory: from what it hears to what is written.
//!
//! Pure: the loop reads messages and values, and writes the steps that come out of here. What is in memory holds for one turn; once
//! somebody else has written, it is thrown away and read again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::job::Job;
use mainspring_core::line::HOLD_LINE;
use mainspring_core::run::Verdict;
use mainspring_core::workflow::dates::{Dated, LogicalDate};
use mainspring_core::workflow::{
    End, Found, Items, Needed, Progress, Row, RunFacts, Step, Stop, TaskContext, TaskState, counted, run_name,
};
use mainspring_core::{JobId, RunId, Timestamp};
use mainspring_store::{Message, MessageBody, TaskStart, TaskWrite, TimeLimit, WorkflowRow, WorkflowStep};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::drain::Drains;
use super::plan::Plan;
use super::rows::{current, short};

mod ahead;
mod limit;

/// Rows of tasks that one step changes, about.
pub(super) const STEP_MAX: usize = 5_000;
/// Bytes of what the runs that one step makes are given, about.
const STEP_BYTES_MAX: usize = 8 << 20;
/// Why a run fails whose time is over.
const TIMED_OUT: &str = "it took longer than its run_timeout";
/// Tasks that the reason of a run names at most.
const NAMED_MAX: usize = 10;

/// A run of a task; without an item, the task as a whole.
pub(super) type Place = (u32, Option<u32>);

/// A workflow run that is not over.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) plan: Arc<Plan>,
    pub(super) run: RunId,
    pub(super) job: JobId,
    pub(super) fire_time: Timestamp,
    /// Its dates, as far as its tasks ask for them.
    pub(super) dates: Dated,
    /// What its tasks' runs are told of it.
    pub(super) facts: RunFacts,
    pub(super) input: Option<String>,
    priority: i32,
    turn: i64,
    pub(super) progress: Progress,
    paused: bool,
    /// Whether `paused` or the reason to stop has changed since it was written.
    turned: bool,
    /// Runs of tasks that are not final, as far as is known.
    children: FxHashMap<RunId, Place>,
    /// The latest run of each.
    pub(super) latest: FxHashMap<Place, RunId>,
    /// Runs of tasks that were set back before these had ended.
    pub(super) drains: Drains,
    /// Tasks that are ready and have no run.
    owed: BTreeSet<u32>,
    /// Tasks that run more than once and are under way.
    spreads: BTreeMap<u32, Spreading>,
    /// What tasks were given that start another workflow, and are under way.
    pub(super) calling: BTreeMap<u32, Box<TaskContext>>,
    /// How many attempts of these have ended, where any has.
    pub(super) attempts: FxHashMap<Place, u32>,
    /// Runs of these that only let time pass before the next attempt.
    pub(super) pauses: FxHashSet<RunId>,
    /// Those whose run is yet to be asked for.
    pub(super) to_ask: Vec<Place>,
    /// What tasks that are under way need of other workflows.
    pub(super) needed: BTreeMap<u32, Needed>,
    /// Those of which it is to be seen whether that has ended.
    pub(super) to_look: BTreeSet<u32>,
    /// How the runs of each date stood when somebody looked last, for tasks that are under way.
    pub(super) seen: BTreeMap<u32, BTreeMap<Timestamp, Found>>,
    /// When these began to wait.
    pub(super) waits_since: BTreeMap<u32, Timestamp>,
    /// Those of which what they need could not be read.
    pub(super) puzzled: BTreeSet<u32>,
    /// Whether a schedule says which data belong to it.
    pub(super) is_dated: bool,
    /// Of the tasks that run more than once, the ones of which is not known what they run for.
    unknown: BTreeMap<u32, Vec<(u32, TaskState)>>,
    ends: Vec<End>,
    heard: Vec<i64>,
    pub(super) writes: BTreeMap<Place, Write>,
    /// How many of these make a run.
    pub(super) starts: usize,
    /// Bytes of what these are given.
    start_bytes: usize,
    cancel: BTreeMap<RunId, String>,
    /// Runs whose end was asked for before.
    cancelled: FxHashSet<RunId>,
    more: bool,
    verdict: Option<Verdict>,
    /// Whether its time was over before it ended.
    timed_out: bool,
    /// What is known of that from now on.
    limit: Option<TimeLimit>,
    /// What the run leaves, once that is known.
    left: Option<String>,
    /// Who has cancelled the run, and why.
    why: Option<String>,
}

/// A task that runs more than once and is under way.
#[derive(Debug)]
struct Spreading {
    items: Items,
    list: List,
    context: Box<TaskContext>,
}

/// What the runs of a task are for.
#[derive(Clone, Debug)]
pub(super) enum List {
    /// The combinations of the task's matrix.
    Matrix(u32),
    /// These.
    Map(Vec<Value>),
}

/// What is to be written of a task.
#[derive(Debug, Default)]
pub(super) struct Write {
    /// Of a task that runs more than once, the state of this run.
    state: Option<TaskState>,
    pub(super) reason: Option<String>,
    pub(super) start: Option<TaskStart>,
    pub(super) call: Option<RunId>,
    /// Of a task that is over, the run elsewhere for which it stands: what that has left is what the task leaves.
    pub(super) stands_for: Option<RunId>,
}

/// What comes of a task that may run.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// It runs once.
    Once(Box<TaskContext>),
    /// It waits: until an instant, if that is known, for what is said.
    Hold(Box<TaskContext>, Option<Timestamp>, Option<String>),
    /// It waits for other workflows, until an instant if that is known.
    Await(Box<TaskContext>, Option<Timestamp>, Needed),
    /// It needs nothing that there can be.
    Done(String),
    /// It starts another workflow.
    Call(Box<TaskContext>),
    /// It runs for each of a list.
    Many(Box<TaskContext>, List),
    /// Its condition says no.
    Skip(String),
    /// Something of it cannot be evaluated.
    Fail(String),
}

impl List {
    fn len(&self) -> u32 {
        match self {
            Self::Matrix(count) => *count,
            Self::Map(items) => u32::try_from(items.len()).unwrap_or(u32::MAX),
        }
    }
}

impl Live {
    /// A run as its rows say it stands.
    pub(super) fn new(plan: Arc<Plan>, row: &WorkflowRow) -> Self {
        let mut rows = vec![Row::NEW; plan.shape.graph().len()];
        let mut unknown = BTreeMap::<u32, Vec<(u32, TaskState)>>::new();
        let (mut children, mut latest) = (FxHashMap::default(), FxHashMap::default());
        for task in current(row).filter(|task| task.task < plan.tasks()) {
            let place = (task.task, task.item);
            if let Some(child) = task.child {
                latest.insert(place, child);
                if task.state == TaskState::Running {
                    children.insert(child, place);
                }
            }
            match task.item {
                None => rows[task.task as usize] = Row { state: task.state, generation: task.generation },
                Some(item) => unknown.entry(task.task).or_default().push((item, task.state)),
            }
        }
        let state = |task: u32| rows[task as usize].state;
        let owed = (0..plan.tasks()).filter(|task| state(*task) == TaskState::Ready).collect();
        for task in (0..plan.tasks()).filter(|task| plan.task(*task).spread.is_some()) {
            if state(task) == TaskState::Running {
                unknown.entry(task).or_default();
            } else {
                unknown.remove(&task);
            }
        }
        Self {
            run: row.run,
            job: row.job,
            fire_time: row.fire_time,
            dates: Dated::new(row.fire_time, [None; 2], LogicalDate::Fire),
            facts: RunFacts::new(row.run, row.fire_time),
            input: row.input.clone(),
            priority: row.priority,
            turn: row.turn,
            progress: Progress::from_rows(&plan.shape, rows, row.stop),
            paused: row.paused,
            turned: false,
            children,
            latest,
            drains: Drains::default(),
            owed,
            spreads: BTreeMap::new(),
            calling: BTreeMap::new(),
            attempts: FxHashMap::default(),
            pauses: FxHashSet::default(),
            to_ask: Vec::new(),
            needed: BTreeMap::new(),
            to_look: BTreeSet::new(),
            seen: BTreeMap::new(),
            waits_since: BTreeMap::new(),
            puzzled: BTreeSet::new(),
            is_dated: false,
            unknown,
            ends: Vec::new(),
            heard: Vec::new(),
            writes: BTreeMap::new(),
            starts: 0,
            start_bytes: 0,
            cancel: BTreeMap::new(),
            cancelled: FxHashSet::default(),
            more: false,
            verdict: None,
            timed_out: row.timed_out,
            limit: None,
            left: None,
            why: None,
            plan,
        }
    }

    /// About how much memory it takes, in tasks.
    pub(super) fn weight(&self) -> usize {
        self.plan.shape.graph().len() + self.latest.len()
    }

    pub(super) fn state(&self, task: u32) -> TaskState {
        self.progress.rows()[task as usize].state
    }

    /// The latest runs of a task that left something, in the order of their items.
    pub(super) fn runs_of(&self, task: u32) -> Vec<RunId> {
        if self.plan.task(task).spread.is_none() {
            return self.latest.get(&(task, None)).copied().into_iter().collect();
        }
        let mut runs: Vec<(Option<u32>, RunId)> = self
            .latest
            .iter()
            .filter(|((of, item), _)| *of == task && item.is_some())
            .map(|((_, item), run)| (*item, *run))
            .collect();
        runs.sort_unstable();
        runs.into_iter().map(|(_, run)| run).collect()
    }

    /// Tasks that run more than once and are under way, of which it is to be asked again what they run for.
    pub(super) fn unknown(&self) -> Vec<u32> {
        self.unknown.keys().copied().collect()
    }

    /// Takes in what a task runs for that is under way.
    pub(super) fn know(&mut self, task: u32, answer: Answer) {
        let Some(states) = self.unknown.remove(&task) else { return };
        let (context, list) = match answer {
            Answer::Many(context, list) => (context, list),
            Answer::Once(_) | Answer::Hold(..) | Answer::Await(..) | Answer::Done(_) | Answer::Call(_) => {
                unreachable!("it runs more than once")
            }
            Answer::Skip(reason) | Answer::Fail(reason) => {
                let children = self.children.iter().filter(|(_, place)| place.0 == task).map(|(child, _)| *child);
                let asked: Vec<RunId> = children.collect();
                asked.into_iter().for_each(|child| self.ask_end(child, &reason));
                return self.end((task, None), TaskState::Failed, Some(reason));
            }
        };
        let mut items = Items::new(list.len());
        states.into_iter().for_each(|(item, state)| items.set(item, state));
        self.spreads.insert(task, Spreading { items, list, context });
    }

    /// Hears a message.
    pub(super) fn hear(&mut self, message: Message, now: Timestamp) {
        self.heard.push(message.id);
        match message.body {
            MessageBody::Ended { child, state } => {
                let Some(place) = self.children.remove(&child) else { return self.drains.ended(child) };
                if self.plan.task(place.0).call.is_some() {
                    return self.call_ended(place, child, state, now);
                }
                let (state, why) = match &self.plan.task(place.0).hold {
                    Some(hold) => hold.end(state),
                    None => (counted(state), None),
                };
                self.end(place, state, why.map(str::to_owned));
            }
            MessageBody::Asked(request) => self.asked(&request),
        }
    }

    /// Does what follows from what was heard and answered.
    pub(super) fn advance(&mut self) {
        loop {
            let room = STEP_MAX.saturating_sub(self.writes.len());
            let ends = std::mem::take(&mut self.ends);
            let step = self.progress.advance(&self.plan.shape, &ends, room);
            self.absorb(step);
            self.fill();
            if self.ends.is_empty() {
                return;
            }
        }
    }

    pub(super) fn absorb(&mut self, step: Step) {
        for &task in &step.changed {
            self.writes.entry((task, None)).or_default();
            if self.state(task) == TaskState::Ready {
                self.owed.insert(task);
            } else {
                self.owed.remove(&task);
            }
            if self.state(task).is_final() {
                self.unknown.remove(&task);
                if let Some(spread) = self.spreads.remove(&task) {
                    let open: Vec<u32> = spread.items.open().collect();
                    open.into_iter().for_each(|item| self.note((task, Some(item)), TaskState::Cancelled));
                }
            }
        }
        let why = match self.progress.stop() {
            Some(Stop::Cancelled) => self.why.clone().unwrap_or_else(|| "the workflow run was cancelled".to_owned()),
            _ => "another task of the workflow has failed".to_owned(),
        };
        for &task in &step.cancel {
            self.cancel_task(task, &why);
        }
        self.more = step.more;
        self.verdict = step.verdict.map(|verdict| if self.timed_out { Verdict::Failed } else { verdict });
    }

    /// Starts as many runs of tasks that run more than once as may run at once.
    fn fill(&mut self) {
        let tasks: Vec<u32> = self.spreads.keys().copied().collect();
        for task in tasks {
            let room = self.room();
            let stopped = self.is_stopped(task);
            let Some(spread) = self.spreads.get_mut(&task) else { continue };
            if stopped {
                let waiting: Vec<u32> = spread.items.startable(None);
                for item in waiting {
                    self.end((task, Some(item)), TaskState::Cancelled, None);
                }
                continue;
            }
            if self.paused || room == 0 {
                continue;
            }
            let startable = spread.items.startable(self.plan.task(task).max_parallel);
            for item in startable.into_iter().take(room) {
                if self.room() == 0 {
                    break;
                }
                let spread = self.spreads.get_mut(&task).expect("it is there");
                spread.items.set(item, TaskState::Running);
                if self.plan.task(task).call.is_some() {
                    self.note((task, Some(item)), TaskState::Running);
                    self.call((task, Some(item)));
                    continue;
                }
                let context =
                    TaskContext { item: Some(self.plan.item(task, item, &spread.list)), ..(*spread.context).clone() };
                let start = self.start(task, Some(item), &context);
                self.note((task, Some(item)), TaskState::Running);
                self.writes.entry((task, Some(item))).or_default().start = Some(start);
            }
        }
    }

    /// Whether nothing of a task starts any more.
    pub(super) fn is_stopped(&self, task: u32) -> bool {
        self.progress.stop().is_some() && !self.plan.task(task).finally
    }

    fn note(&mut self, place: Place, state: TaskState) {
        self.writes.entry(place).or_default().state = Some(state);
    }

    /// Ends a task or one of its runs.
    pub(super) fn end(&mut self, place: Place, state: TaskState, reason: Option<String>) {
        let (task, item) = place;
        let row = self.progress.rows()[task as usize];
        if row.state.is_final() {
            return;
        }
        let Some(item) = item else {
            self.ends.push(End { task, generation: row.generation, state });
            let write = self.writes.entry(place).or_default();
            (write.reason, write.start, write.call) = (reason, None, None);
            self.calling.remove(&task);
            return;
        };
        let Some(spread) = self.spreads.get_mut(&task) else { return };
        if spread.items.state(item).is_none_or(TaskState::is_final) {
            return;
        }
        spread.items.set(item, state);
        let whole = spread.items.end();
        let write = self.writes.entry(place).or_default();
        *write = Write { state: Some(state), reason, ..Write::default() };
        if let Some(whole) = whole {
            self.ends.push(End { task, generation: row.generation, state: whole });
        }
    }

    /// Asks for the end of what runs of a task.
    pub(super) fn cancel_task(&mut self, task: u32, reason: &str) {
        if self.plan.task(task).spread.is_none() {
            return self.cancel_place((task, None), reason);
        }
        let Some(spread) = self.spreads.get(&task) else { return };
        let open: Vec<u32> = spread.items.open().collect();
        open.into_iter().for_each(|item| self.cancel_place((task, Some(item)), reason));
    }

    /// Asks for the end of the run of a place; without one, it is over.
    pub(super) fn cancel_place(&mut self, place: Place, reason: &str) {
        let child = self.latest.get(&place).copied().filter(|child| self.children.contains_key(child));
        match child {
            Some(child) => self.ask_end(child, reason),
            None => self.end(place, TaskState::Cancelled, Some(reason.to_owned())),
        }
    }

    /// Asks for the end of a run of a task, once.
    pub(super) fn ask_end(&mut self, child: RunId, reason: &str) {
        if self.cancelled.insert(child) {
            self.cancel.insert(child, reason.to_owned());
        }
    }

    /// The run of a place that is not final.
    pub(super) fn child(&self, place: Place) -> Option<RunId> {
        self.latest.get(&place).copied().filter(|child| self.children.contains_key(child))
    }

    /// Takes a run for one that is not there.
    pub(super) fn forget_child(&mut self, child: RunId) {
        self.children.remove(&child);
    }

    /// Notes that the end of a run of a task was asked for before.
    pub(super) fn note_asked_to_end(&mut self, child: RunId) {
        self.cancelled.insert(child);
    }

    /// Whether the end of a run of a task was asked for.
    pub(super) fn was_asked_to_end(&self, child: RunId) -> bool {
        self.cancelled.contains(&child)
    }

    /// The runs of tasks that start others, as their rows name them.
    pub(super) fn calls_under_way(&self) -> Vec<(Place, RunId)> {
        let calls = self.children.iter().filter(|(_, place)| self.plan.task(place.0).call.is_some());
        calls.map(|(child, place)| (*place, *child)).collect()
    }

    /// What the runs of a task that runs more than once are for, and are given.
    pub(super) fn spread_of(&self, task: u32) -> Option<(&List, &TaskContext)> {
        self.spreads.get(&task).map(|spread| (&spread.list, &*spread.context))
    }

    /// Where one run of a task that runs more than once stands.
    pub(super) fn item_state(&self, task: u32, item: u32) -> Option<TaskState> {
        self.spreads.get(&task)?.items.state(item)
    }

    pub(super) fn set_paused(&mut self, paused: bool) {
        self.turned |= self.paused != paused;
        self.paused = paused;
    }

    /// Notes why the run is cancelled.
    pub(super) fn stop(&mut self, why: String) {
        self.why = Some(why);
        self.turned = true;
        let step = self.progress.cancel(&self.plan.shape, STEP_MAX);
        self.absorb(step);
    }

    /// Tasks that may run and of which it is to be asked what comes of them, as many as fit into the step.
    pub(super) fn asks(&self) -> Vec<u32> {
        if self.paused {
            return Vec::new();
        }
        self.startable().take(self.room()).collect()
    }

    /// Tasks that are owed a run and of which none runs any more.
    fn startable(&self) -> impl Iterator<Item = u32> {
        self.owed.iter().copied().filter(|task| !self.drains.holds(*task))
    }

    /// Notes runs of tasks that are not final: those that no row names any more have to end first.
    pub(super) fn drain(&mut self, unfinished: impl Iterator<Item = (RunId, u32)>) {
        for (child, task) in unfinished {
            if !self.children.contains_key(&child) {
                self.drains.add(child, task);
            }
        }
    }

    /// How many more runs may be made in the step.
    const fn room(&self) -> usize {
        if self.start_bytes >= STEP_BYTES_MAX { 0 } else { STEP_MAX.saturating_sub(self.starts) }
    }

    /// Takes in what comes of a task that may run.
    pub(super) fn answer(&mut self, task: u32, answer: Answer) {
        if !self.owed.remove(&task) {
            return;
        }
        match answer {
            Answer::Skip(reason) => self.end((task, None), TaskState::Skipped, Some(reason)),
            Answer::Fail(reason) => self.end((task, None), TaskState::Failed, Some(reason)),
            Answer::Many(_, list) if list.len() == 0 => {
                self.end((task, None), TaskState::Skipped, Some("there is nothing to run it for".to_owned()));
            }
            Answer::Once(context) => {
                self.progress.started(task);
                let start = self.start(task, None, &context);
                self.writes.entry((task, None)).or_default().start = Some(start);
            }
            Answer::Hold(context, until, says) => {
                self.progress.started(task);
                let start = self.start(task, None, &context);
                let start = TaskStart { line: HOLD_LINE.to_owned(), expires_at: until, ..start };
                let write = self.writes.entry((task, None)).or_default();
                (write.start, write.reason) = (Some(start), says);
            }
            Answer::Done(reason) => self.end((task, None), TaskState::Succeeded, Some(reason)),
            Answer::Await(context, until, needed) => {
                self.progress.started(task);
                let start = self.start(task, None, &context);
                self.wait_elsewhere(task, TaskStart { expires_at: until, ..start }, needed);
            }
            Answer::Call(context) => {
                self.progress.started(task);
                self.calling.insert(task, context);
                self.call((task, None));
            }
            Answer::Many(context, list) => {
                self.progress.started(task);
                self.writes.entry((task, None)).or_default();
                self.spreads.insert(task, Spreading { items: Items::new(list.len()), list, context });
            }
        }
    }

    fn start(&mut self, task: u32, item: Option<u32>, context: &TaskContext) -> TaskStart {
        let input = context.to_input();
        self.starts += 1;
        self.start_bytes += input.len();
        let priority = self.priority_of(task);
        TaskStart {
            name: run_name(&self.plan.task(task).name, item),
            // Both are filled in when the step is made.
            line: String::new(),
            expires_at: None,
            priority,
            input: Some(input),
        }
    }

    /// A task that names no priority has that of the workflow, which a run may be given another one for.
    pub(super) fn priority_of(&self, task: u32) -> i32 {
        let own = self.plan.task(task).job.priority;
        if own == self.plan.job().priority { self.priority } else { own }
    }

    /// Whether the run succeeds with what is written next.
    pub(super) fn is_about_to_succeed(&self) -> bool {
        self.verdict == Some(Verdict::Succeeded) && !self.has_more()
    }

    /// Takes in what the run leaves; or why that cannot be read, by which it fails.
    pub(super) fn leave(&mut self, left: std::result::Result<String, String>) {
        match left {
            Ok(left) => self.left = Some(left),
            Err(why) => (self.verdict, self.why) = (Some(Verdict::Failed), Some(why)),
        }
    }

    /// Whether there is more to do at once, once the step is written.
    pub(super) fn has_more(&self) -> bool {
        let can_start = |(task, spread): (&u32, &Spreading)| spread.items.can_start(self.plan.task(*task).max_parallel);
        self.more || !self.paused && (self.startable().next().is_some() || self.spreads.iter().any(can_start))
    }

    /// What is to be written now. Nothing, if nothing has changed and it is not to be written `anyway`.
    pub(super) fn step(&mut self, line: impl Fn(&Job) -> String, at: Timestamp, anyway: bool) -> Option<WorkflowStep> {
        self.note_limit(at);
        let heard = std::mem::take(&mut self.heard);
        let writes = std::mem::take(&mut self.writes);
        // Runs that rows name are asked for once these are written: whoever goes on after a crash in between has to look.
        // The same holds for what is awaited from then on.
        let awaits = self.awaits(&writes);
        let more = self.has_more() || !awaits.is_empty() || writes.values().any(|write| write.call.is_some());
        let (over, settled) = (self.over(&writes), self.settled(&writes));
        (self.starts, self.start_bytes) = (0, 0);
        let cancel: Vec<(RunId, String)> = std::mem::take(&mut self.cancel).into_iter().collect();
        let end = self.verdict.filter(|_| !more).map(|verdict| (verdict, self.end_reason(verdict)));
        if heard.is_empty()
            && writes.is_empty()
            && cancel.is_empty()
            && end.is_none()
            && !self.turned
            && !anyway
            && self.limit.is_none()
        {
            return None;
        }
        let is_over = end.is_some();
        let tasks = writes.into_iter().map(|((task, item), mut write)| {
            if let Some(start) = write.start.as_mut().filter(|start| start.line.is_empty()) {
                let job = &self.plan.task(task).job;
                start.line = line(job);
                start.expires_at = job.start_timeout_ms.map(|ms| at + ms);
            }
            let row = self.progress.rows()[task as usize];
            TaskWrite {
                task,
                item,
                state: write.state.unwrap_or(row.state),
                generation: row.generation,
                reason: write.reason.map(short),
                start: write.start,
                call: write.call.or(write.stands_for),
            }
        });
        Some(WorkflowStep {
            run: self.run,
            turn: self.turn,
            heard,
            tasks: tasks.collect(),
            cancel,
            stop: self.progress.stop(),
            paused: self.paused,
            more,
            end,
            output: self.left.take(),
            awaits,
            settled,
            over,
            // At the end there is nothing to wait for any more.
            limit: if is_over && self.is_limited() { Some(TimeLimit::Lifted) } else { self.limit.take() },
            at,
        })
    }

    /// Notes that a step is written, with the runs that were made by it.
    pub(super) fn written(&mut self, step: &WorkflowStep, runs: &[RunId]) {
        self.turn += 1;
        self.turned = false;
        let places = step.tasks.iter().filter(|task| task.start.is_some()).map(|task| (task.task, task.item));
        for (place, run) in places.zip(runs) {
            self.children.insert(*run, place);
            self.latest.insert(place, *run);
            if self.plan.task(place.0).call.is_some() {
                self.pauses.insert(*run);
            }
        }
        for (task, run) in step.tasks.iter().filter_map(|task| Some((task, task.call?))) {
            let place = (task.task, task.item);
            self.latest.insert(place, run);
            if !task.state.is_final() {
                self.children.insert(run, place);
                self.to_ask.push(place);
            }
        }
        self.to_look.extend(step.awaits.iter().map(|it| it.task));
        self.waits_since.extend(step.awaits.iter().map(|it| (it.task, step.at)));
    }

    /// Why the run ends as it does, where that is not plain.
    fn end_reason(&self, verdict: Verdict) -> Option<String> {
        if verdict == Verdict::Cancelled {
            return self.why.clone();
        }
        if verdict != Verdict::Failed {
            return None;
        }
        if self.timed_out {
            return Some(TIMED_OUT.to_owned());
        }
        if self.progress.stop().is_none() && self.why.is_some() {
            return self.why.clone();
        }
        let counts = |task: &u32| !self.plan.task(*task).continue_on_error && !self.plan.workflow().is_group(*task);
        let is = |task: &u32, bad: TaskState| self.state(*task) == bad && counts(task);
        let all = |bad| (0..self.plan.tasks()).filter(move |task| is(task, bad));
        let mut named: Vec<&str> =
            all(TaskState::Failed).take(NAMED_MAX + 1).map(|task| &*self.plan.task(task).name).collect();
        let word = if named.is_empty() { "cancelled" } else { "failed" };
        if named.is_empty() {
            named = all(TaskState::Cancelled).take(NAMED_MAX + 1).map(|task| &*self.plan.task(task).name).collect();
        }
        let more = if named.len() > NAMED_MAX { ", …" } else { "" };
        named.truncate(NAMED_MAX);
        let noun = if named.len() == 1 { "task" } else { "tasks" };
        (!named.is_empty()).then(|| format!("{noun} {}{more} {word}", named.join(", ")))
    }
}
