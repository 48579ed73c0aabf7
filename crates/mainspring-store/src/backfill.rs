//! Backfills: lists of fire times that are run on request, kept item by item.

use std::collections::BTreeSet;

use async_trait::async_trait;
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::JobKey;
use mainspring_core::run::RunState;
use mainspring_core::workflow::backfill::{Action, BackfillState, Existing, ItemCounts, ItemState, Spec};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};

use crate::error::{Error, Result};
use crate::workflow::{REPEATED, Repeat};

/// Where backfills are kept. Like [`crate::Store`], of which it is a part: every method that changes something is one transaction.
///
/// Each backfill has a *turn*, which counts what was written. [`step_backfill`](BackfillStore::step_backfill) is the only way to change
/// one; it names the turn that it was decided on, so that of two writers one wins and the other reads again.
#[async_trait]
pub trait BackfillStore: Send + Sync {
    /// Reads what there is for the fire times of a trigger from `from` through `to`, in order. Fire times without a run are left out.
    ///
    /// A run counts that was fired by the trigger or made by a backfill; of several, the latest that was made. An item without a run
    /// counts as active while its backfill goes on.
    async fn existing_runs(
        &self,
        job: JobId,
        trigger: TriggerId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<ExistingRun>>;

    /// Keeps a new backfill with its items, all open, and with those [below](NewBackfill::below) it, and answers its number.
    ///
    /// # Errors
    /// Not found: a job is gone. Conflict, of [`BACKFILLED`]: another backfill is to run one of the fire times, or runs it.
    async fn add_backfill(&self, backfill: NewBackfill) -> Result<i64>;

    /// A backfill.
    async fn backfill(&self, id: i64) -> Result<Option<BackfillRow>>;

    /// Backfills, newest first.
    async fn backfills(&self, query: BackfillQuery) -> Result<Vec<BackfillRow>>;

    /// Items of a backfill in their order, after a place; of one state, or of all.
    async fn backfill_items(
        &self,
        id: i64,
        state: Option<ItemState>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<BackfillItem>>;

    /// Backfills of jobs of some shards that start runs or have some under way, those that were started first, up to `limit`.
    async fn backfills_due(&self, shards: ShardSet, limit: u32) -> Result<Vec<i64>>;

    /// Reads what the next step of a backfill goes by, with up to `limit` open items.
    async fn backfill_turn(&self, id: i64, limit: u32) -> Result<Option<BackfillTurn>>;

    /// Writes one step of a backfill, if it is at the turn that the step names. False: it is not, or is gone, or another backfill has a
    /// run under way for a fire time that would start, or a run of which [tasks run again](ItemStart::repeat) was repeated meanwhile or
    /// is gone; nothing is written.
    ///
    /// # Errors
    /// Not found: it starts runs, and its job or the version is gone.
    async fn step_backfill(&self, step: BackfillStep) -> Result<bool>;
}

/// What there is for a fire time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExistingRun {
    /// The fire time.
    pub fire_time: Timestamp,
    /// How it stands.
    pub existing: Existing,
    /// The run. Nothing: an item of a backfill that has none yet.
    pub run: Option<RunId>,
}

/// A backfill that is to be kept.
#[derive(Clone, PartialEq, Debug)]
pub struct NewBackfill {
    /// The job.
    pub job: JobId,
    /// The version that its runs execute.
    pub job_version: JobVersion,
    /// The trigger whose fire times are run.
    pub trigger: TriggerId,
    /// What was chosen.
    pub spec: Spec,
    /// The items, in the order in which they start.
    pub items: Vec<NewItem>,
    /// Who started it.
    pub by: Option<String>,
    /// When.
    pub at: Timestamp,
    /// Backfills of what depends on it, which start with it. They have none below them.
    pub below: Vec<NewBackfill>,
}

/// An item of a [`NewBackfill`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewItem {
    /// The fire time that it runs.
    pub fire_time: Timestamp,
    /// `create` or `rerun`.
    pub action: Action,
    /// The run that it repeats.
    pub rerun_of: Option<RunId>,
    /// The items that must end well before it starts: of which backfill, where 0 is the first and the others are those
    /// [below](NewBackfill::below) it, and their places.
    pub above: Vec<(usize, i64)>,
}

