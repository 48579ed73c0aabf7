//! What the planner asks of the store, and what the store answers: batches of fires, verdicts and claims.
//!
//! Plain data. A batch is one transaction, and repeating one after an ambiguous commit changes nothing.

use std::sync::Arc;

use mainspring_schedule::{Timestamp, TzdataVersion};

use crate::cluster::Shard;
use crate::id::{BatchId, Incarnation, JobId, JobVersion, RunId, TriggerId};
use crate::job::GateRule;
use crate::line::Line;
use crate::retry::AfterAttempt;
use crate::run::{AttemptOutcome, Origin, RunState, words};

words!(
    /// Whether a trigger has anything left to do.
    TriggerStatus {
        /// It has a next fire, or waits for its run.
        Active = "active",
        /// It will never fire again.
        Complete = "complete",
        /// It cannot be evaluated; the reason says why.
        Error = "error",
    }
);

/// How far a trigger has come: the columns that change with every fire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Instant of the schedule that fires next. The key of the compare-and-set.
    pub next_fire_at: Option<Timestamp>,
    /// `next_fire_at` plus jitter: when it is due.
    pub due_at: Option<Timestamp>,
    /// The instant that fired last.
    pub previous_fire_at: Option<Timestamp>,
    /// Where the schedule is anchored. Some misfire policies move it.
    pub start_at: Timestamp,
    /// Fires left after the first, for schedules that count. Some misfire policies change it.
    pub repeat_count: Option<u32>,
    /// Fires so far.
    pub times_triggered: u32,
    /// No instant up to here fires again, whatever is edited: `next_fire_at` is the first after it.
    pub fired_through: Option<Timestamp>,
    /// Whether anything is left to do.
    pub status: TriggerStatus,
    /// The open run after whose end a `delay` trigger fires again.
    pub awaiting_run: Option<RunId>,
    /// The release of the tz database that `next_fire_at` was computed with; absent if it depends on none.
    pub tzdata: Option<TzdataVersion>,
}

/// A trigger as the window read returns it.
#[derive(Clone, PartialEq, Debug)]
pub struct TriggerRow {
    /// Its id.
    pub id: TriggerId,
    /// The job it belongs to.
    pub job: JobId,
    /// The shard of the job.
    pub shard: Shard,
    /// The version of the job's definition in which to find the trigger.
    pub job_version: JobVersion,
    /// Its index among the triggers of that definition.
    pub index: u32,
    /// Counts the changes from outside: edits, pauses. Fires do not change it.
    pub version: i64,
    /// Whether it, its job or its namespace rests.
    pub paused: bool,
    /// How far it has come.
    pub progress: Progress,
}

/// How many batches of fires back a store knows its answer to one that is repeated. Whoever sends batches has heard the answer
/// to all that are older.
pub const ANSWERS_KEPT: u64 = 1_024;

/// Fires of many triggers, recorded in one transaction.
#[derive(Clone, PartialEq, Debug)]
pub struct FireBatch {
    /// Names the batch: stamped on what it advances. Under one name the store records once; what was left out then goes into
    /// another batch.
    pub id: BatchId,
    /// The clock reading under which it was decided.
    pub at: Timestamp,
    /// How many batches of this process start the store has answered. Its fence has counted at least as many, unless the
    /// store has lost commits: then nothing is recorded, as if the fence were gone.
    pub answered: u64,
    /// One entry a trigger, in order of trigger ids.
    pub entries: Vec<FireEntry>,
}

/// What one trigger does in a batch.
#[derive(Clone, PartialEq, Debug)]
pub struct FireEntry {
    /// The trigger.
    pub trigger: TriggerId,
    /// Its job.
    pub job: JobId,
    /// The version of the job that fires.
    pub job_version: JobVersion,
    /// Expected version of the trigger.
    pub version: i64,
    /// Expected `next_fire_at`. Another value means that the trigger has changed: nothing is recorded.
    pub expected: Timestamp,
    /// Where the trigger stands afterwards.
    pub progress: Progress,
    /// Whether the trigger leaves the planner's memory: only then is its place in the due index renewed.
    pub leaves_window: bool,
    /// The limit of the job, if it has one.
    pub gate: Option<GateRule>,
    /// Priority of the runs.
    pub priority: i32,
    /// Where the runs wait, if they have to.
    pub queue: Arc<str>,
    /// How long the runs may wait for their first attempt, from the batch on.
    pub start_timeout_ms: Option<i64>,
    /// JSON given to the runs by the trigger, which takes precedence over the job's input.
    pub input: Option<Arc<str>>,
    /// Runs to insert, in order of fire time.
    pub runs: Vec<NewRun>,
    /// Missed instants to record.
    pub gaps: Vec<Gap>,
}

