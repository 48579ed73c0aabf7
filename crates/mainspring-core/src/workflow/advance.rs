//! What follows when tasks of a workflow run end.
//!
//! The node that owns the run is the only one that asks. Others leave the ends of tasks in the run's inbox; the owner hands them
//! to [`Progress::advance`] in batches, keeps the rows that changed, and creates runs for the tasks that became ready. How the
//! run ends follows from how its tasks end: neither the order of the ends nor the size of the batches matters.
//!
//! A row is a state and a generation. How many upstreams ended, and how, is counted in memory and follows from the rows: nothing
//! else is kept, nothing can disagree with it, and a run goes on from its rows after a crash between any two batches.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{Counts, Decision, Graph, TaskState, TriggerRule, at, group_end};
use crate::run::{Verdict, words};

words!(
    /// What becomes of the tasks that have not ended when one fails.
    FailFast {
        /// Those that do not need it go on.
        Off = "off",
        /// Those that run go on, and nothing starts.
        True = "true",
        /// All are cancelled.
        Cancel = "cancel",
    }
);

#[expect(clippy::derivable_impls, reason = "the enum comes from a macro that knows no default")]
impl Default for FailFast {
    fn default() -> Self {
        Self::Off
    }
}

/// What the definition says about a task, apart from what it needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TaskRule {
    /// When it may run.
    pub trigger_rule: TriggerRule,
    /// Whether a condition is asked before it runs. It waits for all of its upstreams then, so that the condition sees how
    /// they ended and not which of them was faster.
    pub conditional: bool,
    /// Whether those that need it count its failure as success, and the run does not fail by it.
    pub continue_on_error: bool,
    /// Whether it runs when all that do not have this have ended, however they did.
    pub finally: bool,
    /// Whether it stands for a group of tasks, which are those that it needs. It ends as they have, and never runs.
    pub group: bool,
}

/// What a workflow run goes by: never changes while it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    graph: Graph,
    rules: Vec<TaskRule>,
    fail_fast: FailFast,
    /// The groups that tasks need; tasks that need none are left out.
    groups: FxHashMap<u32, Vec<u32>>,
}

/// Where one task of a run stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The state.
    pub state: TaskState,
    /// How often it was made to wait again: ends that name another generation are of a run that was replaced.
    pub generation: u32,
}

impl Row {
    /// The row of a task that nothing has happened to.
    pub const NEW: Self = Self { state: TaskState::Waiting, generation: 0 };
}

/// Where a workflow run stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    rows: Vec<Row>,
    /// How the upstreams of each task ended, without those that are members of a group which it needs. Kept up while it waits, and for
    /// groups always.
    counts: Vec<Counts>,
    /// Tasks that are not final, without those that run last.
    open: u32,
    /// Tasks that run last and are not final.
    open_last: u32,
    /// Whether a task ended badly whose failure counts.
    failed: bool,
    stop: Option<Stop>,
    work: VecDeque<Work>,
}

words!(
    /// Why nothing starts any more, apart from tasks that run last.
    Stop {
        /// A task failed, and the workflow says so.
        Failed = "failed",
        /// Somebody cancelled the run.
        Cancelled = "cancelled",
    }
);

/// The end of a task: of its run, or by request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Of which task.
    pub task: u32,
    /// Of which of its generations.
    pub generation: u32,
    /// A final state.
    pub state: TaskState,
}

/// What follows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// Tasks that are owed a run, in the order in which they became ready.
    pub ready: Vec<u32>,
    /// Running tasks whose runs are to be cancelled. They may be named more than once.
    pub cancel: Vec<u32>,
    /// Tasks whose rows changed, each once, by number. Those that are ready are among them.
    pub changed: Vec<u32>,
    /// How the run ends, once nothing is open and nothing left to do.
    pub verdict: Option<Verdict>,
    /// Whether there is more to do at once: ask again, when this is kept, with no ends.
    pub more: bool,
}

/// Something left to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Work {
    /// Tell the children of an ended task, from this place in their list on.
    Tell { task: u32, from: u32 },
    /// See whether these tasks may run, up to but without the second.
    Look { from: u32, to: u32 },
}

