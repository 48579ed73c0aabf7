//! What goes in and out of a store besides the engine's batches.

use std::sync::Arc;

pub use mainspring_core::batch::{Changes, Released};
use mainspring_core::batch::{Gap, Placed, Progress, TriggerRow};
use mainspring_core::job::{Job, JobKey};
use mainspring_core::queue::QueueRule;
use mainspring_core::routing::Shard;
use mainspring_core::run::{AttemptOutcome, Origin, RunState};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};

use crate::document::DocumentChange;
use crate::workflow::Repeat;

/// What an API request expects of the thing that it changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expect {
    /// Whatever is there, or nothing.
    Anything,
    /// Nothing.
    Absent,
    /// Exactly this [`JobRow::change`] (or [`CalendarRow::change`]).
    Change(i64),
}

/// A job as it is now.
#[derive(Clone, PartialEq, Debug)]
pub struct JobRow {
    /// Its id, kept for life.
    pub id: JobId,
    /// The latest version.
    pub version: JobVersion,
    /// Counts every change including pauses: what ETags and compare-and-sets use.
    pub change: i64,
    /// The latest definition.
    pub definition: Arc<Job>,
    /// Whether its triggers rest.
    pub paused: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// A version of a job.
#[derive(Clone, PartialEq, Debug)]
pub struct VersionRow {
    /// Its number.
    pub version: JobVersion,
    /// When it was saved.
    pub saved_at: Timestamp,
    /// Who saved it, where that is known.
    pub saved_by: Option<SavedBy>,
    /// What it says.
    pub definition: Arc<Job>,
}

/// Who saved a version of a job, and from where. A note for people: nothing depends on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedBy {
    /// Who, in at most 255 characters.
    pub by: String,
    /// From where, in a word of at most 32 characters.
    pub from: String,
}

/// A job with its triggers, as a change of it needs to know them.
#[derive(Clone, PartialEq, Debug)]
pub struct JobPrior {
    /// The job; absent where only tombstones are left.
    pub job: Option<JobRow>,
    /// Its triggers, in the order of the definition.
    pub triggers: Vec<NamedTrigger>,
    /// Triggers that were deleted lately: their id and `fired_through` go on if they are made again.
    pub tombstones: Vec<Tombstone>,
}

/// A trigger with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedTrigger {
    /// Its name within the job.
    pub name: String,
    /// Whether the trigger itself rests ([`TriggerRow::paused`] includes the job).
    pub own_pause: bool,
    /// Why it is in the state `error`, if it is.
    pub error: Option<String>,
    /// The row.
    pub row: TriggerRow,
}

/// What is left of a deleted trigger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tombstone {
    /// Its name within the job.
    pub name: String,
    /// Its id, taken up again by a trigger made under the same key.
    pub id: TriggerId,
    /// No instant up to here fires again.
    pub fired_through: Option<Timestamp>,
}

/// A new version of a job, or a new job.
#[derive(Clone, PartialEq, Debug)]
pub struct JobWrite {
    /// The definition.
    pub definition: Arc<Job>,
    /// What must be there.
    pub expect: Expect,
    /// Whether its triggers rest afterwards.
    pub paused: bool,
    /// One per trigger of the definition, in the same order. Triggers that are not named here are deleted
    /// and leave a tombstone.
    pub triggers: Vec<TriggerWrite>,
    /// What is to be recorded of those that are deleted.
    pub ends: Vec<TriggerEnd>,
    /// Documents that are changed with it. If something else is there than expected, the whole write is a conflict.
    pub documents: Vec<DocumentChange>,
    /// Who writes, where that is known: noted with the version, if the write makes one.
    pub saved_by: Option<SavedBy>,
    /// When.
    pub at: Timestamp,
}