/// A run that a fire creates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewRun {
    /// Its id, from trigger and fire time.
    pub id: RunId,
    /// The instant of the schedule.
    pub fire_time: Timestamp,
    /// When it was due.
    pub due_at: Timestamp,
    /// `schedule`, or `misfire` where it stands for missed instants.
    pub origin: Origin,
    /// Whether a slot of this node's own pool is kept for it: then it is inserted `running`.
    pub claim: bool,
}

words!(
    /// What happened to instants that did not fire.
    GapOutcome {
        /// They passed the misfire threshold, the catch-up cap, a pause, or the trigger as it was.
        Missed = "missed",
        /// The overlap policy let them pass, or their queue was full.
        Suppressed = "suppressed",
    }
);

words!(
    /// Why instants did not fire.
    GapReason {
        /// Nobody fired them in time.
        Misfire = "misfire",
        /// More were late than are made up one by one.
        CatchUpCap = "catch_up_cap",
        /// A run of the job was unfinished.
        Overlap = "overlap",
        /// As many runs waited in the queue as may.
        QueueFull = "queue_full",
        /// The trigger, its job or its namespace was paused.
        Paused = "paused",
        /// The trigger was changed before they were fired.
        Changed = "changed",
        /// The trigger or its job was deleted before they were fired.
        Deleted = "deleted",
    }
);

/// Instants of a trigger that did not fire: one, or a range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// The first of them.
    pub first: Timestamp,
    /// The last of them.
    pub last: Timestamp,
    /// How many.
    pub count: u64,
    /// What happened to them.
    pub outcome: GapOutcome,
    /// Why.
    pub reason: GapReason,
    /// The policy that allowed it, by its name.
    pub policy: String,
}

/// What became of a batch of fires.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FireOutcome {
    /// Entries, by index in ascending order, that changed meanwhile: nothing was recorded for them.
    pub stale: Vec<u32>,
    /// Entries, by index in ascending order, that wait for a slot of their job: nothing was recorded for them.
    pub blocked: Vec<u32>,
    /// Entries, by index in ascending order, that somebody else works on just now, or that the batch has left out before:
    /// nothing was recorded for them, and another batch may.
    pub busy: Vec<u32>,
    /// What became of each run of the other entries, in the batch's order.
    pub placed: Vec<Placed>,
}

impl FireOutcome {
    /// Whether an entry of the batch is recorded, by its index.
    #[must_use]
    pub fn has_recorded(&self, index: u32) -> bool {
        ![&self.stale, &self.blocked, &self.busy].iter().any(|others| others.binary_search(&index).is_ok())
    }
}

/// What became of a run that a fire created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placed {
    /// Claimed at birth: start it.
    Running,
    /// Waits for a worker.
    Queued,
    /// Waits for a slot of its job.
    Held,
    /// Recorded as suppressed; there is no run.
    Suppressed,
    /// It was there before: a repeat of a batch that another one had recorded.
    Known,
}

/// Ends of attempts, recorded in one transaction.
#[derive(Clone, PartialEq, Debug)]
pub struct CompletionBatch {
    /// Names the batch.
    pub id: BatchId,
    /// When the last of the attempts ended.
    pub at: Timestamp,
    /// One entry an attempt.
    pub entries: Vec<Completion>,
}