impl Shape {
    /// Puts the graph together with what is said about each task, in the same order.
    ///
    /// # Panics
    /// When their numbers differ, or a task that does not run last needs one that does.
    #[must_use]
    pub fn new(graph: Graph, rules: Vec<TaskRule>, fail_fast: FailFast) -> Self {
        assert_eq!(graph.len(), rules.len(), "one rule for each task");
        let last = |task: u32| rules[at(task)].finally;
        let orderly = graph.tasks().all(|task| last(task) || !graph.parents(task).iter().any(|parent| last(*parent)));
        assert!(orderly, "only tasks that run last need tasks that run last");
        let mut groups = FxHashMap::<u32, Vec<u32>>::default();
        for group in graph.tasks().filter(|task| rules[at(*task)].group) {
            for &child in graph.children(group) {
                groups.entry(child).or_default().push(group);
            }
        }
        Self { graph, rules, fail_fast, groups }
    }

    /// Which task needs which.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// What is said about a task.
    #[must_use]
    pub fn rule(&self, task: u32) -> TaskRule {
        self.rules[at(task)]
    }

    /// Decides about a task from how its upstreams ended so far.
    #[must_use]
    pub fn decide(&self, task: u32, counts: Counts) -> Decision {
        let rule = self.rule(task);
        let trigger_rule = if rule.finally { TriggerRule::AllDone } else { rule.trigger_rule };
        match counts.decide(trigger_rule) {
            Decision::Run if rule.conditional && counts.unfinished > 0 => Decision::Wait,
            decision => decision,
        }
    }

    /// How those that need `task` count it once it is in `state`.
    #[must_use]
    pub fn counted_as(&self, task: u32, state: TaskState) -> TaskState {
        match state {
            TaskState::Failed if self.rule(task).continue_on_error => TaskState::Succeeded,
            state => state,
        }
    }

    /// Counts how the upstreams of each task ended, given the state of each. Where they are a group, one of its members counts for each way
    /// in which some of them stand.
    pub fn counts(&self, state: impl Fn(u32) -> TaskState) -> Vec<Counts> {
        let mut counts: Vec<Counts> = self.graph.tasks().map(|task| self.count_tasks(task, &state)).collect();
        for (task, groups) in &self.groups {
            for group in groups {
                let members = counts[at(*group)].seen();
                counts[at(*task)].join(members);
            }
        }
        counts
    }

    /// Counts how the upstreams of `task` ended, without those that are members of a group which it needs.
    fn count_tasks(&self, task: u32, state: impl Fn(u32) -> TaskState) -> Counts {
        let mut counts = Counts::default();
        for &parent in self.graph.parents(task).iter().filter(|parent| !self.rule(**parent).group) {
            counts.add(self.counted_as(parent, state(parent)));
        }
        counts
    }

    fn stops_running(&self, stop: Stop) -> bool {
        stop == Stop::Cancelled || self.fail_fast == FailFast::Cancel
    }

    /// Whether a run fails by a task that is in `state`.
    pub(super) fn fails_by(&self, task: u32, state: TaskState) -> bool {
        let rule = self.rule(task);
        state.is_bad() && !rule.continue_on_error && !rule.group
    }
}

impl Progress {
    /// A run none of whose tasks has been looked at: [`advance`](Self::advance) without ends says which may run at once.
    #[must_use]
    pub fn new(shape: &Shape) -> Self {
        Self::from_rows(shape, vec![Row::NEW; shape.graph.len()], None)
    }

    /// A run as its rows say it stands, one for each task. What was begun when they were kept goes on with the next
    /// [`advance`](Self::advance).
    #[must_use]
    pub fn from_rows(shape: &Shape, rows: Vec<Row>, stop: Option<Stop>) -> Self {
        assert_eq!(shape.graph.len(), rows.len(), "one row for each task");
        let open = |last: bool| {
            let open = |task: &u32| !rows[at(*task)].state.is_final() && shape.rule(*task).finally == last;
            u32::try_from(shape.graph.tasks().filter(open).count()).expect("bounded by TASKS_MAX")
        };
        let (open, open_last) = (open(false), open(true));
        let failed = shape.graph.tasks().any(|task| shape.fails_by(task, rows[at(task)].state));
        let counts = shape.graph.tasks().map(|task| shape.count_tasks(task, |task| rows[at(task)].state)).collect();
        let mut progress = Self { rows, counts, open, open_last, failed, stop, work: VecDeque::new() };
        progress.look_at_all();
        progress
    }