/// A backfill.
#[derive(Clone, PartialEq, Debug)]
pub struct BackfillRow {
    /// Its number.
    pub id: i64,
    /// The job's id.
    pub job: JobId,
    /// The job's key. Kept also after the job is deleted.
    pub key: JobKey,
    /// The version that its runs execute.
    pub job_version: JobVersion,
    /// The trigger whose fire times are run.
    pub trigger: TriggerId,
    /// What was chosen.
    pub spec: Spec,
    /// Counts what was written, from 1.
    pub turn: i64,
    /// Where it stands.
    pub state: BackfillState,
    /// Why it is in its state.
    pub reason: Option<String>,
    /// Its items by state.
    pub counts: ItemCounts,
    /// When it was started.
    pub created_at: Timestamp,
    /// Who started it.
    pub created_by: Option<String>,
    /// When it ended. Absent while it goes on, or has runs under way.
    pub ended_at: Option<Timestamp>,
    /// The first backfill, which this one was started with because it depends on that.
    pub cascade_of: Option<i64>,
}

/// An item of a backfill.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackfillItem {
    /// Its place, from 1.
    pub seq: i64,
    /// The fire time that it runs.
    pub fire_time: Timestamp,
    /// `create` or `rerun`.
    pub action: Action,
    /// Where it stands.
    pub state: ItemState,
    /// The latest run made for it.
    pub run: Option<RunId>,
    /// The run that this one repeats.
    pub rerun_of: Option<RunId>,
}

/// Which backfills to list, newest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BackfillQuery {
    /// Only those of jobs of this namespace.
    pub namespace: Option<String>,
    /// Only those of this job.
    pub job: Option<JobId>,
    /// Only those in this state.
    pub state: Option<BackfillState>,
    /// Only those that were started with this one because they depend on it.
    pub cascade_of: Option<i64>,
    /// Only those before this number.
    pub before: Option<i64>,
    /// At most so many.
    pub limit: u32,
}

/// What the next step of a backfill goes by.
#[derive(Clone, PartialEq, Debug)]
pub struct BackfillTurn {
    /// The backfill.
    pub row: BackfillRow,
    /// Items that are running, in order.
    pub running: Vec<RunningItem>,
    /// Open items that wait for no other, in order.
    pub open: Vec<BackfillItem>,
    /// Open items that waited for one that has ended badly, by place.
    pub barred: Vec<i64>,
    /// Fire times of these for which the trigger's own run is under way, or one of another backfill.
    pub busy: Vec<Timestamp>,
}

/// An item whose run was under way when it was written last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunningItem {
    /// Its place.
    pub seq: i64,
    /// The fire time that it runs.
    pub fire_time: Timestamp,
    /// The run.
    pub run: RunId,
    /// How the run stands now. Nothing: it is gone.
    pub state: Option<RunState>,
    /// Whether its end was asked for.
    pub cancel_requested: bool,
}

/// One step of a backfill.
#[derive(Clone, PartialEq, Debug)]
pub struct BackfillStep {
    /// The backfill.
    pub id: i64,
    /// The [`BackfillRow::turn`] that it was decided on.
    pub turn: i64,
    /// Where it stands from now on.
    pub state: BackfillState,
    /// Why.
    pub reason: Option<String>,
    /// Its items by state from now on.
    pub counts: ItemCounts,
    /// Items that end, by place.
    pub ended: Vec<(i64, ItemState)>,
    /// Items that start.
    pub start: Vec<ItemStart>,
    /// What becomes of all items in some states.
    pub sweep: Option<Sweep>,
    /// When it ended, if it has.
    pub ended_at: Option<Timestamp>,
    /// When.
    pub at: Timestamp,
}