/// The end of one attempt.
#[derive(Clone, PartialEq, Debug)]
pub struct Completion {
    /// The run.
    pub run: RunId,
    /// Who holds it, if that is not the process start of the batch: a worker. Refused if somebody else does.
    pub held_by: Option<Incarnation>,
    /// Its job.
    pub job: JobId,
    /// The version that it ran.
    pub job_version: JobVersion,
    /// The trigger that fired it, if one did.
    pub trigger: Option<TriggerId>,
    /// The attempt that ended, counted from 1. Refused if the run is at another one.
    pub attempt: u32,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// What follows.
    pub then: AfterAttempt,
    /// When the handler was entered; absent if it never was. Of a lost attempt only the claim is known, which stands for it.
    pub started_at: Option<Timestamp>,
    /// When the attempt ended.
    pub ended_at: Timestamp,
    /// What the attempt left behind, if anything.
    pub detail: Option<Box<AttemptDetail>>,
    /// The `delay` trigger that waits for this run, and its next instant.
    pub rearm: Option<Rearm>,
    /// When the run's time is over, if that is limited: no attempt begins later. Kept with the first one that is followed
    /// by another.
    pub deadline: Option<Timestamp>,
}

/// What an attempt left behind.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AttemptDetail {
    /// Exit code of the process, or HTTP status.
    pub exit_code: Option<i32>,
    /// The signal that ended the process.
    pub signal: Option<i32>,
    /// Stable code of the error, such as `task.exit_code`.
    pub error_code: Option<String>,
    /// One line for people.
    pub error: Option<String>,
    /// JSON of at most [`INLINE_MAX`](crate::output::INLINE_MAX) bytes, or a reference to a larger one that is
    /// [kept apart](crate::output).
    pub output: Option<String>,
    /// What the job keeps from now on, if the attempt has succeeded: a JSON object, at most 64 KiB.
    pub data: Option<String>,
}

impl AttemptDetail {
    /// Notes what went wrong, unless something else has.
    pub fn note(&mut self, code: &str, error: String) {
        if self.error_code.is_none() && self.error.is_none() {
            (self.error_code, self.error) = (Some(code.to_owned()), Some(error));
        }
    }
}

/// A `delay` trigger's next instant, set when its run is final and only if it still awaits that run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rearm {
    /// The trigger.
    pub trigger: TriggerId,
    /// Its next instant. None: its end is reached, and it is complete.
    pub next_fire_at: Option<Timestamp>,
    /// The same plus jitter.
    pub due_at: Option<Timestamp>,
    /// The release of the tz database that it was computed with; absent if it depends on none.
    pub tzdata: Option<TzdataVersion>,
}

/// What became of a batch of completions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompletionOutcome {
    /// Entries, by index, whose attempt was over already: the first valid verdict is final.
    pub refused: Vec<u32>,
    /// Runs that took a freed slot and wait for a worker now.
    pub promoted: u32,
    /// Jobs with a free slot again.
    pub freed: Vec<JobId>,
    /// `delay` triggers that await their run no more: they have a next instant now, or are complete.
    pub rearmed: Vec<TriggerId>,
}

/// A run that a worker took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimedRun {
    /// The run.
    pub run: RunId,
    /// Its job.
    pub job: JobId,
    /// The version it was created under.
    pub job_version: JobVersion,
    /// The trigger that fired, if one did.
    pub trigger: Option<TriggerId>,
    /// The instant it stands for; for runs that were asked for, the time of asking.
    pub fire_time: Timestamp,
    /// When it was due.
    pub due_at: Timestamp,
    /// Which attempt this is, counted from 1.
    pub attempt: u32,
    /// JSON given with the run, which takes precedence over the job's input.
    pub input: Option<String>,
    /// The queue in which it waited; nothing where it is not known that it did: of runs that are taken over.
    pub queue: Option<String>,
}

/// An unfinished run as recovery sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveRun {
    /// The run and its claim.
    pub claimed: ClaimedRun,
    /// Where it stands.
    pub state: RunState,
    /// When a worker took it.
    pub claimed_at: Option<Timestamp>,
    /// Whether its end is asked for.
    pub ends: bool,
}

/// Which queues somebody takes runs from.
///
/// ```
/// use mainspring_core::batch::Queues;
/// let queues = Queues::named(["mail", "reports"]);
/// assert!(queues.serves("mail") && !queues.serves("default"));
/// assert!(Queues::All.serves("default") && !Queues::All.serves("default/route"));
/// assert!(Queues::All.serves("mail#b") && queues.serves("mail#b") && !queues.serves("mail/route"));
/// assert!(queues.serves("mail#~") && !queues.short().serves("mail#~") && queues.short().serves("mail"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Queues {
    /// Whatever there is that waits for nobody in particular.
    #[default]
    All,
    /// These: what waits in the first of them comes first.
    Named(Arc<[Arc<str>]>),
    /// Of these, what is [known to be short](crate::lane), and what waits for one worker.
    Short(Arc<Self>),
}