/// A trigger of a [`JobWrite`].
#[derive(Clone, PartialEq, Debug)]
pub struct TriggerWrite {
    /// Its name within the job.
    pub name: String,
    /// Whether the trigger itself rests.
    pub paused: bool,
    /// Where it stands. `due_at` is set by the store from `next_fire_at`, the id and `jitter_ms`.
    pub progress: Progress,
    /// Largest spread of its fires.
    pub jitter_ms: i64,
    /// The `fired_through` that the decision was based on (of the trigger or its tombstone). If another value is
    /// there, the whole write is a conflict.
    pub expected_fired_through: Option<Timestamp>,
    /// Instants that have passed without a record, and will not fire any more. `progress` lies behind them.
    pub gap: Option<Gap>,
}

/// What a trigger that is deleted leaves without a record.
#[derive(Clone, PartialEq, Debug)]
pub struct TriggerEnd {
    /// The trigger.
    pub id: TriggerId,
    /// The `fired_through` that the decision was based on; another value is a conflict.
    pub expected_fired_through: Option<Timestamp>,
    /// Instants that have passed, and will not fire any more. Its tombstone lies behind them.
    pub gap: Gap,
}

/// What a save did.
#[derive(Clone, PartialEq, Debug)]
pub struct Saved {
    /// The job as it is now.
    pub job: JobRow,
    /// Whether it is new.
    pub created: bool,
}

/// Pauses, resumes and new instants of a job's triggers, in one transaction.
#[derive(Clone, PartialEq, Debug)]
pub struct JobUpdate {
    /// The job.
    pub job: JobId,
    /// The [`JobRow::change`] that the decision was based on.
    pub expected_change: i64,
    /// Sets or ends the job's own pause.
    pub paused: Option<bool>,
    /// Triggers to change. All triggers of the job get a new version in any case where `paused` is set.
    pub triggers: Vec<TriggerUpdate>,
    /// When.
    pub at: Timestamp,
}

/// The deletion of a job.
#[derive(Clone, PartialEq, Debug)]
pub struct JobDelete {
    /// The job.
    pub key: JobKey,
    /// What must be there.
    pub expect: Expect,
    /// What its triggers leave without a record.
    pub ends: Vec<TriggerEnd>,
}

/// A change of one trigger.
#[derive(Clone, PartialEq, Debug)]
pub struct TriggerUpdate {
    /// The trigger.
    pub id: TriggerId,
    /// The `next_fire_at` that the decision was based on; another value is a conflict.
    pub expected_next: Option<Timestamp>,
    /// Sets or ends the trigger's own pause.
    pub paused: Option<bool>,
    /// Where it stands from now on, `due_at` included.
    pub progress: Option<Progress>,
    /// Instants that passed meanwhile.
    pub gap: Option<Gap>,
    /// Takes back records of instants that are still to come, because a clock was ahead: these gaps are cut, and
    /// `fired_through` becomes what `progress` says, in place of never going back.
    pub reanchor: Option<Vec<GapCut>>,
}

/// A gap of which only the beginning stays, or nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct GapCut {
    /// Its position.
    pub seq: i64,
    /// What is recorded in its place.
    pub rest: Option<Gap>,
}

/// Which jobs to list, in order of namespace and name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobQuery {
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Only jobs whose name contains this text, case ignored.
    pub name_contains: Option<String>,
    /// Only jobs that have this label with this value.
    pub label: Option<(String, String)>,
    /// Only paused or unpaused ones.
    pub paused: Option<bool>,
    /// Only jobs after this key.
    pub after: Option<JobKey>,
    /// At most so many.
    pub limit: u32,
}

/// Which triggers to list, in order of namespace, job and name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TriggerQuery {
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Only triggers of this job.
    pub job: Option<String>,
    /// Only triggers after this key.
    pub after: Option<(JobKey, String)>,
    /// At most so many.
    pub limit: u32,
}

/// A trigger with its key.
#[derive(Clone, PartialEq, Debug)]
pub struct TriggerInfo {
    /// Its job.
    pub job: JobRow,
    /// The trigger.
    pub trigger: NamedTrigger,
}

