//! Unfinished runs, and the orders in which they are taken.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::batch::{AttemptDetail, ClaimedRun, LiveRun, Placed, Queues};
use mainspring_core::line::Line;
use mainspring_core::queue::place;
use mainspring_core::routing::Shard;
use mainspring_core::run::{Origin, RunState};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};
use rustc_hash::FxHashMap;

use crate::row::{COUNTED_MAX, Caller, RunCount};

/// A batch as it is stamped on what it advances: the process start by its number in the model, and the sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stamp {
    pub(super) incarnation: u32,
    pub(super) sequence: u64,
}

/// A run. What few runs have is in `more`, so that the others stay small.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) id: RunId,
    pub(super) job: JobId,
    pub(super) job_version: JobVersion,
    pub(super) trigger: Option<TriggerId>,
    pub(super) fire_time: Timestamp,
    pub(super) due_at: Timestamp,
    pub(super) created_at: Timestamp,
    pub(super) claimed_at: Option<Timestamp>,
    pub(super) priority: i32,
    pub(super) queue: Arc<str>,
    pub(super) attempt: u32,
    /// Who holds it while it is running.
    pub(super) owner: u32,
    pub(super) state: RunState,
    pub(super) origin: Origin,
    /// The fire that made it, and where it was placed then.
    pub(super) batch: Stamp,
    pub(super) born: Placed,
    pub(super) more: Option<Box<More>>,
}

/// What few runs have.
#[derive(Clone, Debug, Default)]
pub(super) struct More {
    pub(super) input: Option<String>,
    pub(super) rerun_of: Option<RunId>,
    /// The run whose end started it.
    pub(super) cause: Option<RunId>,
    /// The run of which it is a shard, and which.
    pub(super) shard_of: Option<(RunId, Shard)>,
    /// The task of a workflow's run that started it and waits for it.
    pub(super) caller: Option<Caller>,
    /// Whether a backfill has made the run at the top of those that started it.
    pub(super) backfilled: bool,
    /// Which task of which workflow's run it is.
    pub(super) task: Option<TaskOf>,
    pub(super) not_before: Option<Timestamp>,
    /// No attempt begins after it.
    pub(super) expires_at: Option<Timestamp>,
    pub(super) cancel_requested_at: Option<Timestamp>,
    pub(super) reason: Option<Cow<'static, str>>,
    /// Of the attempt before, while the run waits for the next.
    pub(super) started_at: Option<Timestamp>,
    pub(super) ended_at: Option<Timestamp>,
    pub(super) detail: Option<Box<AttemptDetail>>,
}

/// A task of a workflow's run.
#[derive(Clone, Debug)]
pub(super) struct TaskOf {
    pub(super) parent: RunId,
    pub(super) name: String,
}

impl Run {
    pub(super) fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    pub(super) fn cancel_requested(&self) -> bool {
        self.more.as_ref().is_some_and(|more| more.cancel_requested_at.is_some())
    }

    fn waiting(&self) -> Waiting {
        (place(self.priority, self.due_at), self.due_at, self.id)
    }

    /// The task that it is of.
    pub(super) fn task(&self) -> Option<&TaskOf> {
        self.more.as_ref().and_then(|more| more.task.as_ref())
    }

    /// Whether it counts in the gate of its job. A part of a run does not, and backfills have limits of their own.
    pub(super) fn counts_in_gate(&self) -> bool {
        self.parent().is_none() && self.origin != Origin::Backfill
    }

    /// The run of which it is a part: a shard or a task.
    pub(super) fn parent(&self) -> Option<RunId> {
        self.shard_of().map(|(parent, _)| parent).or_else(|| self.task().map(|task| task.parent))
    }

    /// The run of which it is a shard, and which.
    pub(super) fn shard_of(&self) -> Option<(RunId, Shard)> {
        self.more.as_ref().and_then(|more| more.shard_of)
    }

    fn place(&self) -> Place {
        (Reverse(self.priority), self.due_at, self.id)
    }