impl Queues {
    /// Names them, in order of preference.
    pub fn named<Q: Into<Arc<str>>>(queues: impl IntoIterator<Item = Q>) -> Self {
        Self::Named(queues.into_iter().map(Into::into).collect())
    }

    /// The same without the runs of jobs that are not known to be short.
    #[must_use]
    pub fn short(&self) -> Self {
        match self {
            Self::Short(_) => self.clone(),
            all => Self::Short(Arc::new(all.clone())),
        }
    }

    /// Whether runs of jobs that are not known to be short are left out, and of which queues runs are taken.
    #[must_use]
    pub fn of(&self) -> (bool, &Self) {
        match self {
            Self::Short(queues) => (true, queues.of().1),
            queues => (false, queues),
        }
    }

    /// Whether runs are taken from a line.
    #[must_use]
    pub fn serves(&self, line: &str) -> bool {
        match self {
            Self::Short(queues) => !Line::parse(line).is_slow() && queues.serves(line),
            Self::All => !Line::parse(line).is_routed(),
            Self::Named(queues) => {
                let read = Line::parse(line);
                let queue = if read.is_routed() { line } else { read.queue() };
                queues.iter().any(|named| &**named == queue)
            }
        }
    }
}

impl LiveRun {
    /// When its attempt began, as far as that is known while it is open: the store learns of the start with the end, so the
    /// claim stands for it. By a clock that was ahead it may lie before the run was due, and no handler is entered before
    /// that.
    #[must_use]
    pub fn began_at(&self) -> Option<Timestamp> {
        self.claimed_at.map(|claimed_at| claimed_at.max(self.claimed.due_at))
    }
}

/// What the engine has to look at, because a request changed it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// Triggers to read again.
    pub triggers: Vec<TriggerId>,
    /// Running runs to end.
    pub cancels: Vec<RunId>,
    /// Whether runs may have been queued.
    pub queued: bool,
    /// Whether there is more to read.
    pub more: bool,
    /// What to say with the next look: it is told again until then.
    pub heard: Heard,
}

/// Which changes a process start has heard of. Nothing where the store forgets them as it tells them, as one process has it to itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Heard {
    /// Numbers of changes of triggers.
    pub triggers: Vec<i64>,
    /// Runs whose ends were asked for.
    pub cancels: Vec<RunId>,
}

/// What came of looking at the runs that wait for an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Released {
    /// Runs that are queued now.
    pub count: u32,
    /// Runs that have ended because they have waited for too long.
    pub expired: u32,
    /// When the next scheduled run is due, or the next one that waits has waited for too long.
    pub next_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::RunSource;

    #[test]
    fn attempt_did_not_begin_before_its_run_was_due() {
        let at = Timestamp::from_millis;
        let claimed = ClaimedRun {
            run: RunId::new(at(1_000), RunSource::Asked(JobId(1), 1)),
            job: JobId(1),
            job_version: JobVersion(1),
            trigger: None,
            fire_time: at(1_000),
            due_at: at(2_000),
            attempt: 1,
            input: None,
            queue: None,
        };
        for (claimed_at, began_at) in [(None, None), (Some(1_500), Some(2_000)), (Some(2_001), Some(2_001))] {
            let live = LiveRun {
                claimed: claimed.clone(),
                state: RunState::Running,
                claimed_at: claimed_at.map(at),
                ends: false,
            };
            assert_eq!(live.began_at(), began_at.map(at));
        }
    }

    #[test]
    fn workers_for_short_jobs_take_nothing_from_lines_of_slow_ones() {
        let queues = Queues::named(["mail"]);
        for plain in [Line::shared("mail", "default"), Line::shared("mail", "b")] {
            let (line, slow) = (plain.to_string(), plain.slow().to_string());
            assert!(queues.serves(&slow) && Queues::All.serves(&slow) && !queues.short().serves(&slow));
            assert!(queues.short().serves(&line) && Queues::All.short().serves(&line));
        }
    }
}