    /// Where each task stands.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// How the upstreams of a task that waits ended so far.
    #[must_use]
    pub fn counts(&self, shape: &Shape, task: u32) -> Counts {
        let mut counts = self.counts[at(task)];
        for group in shape.groups.get(&task).into_iter().flatten() {
            counts.join(self.counts[at(*group)].seen());
        }
        counts
    }

    /// Why nothing starts any more, if so.
    #[must_use]
    pub const fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// How many tasks are not final.
    #[must_use]
    pub const fn open(&self) -> u32 {
        self.open + self.open_last
    }

    /// Notes that a run was created for a task that was ready.
    pub fn started(&mut self, task: u32) {
        let row = &mut self.rows[at(task)];
        assert_eq!(row.state, TaskState::Ready, "only what is ready starts");
        row.state = TaskState::Running;
    }

    /// Ends the tasks that are named and does what follows, until about `limit` rows have changed.
    ///
    /// An end of a task that is final, or of another generation, changes nothing: ends may be handed in again. A task that
    /// waits may end, too, by request.
    ///
    /// ```
    /// use mainspring_core::run::Verdict;
    /// use mainspring_core::workflow::{End, FailFast, Graph, Progress, Shape, TaskRule, TaskState};
    /// let diamond = Graph::new(4, &[(0, 1), (0, 2), (1, 3), (2, 3)])?;
    /// let shape = Shape::new(diamond, vec![TaskRule::default(); 4], FailFast::Off);
    /// let mut run = Progress::new(&shape);
    /// assert_eq!(run.advance(&shape, &[], 5_000).ready, [0]);
    ///
    /// let ended = |task, state| End { task, generation: 0, state };
    /// assert_eq!(run.advance(&shape, &[ended(0, TaskState::Succeeded)], 5_000).ready, [1, 2]);
    /// let both = [ended(2, TaskState::Succeeded), ended(1, TaskState::Failed)];
    /// let step = run.advance(&shape, &both, 5_000);
    /// assert_eq!((step.ready.len(), step.verdict), (0, Some(Verdict::Failed)));
    /// assert_eq!(run.rows()[3].state, TaskState::UpstreamFailed);
    /// # Ok::<(), mainspring_core::workflow::GraphError>(())
    /// ```
    pub fn advance(&mut self, shape: &Shape, ends: &[End], limit: usize) -> Step {
        let mut step = Step::default();
        for end in ends {
            self.end(shape, *end, &mut step);
        }
        while step.changed.len() < limit
            && let Some(work) = self.work.pop_front()
        {
            self.do_some(shape, work, limit, &mut step);
        }
        self.finish(step)
    }

    /// Cancels the run: what waits ends `cancelled`, what runs is to be cancelled, and the tasks that run last follow.
    pub fn cancel(&mut self, shape: &Shape, limit: usize) -> Step {
        self.stop_for(Stop::Cancelled);
        self.advance(shape, &[], limit)
    }

    fn finish(&self, mut step: Step) -> Step {
        step.changed.sort_unstable();
        step.changed.dedup();
        step.ready.retain(|task| self.rows[at(*task)].state == TaskState::Ready);
        step.more = !self.work.is_empty();
        if !step.more && self.open() == 0 {
            step.verdict = Some(match self.stop {
                Some(Stop::Cancelled) => Verdict::Cancelled,
                _ if self.failed => Verdict::Failed,
                _ => Verdict::Succeeded,
            });
        }
        step
    }