    /// From when on it may be executed.
    pub(super) fn not_before(&self) -> Timestamp {
        self.more.as_ref().and_then(|more| more.not_before).unwrap_or(self.due_at)
    }

    /// As recovery sees it.
    pub(super) fn live(&self) -> LiveRun {
        let (claimed, ends) = (ClaimedRun { queue: None, ..self.claimed() }, self.cancel_requested());
        LiveRun { claimed, state: self.state, claimed_at: self.claimed_at, ends }
    }

    /// When it ends by itself, if it waits.
    fn expires_at(&self) -> Option<Timestamp> {
        self.more.as_ref().and_then(|more| more.expires_at).filter(|_| self.state != RunState::Running)
    }

    pub(super) fn claimed(&self) -> ClaimedRun {
        ClaimedRun {
            run: self.id,
            job: self.job,
            job_version: self.job_version,
            trigger: self.trigger,
            fire_time: self.fire_time,
            due_at: self.due_at,
            attempt: self.attempt,
            input: self.more.as_ref().and_then(|more| more.input.clone()),
            queue: Some(Line::parse(&self.queue).queue().to_owned()),
        }
    }
}

/// In order of [`place`], then oldest due, then id.
type Waiting = (i64, Timestamp, RunId);

/// Highest priority first, then oldest due, then id.
type Place = (Reverse<i32>, Timestamp, RunId);

/// The unfinished runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    runs: FxHashMap<u128, Run>,
    /// By queue; none is empty.
    queued: BTreeMap<Arc<str>, BTreeSet<Waiting>>,
    held: BTreeSet<(JobId, Place)>,
    scheduled: BTreeSet<(Timestamp, RunId)>,
    /// Those that wait, and may not for ever.
    expiring: BTreeSet<(Timestamp, RunId)>,
}

