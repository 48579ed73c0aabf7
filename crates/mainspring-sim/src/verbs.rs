//! What nodes ask of the store: each verb with the rows that it locks, in order, and what it does when it has them.

use std::sync::Arc;

use mainspring_core::batch::{
    Changes, ClaimedRun, CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, Heard, LiveRun, Released,
    TriggerRow,
};
use mainspring_core::cluster::{Change, ClusterView, Renewal, ShardSet};
use mainspring_core::job::JobKey;
use mainspring_core::workers::{Count, Held};
use mainspring_core::{BatchId, Incarnation, JobId, RunId, Timestamp, TriggerId};
use mainspring_store::{AskedRun, Expect, JobPrior, JobUpdate, JobWrite, TriggerEnd, WorkerInfo};

/// A request.
#[derive(Clone, Debug)]
pub(crate) enum Verb {
    Renew(Renewal),
    Bury(Incarnation, Option<u64>),
    Acquire(Change, u128),
    Release(Change),
    Orphaned,
    AdoptFrom(Incarnation, BatchId),
    Held,
    Fire(Arc<FireBatch>),
    Complete(Arc<CompletionBatch>),
    Window(ShardSet, Timestamp, Option<(Timestamp, TriggerId)>),
    Triggers(Vec<TriggerId>),
    Changes(ShardSet, Heard),
    Claim(BatchId, u32, Timestamp),
    ReleaseDue(Timestamp),
    Prior(JobKey),
    Save(Box<JobWrite>),
    /// Changes a job, with all triggers that it concerns.
    Update(Box<JobUpdate>, Vec<TriggerId>),
    Delete(JobKey, Expect, Vec<TriggerEnd>, Timestamp),
    /// Claims a key for a request.
    Key(u64, Timestamp),
    /// Keeps the answer under a key.
    Keep(u64, Timestamp),
    Ask(Box<AskedRun>),
    CancelRun(RunId, Timestamp),
    ReadRun(RunId),
    JoinWorker(Box<WorkerInfo>),
    WorkerInfo(Incarnation),
    /// Notes which process start hears a worker from now on.
    HearWorker(Incarnation, Incarnation, Timestamp),
    HeldBy(Incarnation),
    /// What the workers hold that this process start hears.
    HeldByWorkers,
    /// Claims for a worker that this process start hears.
    ClaimFor(BatchId, Incarnation, u32, Timestamp),
    BeatWorkers(Incarnation, Vec<Incarnation>, Timestamp),
    BuryWorker(Incarnation, Option<u64>),
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    View(ClusterView),
    Shards(ShardSet),
    Done,
    Incarnations(Vec<Incarnation>),
    Adopted(Vec<LiveRun>),
    Hold(Vec<Held>),
    Fired(FireOutcome),
    Completed(CompletionOutcome),
    Window(Vec<TriggerRow>, Option<(Timestamp, TriggerId)>),
    Triggers(Vec<TriggerRow>),
    Changes(Changes),
    Claimed(Vec<ClaimedRun>),
    Released(Released),
    Prior(Box<JobPrior>),
    /// The key is the sender's, to be used as of this instant.
    Deed(Timestamp),
    /// The run that was asked for is there.
    Asked,
    /// What a worker said when it joined, if it is there.
    Worker(Option<Box<WorkerInfo>>),
    /// Whether a worker was there.
    WasThere(bool),
    Counts(Vec<Count>),
}

/// Why nothing came of it, as far as whoever asked can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// Nobody knows.
    Unavailable,
    /// The process start was buried.
    Fenced,
    /// Something has changed, or is not there.
    Refused,
}

pub(crate) type Reply = Result<Answer, Failure>;

/// A row that transactions lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Row {
    Node(Incarnation),
    Fence(Incarnation),
    /// A job's name, by its hash.
    Name(u64),
    Job(JobId),
    Trigger(TriggerId),
    Gate(JobId),
    Run(RunId),
    Key(u64),
    Worker(Incarnation),
    /// The last answer to a claim of a process start, or to an adoption by it from another.
    Taken(Incarnation, Option<Incarnation>),
}

/// How a row is locked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Share,
    Write,
}