/// What becomes of all items of a backfill in some states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sweep {
    /// Open ones are cancelled.
    Close,
    /// Failed and cancelled ones are open again.
    Reopen,
}

/// An open item that starts: its run is made and queued. It counts in no gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemStart {
    /// Its place.
    pub seq: i64,
    /// The fire time of the run.
    pub fire_time: Timestamp,
    /// The id of the run.
    pub run: RunId,
    /// The run that it repeats.
    pub rerun_of: Option<RunId>,
    /// What it begins with, if it runs only some tasks of that again.
    pub repeat: Option<Repeat>,
    /// Where it waits.
    pub line: String,
    /// Higher goes first.
    pub priority: i32,
    /// JSON that takes precedence over the job's input.
    pub input: Option<String>,
    /// When it ends by itself if it still waits then.
    pub expires_at: Option<Timestamp>,
}

/// What [`Error::Conflict`] names where a fire time is another backfill's.
pub const BACKFILLED: &str = "fire time of a backfill";

/// What a backfill is refused for that would run a fire time which another one is to run, or runs.
pub(crate) fn taken(fire_time: Timestamp) -> Error {
    Error::Conflict { what: BACKFILLED, key: fire_time.to_string(), why: "is another backfill's".to_owned() }
}

/// Whether a step was refused because a run that it repeats in part is not what it was.
pub(crate) fn is_overtaken(error: &Error) -> bool {
    matches!(error, Error::Conflict { what: REPEATED, .. } | Error::NotFound { what: "run", .. })
}

/// Open items of a backfill that are looked at, at a time, whether they wait for others. Items wait only for such of earlier levels, and
/// come in the order of levels, so that one of the first can always start in the end.
pub(crate) const LOOK_MAX: u32 = 1_000;

/// Sorts open items by how those stand that they wait for, as far as these have not ended well: up to `limit` that wait for none, and
/// the places of those that waited for one which has ended badly.
pub(crate) fn sorted(
    open: Vec<BackfillItem>,
    waits: &[(i64, ItemState)],
    limit: usize,
) -> (Vec<BackfillItem>, Vec<i64>) {
    let waiting: BTreeSet<i64> = waits.iter().map(|(seq, _)| *seq).collect();
    let is_bad = |state: &ItemState| matches!(state, ItemState::Failed | ItemState::Cancelled);
    let bad: BTreeSet<i64> = waits.iter().filter(|(_, state)| is_bad(state)).map(|(seq, _)| *seq).collect();
    let barred = open.iter().map(|item| item.seq).filter(|seq| bad.contains(seq)).collect();
    (open.into_iter().filter(|item| !waiting.contains(&item.seq)).take(limit).collect(), barred)
}

/// Whether an item has no run yet, or one that has not ended.
pub(crate) fn is_to_come(state: ItemState) -> bool {
    matches!(state, ItemState::Open | ItemState::Running)
}

/// Lays what items of backfills say of fire times over what runs of the trigger say. Items are in the order of their backfills; a run that
/// is under way is not hidden by any that ended.
pub(crate) fn laid_over(fired: Vec<ExistingRun>, items: Vec<ExistingRun>) -> Vec<ExistingRun> {
    let mut known = std::collections::BTreeMap::new();
    for run in fired.into_iter().chain(items) {
        let there: &mut ExistingRun = known.entry(run.fire_time).or_insert(run);
        if there.existing != Existing::Active {
            *there = run;
        }
    }
    known.into_values().collect()
}

/// What an item says of its fire time. Nothing, if it never had a run and will have none.
pub(crate) fn said_by_item(fire_time: Timestamp, state: ItemState, run: Option<RunId>) -> Option<ExistingRun> {
    let existing = match state {
        ItemState::Open | ItemState::Running => Existing::Active,
        ItemState::Succeeded | ItemState::Skipped => Existing::Good,
        ItemState::Failed | ItemState::Cancelled => Existing::Bad,
    };
    (existing == Existing::Active || run.is_some()).then_some(ExistingRun { fire_time, existing, run })
}
