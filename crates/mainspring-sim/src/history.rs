//! What happened, as far as the invariants ask: plain rows, whoever wrote them down.
//!
//! Times are milliseconds since 1970 by the clock of whoever checks, unless a field says otherwise. Nothing here knows the
//! simulator: a test with real processes can fill the same tables.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::batch::Gap;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{BatchId, Incarnation, JobId, RunId, TriggerId};

/// Milliseconds since 1970 by the checker's clock.
pub type Time = i64;

/// Instants by an oracle that is independent of the product: the first, and equal steps from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// No instant is before.
    pub first: Time,
    /// The step. An instant that stands alone has [`i64::MAX`].
    pub step: i64,
}

impl Schedule {
    /// Whether an instant is one of the schedule's.
    #[must_use]
    pub const fn has(&self, instant: Time) -> bool {
        instant >= self.first && (instant - self.first) % self.step == 0
    }

    /// How many instants are from `from` up to `to`, both included.
    #[must_use]
    pub fn count(&self, from: Time, to: Time) -> u64 {
        let low = if from > self.first { from } else { self.first };
        if to < low {
            return 0;
        }
        let up_to = |instant: Time| (instant - self.first).div_euclid(self.step) + 1;
        (up_to(to) - up_to(low - 1)).unsigned_abs()
    }

    /// The instants from `from` up to `to`, both included.
    pub fn instants(self, from: Time, to: Time) -> impl Iterator<Item = Time> {
        let behind = (from - self.first).max(0);
        let steps = behind / self.step + i64::from(behind % self.step != 0);
        let start = self.first.saturating_add(steps.saturating_mul(self.step));
        std::iter::successors(Some(start), move |at| at.checked_add(self.step)).take_while(move |at| *at <= to)
    }
}

/// What holds of a job, whatever happens to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobFacts {
    /// At most one run at a time.
    pub exclusive: bool,
    /// Whether fires at the limit may be suppressed.
    pub suppresses: bool,
    /// Whether late instants may be missed.
    pub misses: bool,
    /// Whether triggers wait for the end of a run, so that their instants are judged only then.
    pub waits: bool,
    /// Attempts that a run may have at most.
    pub attempts_max: u32,
    /// Whether a run may start as soon as it is recorded: no limit, no other run before it.
    pub unlimited: bool,
}

/// What a job does for its triggers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// Its triggers fire, each by its schedule; those without one are not counted.
    Active(Vec<Option<Schedule>>),
    /// They rest.
    Paused,
    /// There is no such job.
    Absent,
}

/// How a request ended, for whoever asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was acknowledged then.
    Ok(Time),
    /// It was refused for good, and left nothing.
    Refused,
    /// Nobody knows.
    Unknown,
}

/// A request that changes a job. Requests about one job follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The job, by its number in the test.
    pub job: u32,
    /// What it brings the job to.
    pub brings: State,
    /// When it was first asked for.
    pub invoked: Time,
    /// How it ended.
    pub outcome: Outcome,
    /// From when on the change counts, by the clock of the node that decided it; the latest, if it was decided several times.
    pub counts_from: Time,
    /// Whether a failover took it back after it was acknowledged, or took back what it came after while it was under way.
    pub taken_back: bool,
}

/// A run that was asked for under a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedRun {
    /// The key.
    pub key: u64,
    /// When it was acknowledged, if it was.
    pub acknowledged: Option<Time>,
    /// The runs that the store made for it, without those that a failover took back.
    pub made: Vec<RunId>,
    /// Whether a failover took some back.
    pub taken_back: bool,
}

/// A row that makes a run of a trigger's instant. Rows are in the order of their transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fire {
    /// The number of its transaction.
    pub order: u64,
    /// The trigger.
    pub trigger: TriggerId,
    /// The instant.
    pub instant: Time,
    /// The run.
    pub run: RunId,
    /// When it was recorded.
    pub at: Time,
    /// The same by the clock of the node that decided.
    pub decided: Time,
    /// When it was due, by that clock.
    pub due: Time,
    /// The batch.
    pub batch: BatchId,
    /// How often the fence of the batch's process start had been counted up.
    pub fence: u64,
    /// The shard.
    pub shard: u8,
    /// Its owner then, the number of that lease and its random id.
    pub lease: Option<(Incarnation, i64, u128)>,
    /// Whether the trigger's row was active, unpaused, and of the version that the batch named.
    pub lawful: bool,
}

/// A row about instants that did not fire.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GapRow {
    /// The number of its transaction.
    pub order: u64,
    /// The trigger.
    pub trigger: TriggerId,
    /// When it was recorded.
    pub at: Time,
    /// The reading under which it was decided.
    pub decided: Time,
    /// What did not fire.
    pub gap: Gap,
    /// Fires that the same transaction recorded for the trigger.
    pub fires_beside: u32,
    /// The first instant of those.
    pub first_beside: Option<Time>,
}

/// An attempt that a process start opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The number of its transaction.
    pub order: u64,
    /// The run.
    pub run: RunId,
    /// The attempt.
    pub attempt: u32,
    /// Who opened it.
    pub by: Incarnation,
    /// When.
    pub at: Time,
}

/// An attempt's end that the store accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The number of its transaction.
    pub order: u64,
    /// The run.
    pub run: RunId,
    /// The attempt.
    pub attempt: u32,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// When.
    pub at: Time,
}

/// An end of an attempt that a worker of another machine has spoken of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    /// The run.
    pub run: RunId,
    /// The attempt.
    pub attempt: u32,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// Under which id the worker had joined.
    pub worker: Incarnation,
    /// Its machine.
    pub machine: usize,
    /// When.
    pub at: Time,
}