/// A run that a person or a program asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct AskedRun {
    /// Its id.
    pub id: RunId,
    /// The job.
    pub job: JobId,
    /// The version to run.
    pub job_version: JobVersion,
    /// Why it exists.
    pub origin: Origin,
    /// JSON that takes precedence over the job's input.
    pub input: Option<String>,
    /// Where it waits.
    pub queue: String,
    /// Higher goes first.
    pub priority: i32,
    /// The run that it repeats.
    pub rerun_of: Option<RunId>,
    /// What it begins with, if it is a run of a workflow that repeats another one.
    pub repeat: Option<Repeat>,
    /// The task that starts it, which hears of its end. Its row has to be there.
    pub caller: Option<CalledBy>,
    /// The instant that it stands for.
    pub fire_time: Timestamp,
    /// When.
    pub at: Timestamp,
}

/// A task of a workflow run that starts another run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The workflow run.
    pub run: RunId,
    /// The task by name, with the item in brackets if it runs more than once.
    pub task: String,
}

/// The row of a task that names the run that it starts. While it does, and says that the task is under way, the run may be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CalledBy {
    /// The task.
    pub caller: Caller,
    /// Its number.
    pub task: u32,
    /// The item, if it runs more than once.
    pub item: Option<u32>,
    /// Whether a backfill has made the run at the top of those that start each other. Triggers that follow its job do not follow it.
    pub backfilled: bool,
}

/// What became of a run that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// [`Placed::Queued`], [`Placed::Held`], or [`Placed::Known`] if the id was there, or if the task that is to start it names it no more.
    pub placed: Placed,
}

/// What a request to cancel did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cancelled {
    /// The run had not started; it is over.
    AtOnce,
    /// Its worker has been told, and the verdict follows.
    Requested,
    /// It was over before.
    AlreadyFinal(RunState),
}

/// Which runs to list: unfinished and final ones, newest first by id.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunQuery {
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Only runs of this job.
    pub job: Option<JobId>,
    /// Only these states; all if empty.
    pub states: Vec<RunState>,
    /// Only runs whose id's time is at or after this.
    pub from: Option<Timestamp>,
    /// Only runs whose id's time is before this.
    pub to: Option<Timestamp>,
    /// Only runs before this id.
    pub before: Option<RunId>,
    /// Only shards of this run, or runs of its tasks.
    pub parent: Option<RunId>,
    /// With a parent: runs that its tasks have started as well.
    pub with_calls: bool,
    /// Only runs that are queued in this line, which is one of runs that no claim takes: its name has a `/`. They are found by an index.
    pub line: Option<String>,
    /// Runs of tasks as well, which are left out otherwise, unless they are asked for by their parent.
    pub with_tasks: bool,
    /// At most so many.
    pub limit: u32,
}

impl RunQuery {
    /// Whether a run is among those asked for by its job and state.
    pub(crate) fn takes(&self, run: &RunInfo) -> bool {
        self.job.is_none_or(|job| run.job == job)
            && (self.states.is_empty() || self.states.contains(&run.state))
            && self.namespace.as_ref().is_none_or(|namespace| run.key.namespace == *namespace)
    }

    /// Whether runs that are final, or others, can be among those asked for. They are kept apart.
    pub(crate) fn wants(&self, is_final: bool) -> bool {
        let is_in_line = self.line.is_some();
        !(is_in_line && is_final) && (self.states.is_empty() || self.states.iter().any(|it| it.is_final() == is_final))
    }
}