    fn end(&mut self, shape: &Shape, end: End, step: &mut Step) {
        assert!(end.state.is_final(), "{} is no end", end.state);
        let row = &mut self.rows[at(end.task)];
        if row.state.is_final() || row.generation != end.generation {
            return;
        }
        row.state = end.state;
        step.changed.push(end.task);
        let last = shape.rule(end.task).finally;
        *(if last { &mut self.open_last } else { &mut self.open }) -= 1;
        self.work.push_back(Work::Tell { task: end.task, from: 0 });
        if !last && self.open == 0 && self.open_last > 0 {
            self.look_at_all();
        }
        if shape.fails_by(end.task, end.state) {
            self.failed = true;
            if shape.fail_fast != FailFast::Off && !last {
                self.stop_for(Stop::Failed);
            }
        }
    }

    /// Lets nothing start any more, apart from what runs last.
    fn stop_for(&mut self, stop: Stop) {
        if self.stop.is_none() || stop == Stop::Cancelled && self.stop == Some(Stop::Failed) {
            self.stop = Some(stop);
            self.look_at_all();
        }
    }

    fn look_at_all(&mut self) {
        self.work.push_back(Work::Look { from: 0, to: self.tasks().end });
    }

    fn tasks(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.rows.len()).expect("bounded by TASKS_MAX")
    }

    /// Does as much of a piece of work as the limit allows, and puts the rest back.
    fn do_some(&mut self, shape: &Shape, work: Work, limit: usize, step: &mut Step) {
        match work {
            Work::Tell { task, from } => {
                let state = shape.counted_as(task, self.rows[at(task)].state);
                let children = shape.graph.children(task);
                for (place, &child) in (from..).zip(&children[at(from)..]) {
                    if step.changed.len() >= limit {
                        self.work.push_front(Work::Tell { task, from: place });
                        return;
                    }
                    self.tell(shape, (task, child), state, step);
                }
            }
            Work::Look { from, to } => {
                for task in from..to {
                    if step.changed.len() >= limit {
                        self.work.push_front(Work::Look { from: task, to });
                        return;
                    }
                    self.look(shape, task, step);
                }
            }
        }
    }

    /// Lets a task know that one which it needs has ended, or that a member of a group has which it needs.
    fn tell(&mut self, shape: &Shape, (task, child): (u32, u32), state: TaskState, step: &mut Step) {
        let waits = self.rows[at(child)].state == TaskState::Waiting;
        let group = shape.rule(child).group;
        if !waits && !group {
            return;
        }
        let before = self.counts[at(child)].seen();
        // In the place of a group, its members count.
        if !shape.rule(task).group {
            self.counts[at(child)].end(state);
        }
        if waits {
            self.look(shape, child, step);
        }
        // The end of a group is told like any other. Until then those that need it are told what they can see, at most five times.
        let told = waits && self.rows[at(child)].state.is_final();
        if group && !told && self.counts[at(child)].seen() != before {
            self.work.push_back(Work::Tell { task: child, from: 0 });
        }
    }

    /// Sees what is to become of a task.
    fn look(&mut self, shape: &Shape, task: u32, step: &mut Step) {
        let Row { state, generation } = self.rows[at(task)];
        let last = shape.rule(task).finally;
        let group = shape.rule(task).group;
        // A group ends as its tasks do, which end.
        let stopped = self.stop.filter(|_| !last && !group);
        let state = match state {
            TaskState::Running if stopped.is_some_and(|stop| shape.stops_running(stop)) => {
                step.cancel.push(task);
                return;
            }
            TaskState::Waiting | TaskState::Ready if stopped.is_some() => TaskState::Cancelled,
            TaskState::Waiting if group && self.counts[at(task)].unfinished > 0 => return,
            TaskState::Waiting if group => {
                let members = shape.graph.parents(task).iter().filter(|it| !shape.rule(**it).group);
                group_end(members.map(|member| shape.counted_as(*member, self.rows[at(*member)].state)))
            }
            TaskState::Waiting if last && self.open > 0 => return,
            TaskState::Waiting => match shape.decide(task, self.counts(shape, task)) {
                Decision::Wait => return,
                Decision::Run => {
                    self.rows[at(task)].state = TaskState::Ready;
                    step.changed.push(task);
                    step.ready.push(task);
                    return;
                }
                Decision::Skip => TaskState::Skipped,
                Decision::FailUpstream => TaskState::UpstreamFailed,
            },
            _ => return,
        };
        self.end(shape, End { task, generation, state }, step);
    }
}