/// A number for a job's name.
pub(crate) fn name_of(key: &JobKey) -> u64 {
    key.name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Verb {
    /// A number that tells verbs apart in the trace.
    pub(crate) const fn code(&self) -> u64 {
        match self {
            Self::Renew(_) => 1,
            Self::Bury(..) => 2,
            Self::Acquire(..) => 3,
            Self::Release(_) => 4,
            Self::Orphaned => 5,
            Self::AdoptFrom(..) => 6,
            Self::Fire(_) => 7,
            Self::Complete(_) => 8,
            Self::Window(..) => 9,
            Self::Triggers(_) => 10,
            Self::Changes(..) => 11,
            Self::Claim(..) => 12,
            Self::ReleaseDue(_) => 13,
            Self::Prior(_) => 14,
            Self::Save(_) => 15,
            Self::Update(..) => 16,
            Self::Delete(..) => 17,
            Self::Keep(..) => 18,
            Self::Ask(_) => 19,
            Self::CancelRun(..) => 20,
            Self::ReadRun(_) => 21,
            Self::Held => 22,
            Self::Key(..) => 23,
            Self::JoinWorker(_) => 24,
            Self::WorkerInfo(_) => 25,
            Self::HearWorker(..) => 26,
            Self::HeldBy(_) => 27,
            Self::ClaimFor(..) => 28,
            Self::BeatWorkers(..) => 29,
            Self::BuryWorker(..) => 30,
            Self::HeldByWorkers => 31,
        }
    }

    /// The word for it in the trace.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Renew(_) => "renew",
            Self::Bury(..) => "bury",
            Self::Acquire(..) => "acquire",
            Self::Release(_) => "release",
            Self::Orphaned => "orphaned",
            Self::AdoptFrom(..) => "adopt",
            Self::Fire(_) => "fire",
            Self::Complete(_) => "complete",
            Self::Window(..) => "window",
            Self::Triggers(_) => "triggers",
            Self::Changes(..) => "changes",
            Self::Claim(..) => "claim",
            Self::ReleaseDue(_) => "release due",
            Self::Prior(_) => "prior",
            Self::Save(_) => "save",
            Self::Update(..) => "update",
            Self::Delete(..) => "delete",
            Self::Key(..) => "claim key",
            Self::Keep(..) => "keep",
            Self::Ask(_) => "ask",
            Self::CancelRun(..) => "cancel",
            Self::ReadRun(_) => "read run",
            Self::Held => "held",
            Self::JoinWorker(_) => "join worker",
            Self::WorkerInfo(_) => "worker",
            Self::HearWorker(..) => "hear worker",
            Self::HeldBy(_) => "held by",
            Self::HeldByWorkers => "held by workers",
            Self::ClaimFor(..) => "claim for",
            Self::BeatWorkers(..) => "beat workers",
            Self::BuryWorker(..) => "bury worker",
        }
    }

    /// Whether it changes nothing.
    pub(crate) const fn is_read(&self) -> bool {
        matches!(
            self,
            Self::Orphaned
                | Self::Held
                | Self::Window(..)
                | Self::Triggers(_)
                | Self::Prior(_)
                | Self::ReadRun(_)
                | Self::WorkerInfo(_)
                | Self::HeldBy(_)
                | Self::HeldByWorkers
        )
    }

    /// Whether it changes what a job does.
    pub(crate) const fn changes_jobs(&self) -> bool {
        matches!(self, Self::Save(_) | Self::Update(..) | Self::Delete(..))
    }

    /// Whether it goes on without a row that another transaction has locked, and says so.
    pub(crate) const fn passes_over(&self, row: Row) -> bool {
        matches!(self, Self::Fire(_)) && matches!(row, Row::Trigger(_) | Row::Gate(_))
    }

    /// Whether it may arrive twice without harm, as a statement does that a driver or proxy repeats.
    pub(crate) const fn may_be_repeated(&self) -> bool {
        match self {
            Self::Renew(renewal) => !renewal.join,
            Self::Bury(..)
            | Self::Acquire(..)
            | Self::Release(_)
            | Self::Fire(_)
            | Self::Complete(_)
            | Self::Key(..)
            | Self::Keep(..)
            | Self::Ask(_)
            | Self::HearWorker(..)
            | Self::BeatWorkers(..)
            | Self::BuryWorker(..) => true,
            verb => verb.is_read(),
        }
    }
}