/// A run, unfinished or final. Between two attempts it shows what the one before left, except for its output.
#[derive(Clone, PartialEq, Debug)]
pub struct RunInfo {
    /// Its id.
    pub id: RunId,
    /// Its job's id.
    pub job: JobId,
    /// Its job's key. Kept also after the job is deleted.
    pub key: JobKey,
    /// The version it runs.
    pub job_version: JobVersion,
    /// The trigger that fired, if one did.
    pub trigger: Option<TriggerId>,
    /// That trigger's name, while it exists or has a tombstone.
    pub trigger_name: Option<String>,
    /// Where it stands.
    pub state: RunState,
    /// Why it exists.
    pub origin: Origin,
    /// The instant it stands for.
    pub fire_time: Timestamp,
    /// When it was due.
    pub due_at: Timestamp,
    /// When its row was made.
    pub created_at: Timestamp,
    /// When a worker took the latest attempt.
    pub claimed_at: Option<Timestamp>,
    /// When the latest attempt's handler was entered.
    pub started_at: Option<Timestamp>,
    /// When the latest attempt ended.
    pub ended_at: Option<Timestamp>,
    /// The latest attempt, counted from 1; 0 before the first claim.
    pub attempt: u32,
    /// Where it waits or waited.
    pub queue: String,
    /// The worker that executes it or has executed its last attempt, or that was picked for it if its job is routed, by name. Who has
    /// executed a lost attempt is not known, nor of runs of earlier versions.
    pub worker: Option<String>,
    /// The node that executes it or has executed its last attempt, by name; absent where a worker has.
    pub node: Option<String>,
    /// The run of which it is a shard, or that of the workflow whose task it is.
    pub parent: Option<RunId>,
    /// Which task of a workflow it is, by name, with the item in brackets if that runs more than once.
    pub task: Option<String>,
    /// Which shard it is.
    pub shard: Option<Shard>,
    /// Higher goes first.
    pub priority: i32,
    /// Not to be started before.
    pub not_before: Option<Timestamp>,
    /// When somebody asked to cancel it.
    pub cancel_requested_at: Option<Timestamp>,
    /// Why it is in its state, where the state alone does not say: `lost`, `timed_out`, `retry_delay`, or what the
    /// request to cancel gave.
    pub reason: Option<String>,
    /// JSON given with the run.
    pub input: Option<String>,
    /// JSON that the run returned.
    pub output: Option<String>,
    /// Exit code, or HTTP status.
    pub exit_code: Option<i32>,
    /// Signal that ended the process.
    pub signal: Option<i32>,
    /// Stable code of the error.
    pub error_code: Option<String>,
    /// One line for people.
    pub error: Option<String>,
    /// The run that it repeats.
    pub rerun_of: Option<RunId>,
    /// The run whose end started it.
    pub cause: Option<RunId>,
    /// The task of a workflow run that started it and waits for it.
    pub caller: Option<Caller>,
    /// When it ends by itself if it still waits then: its job limits how long it may wait, or take as a whole.
    pub expires_at: Option<Timestamp>,
}

/// Runs that have missed their deadline and of which that is not told yet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeadlinesDue {
    /// The runs.
    pub runs: Vec<RunId>,
    /// Whether there are jobs with a deadline at all. Where there are none, nobody need look often.
    pub used: bool,
}

/// A run that has missed its deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MissedDeadline {
    /// The run.
    pub run: RunId,
    /// Its job.
    pub job: JobId,
    /// The version that it runs.
    pub job_version: JobVersion,
}

/// One attempt of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct AttemptInfo {
    /// Counted from 1.
    pub attempt: u32,
    /// How it ended; absent while it runs.
    pub outcome: Option<AttemptOutcome>,
    /// When a worker took it.
    pub claimed_at: Option<Timestamp>,
    /// When its handler was entered.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Exit code, or HTTP status.
    pub exit_code: Option<i32>,
    /// Signal that ended the process.
    pub signal: Option<i32>,
    /// Stable code of the error.
    pub error_code: Option<String>,
    /// One line for people.
    pub error: Option<String>,
}

/// A piece of an attempt's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogChunk {
    /// The run.
    pub run: RunId,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// Index of its first line within the attempt, from 0. Chunks of an attempt follow each other without a gap;
    /// one that is there already is passed over.
    pub first_line: u64,
    /// How many lines.
    pub line_count: u32,
    /// The encoded lines; a store does not look into them.
    pub data: Vec<u8>,
}

/// A calendar as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CalendarRow {
    /// Where its name is unique.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Counts its changes.
    pub change: i64,
    /// JSON of its definition; a store does not look into it.
    pub definition: String,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// A calendar to be saved.
pub struct CalendarWrite {
    /// Where its name is unique.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// JSON of its definition.
    pub definition: String,
    /// What must be there.
    pub expect: Expect,
    /// When.
    pub at: Timestamp,
    /// Calendars of the namespace that stand on it.
    pub dependents: Vec<String>,
    /// Where a trigger stands afterwards that uses one of these calendars; None: where it stood.
    pub rederive: Rederive,
}