impl Live {
    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    pub(super) fn get(&self, id: RunId) -> Option<&Run> {
        self.runs.get(&key(id))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Run> {
        self.runs.values()
    }

    /// Takes in a run that is not there yet.
    pub(super) fn insert(&mut self, run: Run) {
        self.index(&run);
        let before = self.runs.insert(key(run.id), run);
        debug_assert!(before.is_none(), "a run is inserted once");
    }

    /// Takes out a run, if it is there and `accept` agrees.
    pub(super) fn remove_if(&mut self, id: RunId, accept: impl FnOnce(&Run) -> bool) -> Option<Run> {
        let Entry::Occupied(entry) = self.runs.entry(key(id)) else { return None };
        if !accept(entry.get()) {
            return None;
        }
        let run = entry.remove();
        self.unindex(&run);
        Some(run)
    }

    /// Changes a run that is there. `change` may set any field but the id.
    pub(super) fn update(&mut self, id: RunId, change: impl FnOnce(&mut Run)) {
        let mut run = self.remove_if(id, |_| true).expect("the caller has seen the run");
        change(&mut run);
        self.insert(run);
    }

    /// The queued runs in the order of claims.
    pub(super) fn queued(&self) -> impl Iterator<Item = &Run> {
        let mut all: Vec<&Waiting> = self.queued.values().flatten().collect();
        all.sort_unstable();
        all.into_iter().map(|place| &self.runs[&key(place.2)])
    }

    /// Whether runs wait in a queue.
    pub(super) fn has_queued(&self) -> bool {
        !self.queued.is_empty()
    }

    /// Whether runs wait in the line of a namespace.
    pub(super) fn has_shared(&self) -> bool {
        self.queued.keys().any(|line| Line::parse(line).is_beside())
    }

    /// The lines in which runs wait, in the order of their first ones.
    pub(super) fn queues_by_head(&self) -> impl Iterator<Item = Arc<str>> {
        let mut all: Vec<(&Waiting, &Arc<str>)> =
            self.queued.iter().filter_map(|(queue, waiting)| Some((waiting.first()?, queue))).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, queue)| Arc::clone(queue))
    }

    /// The queued run that goes first of those in a queue.
    pub(super) fn first_of(&self, queue: &str) -> Option<RunId> {
        self.queued.get(queue)?.first().map(|place| place.2)
    }

    /// The queued run that goes first of those in some queues, without those in lines of namespaces.
    pub(super) fn next_queued(&self, queues: &Queues) -> Option<RunId> {
        match queues.of().1 {
            Queues::All | Queues::Short(_) => {
                let lines = self.queued.iter().filter(|(line, _)| Line::parse(line).is_plain());
                lines.filter_map(|(_, waiting)| waiting.first()).min().map(|place| place.2)
            }
            Queues::Named(queues) => queues.iter().find_map(|queue| self.first_of(queue)),
        }
    }

    /// The held run of a job that takes the next slot.
    pub(super) fn first_held(&self, job: JobId) -> Option<RunId> {
        let least = (job, (Reverse(i32::MAX), Timestamp::from_millis(i64::MIN), RunId::from_bytes([0; 16])));
        self.held.range(least..).next().filter(|place| place.0 == job).map(|place| place.1.2)
    }

    /// The scheduled run that is due first, and when.
    pub(super) fn first_scheduled(&self) -> Option<(Timestamp, RunId)> {
        self.scheduled.first().copied()
    }

    /// When the first of those that wait has waited for too long.
    pub(super) fn first_expiring(&self) -> Option<Timestamp> {
        self.expiring.first().map(|place| place.0)
    }

    /// Runs that have waited for too long by then, the earliest first.
    pub(super) fn expiring(&self, at: Timestamp) -> impl Iterator<Item = &Run> {
        self.expiring.iter().take_while(move |place| place.0 <= at).map(|place| &self.runs[&key(place.1)])
    }

    /// See [`crate::Store::figures`].
    pub(super) fn counts(&self) -> Vec<RunCount> {
        let mut ids: Vec<u128> = self.runs.keys().copied().collect();
        if ids.len() > COUNTED_MAX as usize {
            ids.select_nth_unstable(COUNTED_MAX as usize);
            ids.truncate(COUNTED_MAX as usize);
        }
        let mut counts: BTreeMap<(&str, &str), RunCount> = BTreeMap::new();
        for run in ids.iter().map(|id| &self.runs[id]) {
            let queue = Line::parse(&run.queue).queue();
            let new = || RunCount { state: run.state, queue: queue.to_owned(), count: 0, oldest_due_at: run.due_at };
            let count = counts.entry((run.state.as_str(), queue)).or_insert_with(new);
            count.count += 1;
            count.oldest_due_at = count.oldest_due_at.min(run.due_at);
        }
        counts.into_values().collect()
    }

    fn index(&mut self, run: &Run) {
        if let Some(at) = run.expires_at() {
            self.expiring.insert((at, run.id));
        }
        match run.state {
            RunState::Queued => _ = self.queued.entry(Arc::clone(&run.queue)).or_default().insert(run.waiting()),
            RunState::Held => _ = self.held.insert((run.job, run.place())),
            RunState::Scheduled => _ = self.scheduled.insert((run.not_before(), run.id)),
            _ => {}
        }
    }

    fn unindex(&mut self, run: &Run) {
        if let Some(at) = run.expires_at() {
            self.expiring.remove(&(at, run.id));
        }
        match run.state {
            RunState::Queued => {
                let waiting = self.queued.get_mut(&run.queue).expect("it is in there");
                waiting.remove(&run.waiting());
                if waiting.is_empty() {
                    self.queued.remove(&run.queue);
                }
            }
            RunState::Held => _ = self.held.remove(&(run.job, run.place())),
            RunState::Scheduled => _ = self.scheduled.remove(&(run.not_before(), run.id)),
            _ => {}
        }
    }
}

/// A number hashes in two steps, sixteen bytes in more.
fn key(id: RunId) -> u128 {
    u128::from_be_bytes(*id.as_bytes())
}