/// A worker that has joined, and knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joined {
    /// Its machine.
    pub machine: usize,
    /// When.
    pub at: Time,
}

/// A worker that was taken for dead, or that has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Burial {
    /// The number of its transaction.
    pub order: u64,
    /// Under which id it had joined.
    pub worker: Incarnation,
    /// When.
    pub at: Time,
}

/// A worker that ended what others might be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GaveUp {
    /// Its machine.
    pub machine: usize,
    /// When.
    pub at: Time,
    /// When the last request of the machine was sent that was answered.
    pub heard: Time,
}

/// The end of a run that somebody asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// The number of its transaction.
    pub order: u64,
    /// The run.
    pub run: RunId,
    /// When that was recorded.
    pub at: Time,
}

/// Work that was really done, as the work itself tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The run.
    pub run: RunId,
    /// Its job.
    pub job: JobId,
    /// The attempt.
    pub attempt: u32,
    /// Where.
    pub node: usize,
    /// When it began.
    pub start: Time,
    /// When it ended; absent while it goes on.
    pub end: Option<Time>,
    /// Whether it ended by itself, and did not die with its process.
    pub whole: bool,
}

/// A run, as somebody read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// When.
    pub at: Time,
    /// The run.
    pub run: RunId,
    /// Its state.
    pub state: RunState,
    /// Whether a failover took back what was read.
    pub taken_back: bool,
}

/// Machines that do nothing but work have numbers from here on: what befalls one makes no fire late.
pub const WORKERS_FROM: usize = 1_000;

/// A trigger that a node had passed over, as a check of its window has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Correction {
    /// The trigger.
    pub trigger: TriggerId,
    /// When it was found.
    pub at: Time,
    /// Whether an answer named it that nobody had heard by then.
    pub unheard: bool,
}

/// A disturbance, as far as it can make something late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What it was.
    pub kind: &'static str,
    /// The machine that it hit; absent if it was the store.
    pub node: Option<usize>,
    /// From when.
    pub from: Time,
    /// Until when.
    pub to: Time,
    /// How long afterwards things may still be late.
    pub recovery_ms: i64,
}

/// A run that waits for somebody to execute it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The run.
    pub run: RunId,
    /// Since when.
    pub since: Time,
    /// Whether it is for workers of other machines to take.
    pub goes_out: bool,
}

/// What was left when all had been quiet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Remains {
    /// When that was looked at.
    pub at: Time,
    /// Active triggers whose next instant has passed: trigger and due time.
    pub overdue: Vec<(TriggerId, Time)>,
    /// Runs that wait for somebody to execute them.
    pub queued: Vec<Waiting>,
    /// Runs that are recorded as running and that no live process executes.
    pub abandoned: Vec<RunId>,
    /// Workers of other machines that have not joined.
    pub unjoined: usize,
    /// Shards without an owner, or whose owner does not know.
    pub ownerless: usize,
    /// Triggers that cannot be evaluated, without having been made so.
    pub broken: Vec<TriggerId>,
    /// Changes that nobody heard of, sessions and locks that nobody ended.
    pub leftovers: usize,
    /// Each job's state as the store has it; schedules as its definition says.
    pub jobs: BTreeMap<u32, State>,
    /// What the store counts for each trigger: fired, missed, suppressed, first and last instant.
    pub tallies: BTreeMap<TriggerId, Tally>,
}

/// What a store counts for a trigger.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Instants that fired.
    pub fired: u64,
    /// Instants that were missed.
    pub missed: u64,
    /// Instants that were suppressed.
    pub suppressed: u64,
    /// The first instant.
    pub first: Time,
    /// The last instant.
    pub last: Time,
}

/// Everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    /// The jobs, by their numbers in the test.
    pub jobs: BTreeMap<u32, JobFacts>,
    /// Each job id's number.
    pub job_ids: BTreeMap<JobId, u32>,
    /// Each trigger's job, and its place there.
    pub triggers: BTreeMap<TriggerId, (u32, usize)>,
    /// Requests, in the order in which they were asked for.
    pub operations: Vec<Operation>,
    /// Runs that were asked for.
    pub asked: Vec<AskedRun>,
    /// Fires.
    pub fires: Vec<Fire>,
    /// Instants that did not fire.
    pub gaps: Vec<GapRow>,
    /// Claims.
    pub claims: Vec<Claim>,
    /// Attempts whose claims failovers took back: whoever had opened them may not know.
    pub lost_claims: BTreeSet<(RunId, u32)>,
    /// Verdicts.
    pub verdicts: Vec<Verdict>,
    /// Work.
    pub witnesses: Vec<Witness>,
    /// What workers of other machines have said.
    pub told: Vec<Told>,
    /// When workers have joined.
    pub joined: Vec<Joined>,
    /// Workers that are no more.
    pub burials: Vec<Burial>,
    /// Workers that gave up.
    pub gave_up: Vec<GaveUp>,
    /// Runs that are to end.
    pub stopped: Vec<Stopped>,
    /// Reads.
    pub seen: Vec<Seen>,
    /// What nodes had passed over.
    pub corrections: Vec<Correction>,
    /// Disturbances.
    pub faults: Vec<Fault>,
    /// From when on there were no faults, and none had an effect any more.
    pub calm_from: Time,
    /// From when to when no worker of another machine had room for another run, in order.
    pub no_room: Vec<(Time, Time)>,
    /// When failovers took rows back.
    pub failovers: Vec<Time>,
    /// How far node clocks were from the checker's at most, either way.
    pub clock_error_ms: i64,
    /// When a fire time counts as missed.
    pub misfire_threshold_ms: i64,
    /// Late instants that fire one by one at most.
    pub catch_up_max: u32,
    /// What was left.
    pub remains: Remains,
}