/// Says where a trigger of a job stands after a change of its calendar, and what has passed without a record. Asked inside
/// of the transaction: pure and quick.
pub type Rederive = Box<dyn Fn(&Arc<Job>, &TriggerRow) -> Option<(Progress, Option<Gap>)> + Send>;

impl CalendarWrite {
    /// A calendar that none stands on. Its triggers stay where they stand.
    #[must_use]
    pub fn new(namespace: &str, name: &str, definition: &str, expect: Expect, at: Timestamp) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            definition: definition.to_owned(),
            expect,
            at,
            dependents: Vec::new(),
            rederive: Box::new(|_, _| None),
        }
    }

    /// What is saved, as the given change.
    pub(crate) fn row(&self, change: i64) -> CalendarRow {
        CalendarRow {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            change,
            definition: self.definition.clone(),
            updated_at: self.at,
        }
    }

    /// The calendars whose triggers are affected.
    pub(crate) fn affected(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.dependents).map(String::as_str)
    }
}

impl std::fmt::Debug for CalendarWrite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { namespace, name, expect, dependents, .. } = self;
        let mut shown = f.debug_struct("CalendarWrite");
        shown.field("namespace", namespace).field("name", name).field("expect", expect);
        shown.field("dependents", dependents).finish_non_exhaustive()
    }
}

/// A namespace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamespaceRow {
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// How many jobs it has.
    pub job_count: u64,
}

/// A missed or suppressed instant, or a range of them, with the trigger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GapRow {
    /// Position, for reading on.
    pub seq: i64,
    /// The job's key.
    pub job: JobKey,
    /// The trigger.
    pub trigger: TriggerId,
    /// When it was recorded.
    pub at: Timestamp,
    /// What was missed or suppressed, and why.
    pub gap: Gap,
    /// The latest backfill that has run instants of it.
    pub backfill: Option<i64>,
    /// How many of its instants backfills have run.
    pub backfilled: u64,
}

/// A row of the event table: one change, or one batch of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventRow {
    /// Position: later events have higher ones, without exception.
    pub seq: i64,
    /// When it was recorded.
    pub at: Timestamp,
    /// `runs`, `job`, `trigger`, `calendar`, `namespace`.
    pub kind: String,
    /// JSON: for `runs`, an array of `[run, job, state]` (the run's id as text, the job's as a number); else an object
    /// with at least `key` (`namespace`, `namespace/job`, `namespace/job/trigger`, `namespace/calendar`) and `change`:
    /// `created`, `updated`, `deleted`, `paused`, `resumed` or `error`.
    pub payload: String,
}

/// What became of the instants of one trigger, counted from the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tally {
    /// The trigger.
    pub trigger: TriggerId,
    /// Runs of origin `schedule` or `misfire`, unfinished or final.
    pub fired: u64,
    /// Fire times with more than one such run. 0 unless something is broken.
    pub duplicated: u64,
    /// Instants in `missed` records.
    pub missed: u64,
    /// Instants in `suppressed` records.
    pub suppressed: u64,
    /// The earliest instant accounted for.
    pub first: Option<Timestamp>,
    /// The latest instant accounted for.
    pub last: Option<Timestamp>,
}

/// What may be deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PurgeRule {
    /// Now: what has to be made ahead is made ahead of it.
    pub at: Timestamp,
    /// Final runs, their attempts and logs, and gaps, older than this. A store that divides its history by days may keep
    /// runs for up to two days longer, until their day goes as a whole.
    pub history_before: Timestamp,
    /// Final runs of a job beyond this many.
    pub history_keep_per_job: Option<u32>,
    /// Events older than this.
    pub events_before: Timestamp,
    /// Tombstones and idempotency keys older than this.
    pub tombstones_before: Timestamp,
    /// At most so many rows in this step.
    pub limit: u32,
}

/// A version of a job, and what it says; or why this program cannot read it.
pub type VersionedJob = ((JobId, JobVersion), std::result::Result<Arc<Job>, String>);

/// What puts at risk what a store keeps, or will stop it one day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreWarning {
    /// Stable name, such as `store.not_durable`.
    pub code: &'static str,
    /// What is so.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// How large the store is, for metrics and `doctor`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoreInfo {
    /// `memory`, `sqlite`, …
    pub kind: &'static str,
    /// Version of the database.
    pub version: String,
    /// Number of the newest migration.
    pub schema: u32,
    /// Jobs.
    pub jobs: u64,
    /// Triggers.
    pub triggers: u64,
    /// Unfinished runs.
    pub live_runs: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

/// What is set for a queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueRow {
    /// Its name.
    pub name: String,
    /// How runs leave it.
    pub rule: QueueRule,
    /// Counts the changes.
    pub revision: i64,
}

/// Runs that are to wait in another queue. See [`crate::Store::move_queued`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueMove {
    /// The queue in which they wait.
    pub from: String,
    /// The queue in which they are to wait.
    pub to: String,
    /// Which of them.
    pub which: Moving,
}

/// Which runs of a queue move to another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moving {
    /// All that wait.
    All,
    /// Those of one job.
    Job(JobId),
    /// One run.
    Run(RunId),
}

/// Where a run that waits is to stand in its queue. See [`crate::Store::place_queued`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placing {
    /// Before all others that wait in it.
    First,
    /// Behind all others that wait in it.
    Last,
    /// Where this priority puts it.
    Priority(i32),
}

/// The priorities of a run whose place has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlaceChange {
    /// The one that it had.
    pub before: i32,
    /// The one that it has.
    pub after: i32,
}

/// How many unfinished runs are counted for metrics, at most: the oldest.
pub const COUNTED_MAX: u32 = 10_000;

/// What changes from second to second, for metrics. See [`crate::Store::figures`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoreFigures {
    /// Unfinished runs, in order of state and queue.
    pub runs: Vec<RunCount>,
    /// How long the oldest transaction has been open that keeps the server from clearing up, in seconds. Nothing where there
    /// is no such server, or it does not tell.
    pub oldest_transaction_s: Option<u64>,
    /// The disk that the store writes to, if it is one of this machine.
    pub disk: Option<Disk>,
}

/// The room of a disk, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disk {
    /// What is free.
    pub free: u64,
    /// All of it.
    pub total: u64,
}

impl Disk {
    /// What is kept for what must be recorded: fires, claims and ends. Log lines leave it alone.
    const RESERVE: u64 = 1 << 30;

    /// Whether people should make room: less than a tenth is free.
    ///
    /// ```
    /// use mainspring_store::Disk;
    /// let disk = |free_gib: u64| Disk { free: free_gib << 30, total: 100 << 30 };
    /// assert!(disk(9).is_low() && !disk(11).is_low());
    /// ```
    #[must_use]
    pub const fn is_low(self) -> bool {
        self.free < self.total / 10
    }

    /// Whether no more log lines are to be kept: less than a twentieth is free, and less than a GiB.
    ///
    /// ```
    /// use mainspring_store::Disk;
    /// let disk = |free_mib: u64, total_gib: u64| Disk { free: free_mib << 20, total: total_gib << 30 };
    /// assert!(disk(1_000, 100).is_short() && !disk(1_100, 100).is_short());
    /// assert!(disk(50, 1).is_short() && !disk(60, 1).is_short());
    /// ```
    #[must_use]
    pub const fn is_short(self) -> bool {
        self.free < Self::RESERVE && self.free < self.total / 20
    }
}

/// Unfinished runs of a state and a queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunCount {
    /// The state.
    pub state: RunState,
    /// The queue.
    pub queue: String,
    /// How many.
    pub count: u64,
    /// When the oldest was due.
    pub oldest_due_at: Timestamp,
}

/// What waits in a [line](mainspring_core::line).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineWaits {
    /// The line.
    pub line: String,
    /// How many runs.
    pub count: u32,
    /// The first of them: [place](mainspring_core::queue::place), when it was due, and the run. This is their order.
    pub first: Vec<(i64, Timestamp, RunId)>,
}

/// Connections to a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Connections {
    /// With work under way.
    pub busy: u64,
    /// Open, without work.
    pub idle: u64,
}
