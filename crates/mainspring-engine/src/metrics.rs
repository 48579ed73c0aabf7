//! Figures of the engine, in the form that Prometheus reads. One registry an engine: no global state.

mod catalogue;
mod claims;
mod flows;
mod store;

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use mainspring_core::Timestamp;
use mainspring_core::batch::ClaimedRun;
use mainspring_core::rule::Start;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::lateness::{Recent, SinceTaken};
use crate::rollup::{ByJob, QueueFlow};

pub use catalogue::Catalogue;
pub use claims::ClaimTimes;
pub use flows::{CauseLabel, ComponentLabel, ConnectionLabel, FlowMetrics, PoolLabel};
pub(crate) use store::Sample;
pub use store::{Known, QueueLabel, QueueSlots, StoreMetrics};

/// A label with one of a few fixed words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct Outcome {
    /// The word.
    pub outcome: &'static str,
}

/// A label with one of a few fixed words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct ResultLabel {
    /// The word.
    pub result: &'static str,
}

/// What is known of a job.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct LaneLabel {
    /// `short` or `slow`.
    pub lane: &'static str,
}

/// How a run ended, and what it was made by.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct Ending {
    /// Its final state.
    pub result: &'static str,
    /// `schedule`, or `request` where somebody asked for it; `workflow` for a workflow run, whatever it was made by.
    pub trigger: &'static str,
}

/// Why instants were missed, and which policy allowed it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct Miss {
    /// The reason, as gaps have it.
    pub cause: &'static str,
    /// The policy, by its name.
    pub policy: String,
}

/// A label with one of a few fixed words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct StateLabel {
    /// The word.
    pub state: &'static str,
}

/// A label with one of a few fixed words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct ReasonLabel {
    /// The word.
    pub reason: &'static str,
}

/// A label with one of a few fixed words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct Operation {
    /// The store's verb.
    pub op: &'static str,
}

/// A handler that was entered, as benchmarks keep it: job, lateness in milliseconds, due instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Entry(pub(crate) u32, pub(crate) u32, pub(crate) i64);

/// The engine's figures. Names are those of the reference manual.
#[derive(Debug)]
pub struct Metrics {
    /// Fires by what became of them: `fired`, `held`, `suppressed`, `missed`.
    pub fires: Family<Outcome, Counter>,
    /// Handler entered minus due.
    pub fire_lateness: Histogram,
    /// Instants that were recorded as missed.
    pub misfires: Family<Miss, Counter>,
    /// Final runs.
    pub runs: Family<Ending, Counter>,
    /// How long handlers took, from entry to end.
    pub run_seconds: Histogram,
    /// Ended attempts.
    pub attempts: Family<ResultLabel, Counter>,
    /// Slots of this node's pool: `busy`, `free`.
    pub slots: Family<StateLabel, Gauge<i64, AtomicI64>>,
    /// Jobs of which is known how long their runs take.
    pub jobs: Family<LaneLabel, Gauge<i64, AtomicI64>>,
    /// Of runs that were claimed from a queue: due to claimed.
    pub queue_wait: Histogram,
    /// Recorded as running to handler entered.
    pub dispatch: Histogram,
    /// What the store says of itself.
    pub store: StoreMetrics,
    /// Triggers in memory.
    pub resident_triggers: Gauge<i64, AtomicI64>,
    /// Due triggers that no batch has taken.
    pub due_unclaimed: Gauge<i64, AtomicI64>,
    /// How long the store took.
    pub store_seconds: Family<Operation, Histogram>,
    /// How long the last claims from queues took.
    pub claims: ClaimTimes,
    /// Shards of this node, where nodes share the store.
    pub owned_shards: Gauge<i64, AtomicI64>,
    /// Shards that came to this node or left it: `taken`, `given`.
    pub shard_moves: Family<ReasonLabel, Counter>,
    /// How often this process was taken for dead, or gave itself up, and came back as another incarnation.
    pub lease_lost: Counter,
    /// Of shards that were taken over: from the last sign of the owner before until this node had them.
    pub takeover_gap: Histogram,
    /// Rows that retention has deleted.
    pub retention_deleted: Counter,
    /// Due triggers that the check of the window missed in memory. 0 unless a change went unheard.
    pub window_corrections: Counter,
    /// Triggers that were put into the state `error`.
    pub put_aside: Counter,
    /// Triggers whose next fire an update of the zone data has moved.
    pub triggers_moved: Counter,
    /// How often the machine's clock was found to differ from the database's.
    pub clock_warnings: Counter,
    /// Triggers with records of the future, as far as they are counted.
    pub triggers_ahead: Gauge<i64, AtomicI64>,
    /// Workflow runs in memory.
    pub workflows_live: Gauge<i64, AtomicI64>,
    /// Steps of workflow runs that were written.
    pub workflow_steps: Counter,
    /// How many of these were written in the transaction that recorded the ends before them.
    pub workflow_hops: Counter,
    /// Workflow runs that had something to do of which nobody had told. 0 where this node is alone, unless a wake-up was missed.
    pub workflows_rescued: Counter,
    /// Backfills of this node's shards that are under way.
    pub backfills: Gauge<i64, AtomicI64>,
    /// Items of backfills, by the state that they came into.
    pub backfill_items: Family<StateLabel, Counter>,
    /// Runs that were made because another one had ended.
    pub after_runs: Counter,
    /// Runs that this node has found unfinished at their deadline.
    pub deadlines_missed: Counter,
    /// What flows of this node do.
    pub flows: FlowMetrics,
    /// How late handlers were entered lately.
    pub(crate) recent: Recent,
    /// How late handlers were entered since the figures were kept last.
    pub(crate) since_rollup: SinceTaken,
    /// What jobs have done since then.
    pub(crate) by_job: ByJob,
    /// What leaves queues, and what waits in them.
    pub(crate) queue_flow: QueueFlow,
    /// Every handler entered, one by one, while a benchmark runs.
    pub(crate) entries: Option<Mutex<Vec<Entry>>>,
    /// Every handler entered.
    pub(crate) entered: AtomicU64,
}

impl Metrics {
    pub(crate) fn new(keep_entries: bool) -> Self {
        let lateness = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];
        Self {
            fires: Family::default(),
            fire_lateness: Histogram::new(lateness),
            misfires: Family::default(),
            runs: Family::default(),
            run_seconds: Histogram::new([0.001, 0.01, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0]),
            attempts: Family::default(),
            slots: Family::default(),
            jobs: Family::default(),
            queue_wait: Histogram::new([0.01, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0]),
            dispatch: Histogram::new([0.000_05, 0.000_1, 0.000_25, 0.001, 0.002_5, 0.01, 0.05, 0.25, 1.0, 5.0]),
            store: StoreMetrics::default(),
            resident_triggers: Gauge::default(),
            due_unclaimed: Gauge::default(),
            store_seconds: Family::new_with_constructor(|| {
                Histogram::new([0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5])
            }),
            claims: ClaimTimes::default(),
            owned_shards: Gauge::default(),
            shard_moves: Family::default(),
            lease_lost: Counter::default(),
            takeover_gap: Histogram::new([0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 15.0, 30.0, 60.0]),
            retention_deleted: Counter::default(),
            window_corrections: Counter::default(),
            put_aside: Counter::default(),
            triggers_moved: Counter::default(),
            clock_warnings: Counter::default(),
            triggers_ahead: Gauge::default(),
            workflows_live: Gauge::default(),
            workflow_steps: Counter::default(),
            workflow_hops: Counter::default(),
            workflows_rescued: Counter::default(),
            backfills: Gauge::default(),
            backfill_items: Family::default(),
            after_runs: Counter::default(),
            deadlines_missed: Counter::default(),
            flows: FlowMetrics::default(),
            recent: Recent::default(),
            since_rollup: SinceTaken::default(),
            by_job: ByJob::default(),
            queue_flow: QueueFlow::default(),
            entries: keep_entries.then(Mutex::default),
            entered: AtomicU64::new(0),
        }
    }

    /// Adds every figure to a catalogue.
    pub fn register(&self, catalogue: &mut Catalogue) {
        catalogue.register("fires", "Fires by what became of them", self.fires.clone());
        catalogue.register("fire_lateness_seconds", "Handler entered minus due", self.fire_lateness.clone());
        catalogue.register("misfires", "Fire times recorded as missed", self.misfires.clone());
        catalogue.register("due_unclaimed", "Due triggers that no batch has taken", self.due_unclaimed.clone());
        catalogue.register("resident_triggers", "Triggers of the window in memory", self.resident_triggers.clone());
        catalogue.register("triggers_put_aside", "Triggers put into the state error", self.put_aside.clone());
        catalogue.register("triggers_moved", "Next fires moved by newer zone data", self.triggers_moved.clone());
        catalogue.register("runs", "Final runs", self.runs.clone());
        catalogue.register("run_duration_seconds", "Handler entered to its end", self.run_seconds.clone());
        catalogue.register("attempts", "Ended attempts", self.attempts.clone());
        catalogue.register("queue_wait_seconds", "Due to claimed from a queue", self.queue_wait.clone());
        catalogue.register("worker_slots", "Slots of this node itself", self.slots.clone());
        catalogue.register("jobs", "Jobs known to be short or slow", self.jobs.clone());
        catalogue.register("dispatch_duration_seconds", "Recorded to handler entered", self.dispatch.clone());
        self.store.register(catalogue);
        catalogue.register("store_operation_duration_seconds", "Time the store took", self.store_seconds.clone());
        catalogue.register("retention_deleted", "Rows that retention deleted", self.retention_deleted.clone());
        catalogue.register("shards_owned", "Shards of this node", self.owned_shards.clone());
        catalogue.register("shard_moves", "Shards that came or left", self.shard_moves.clone());
        let gap = "Last sign of a shard's owner to this node having it";
        catalogue.register("shard_takeover_gap_seconds", gap, self.takeover_gap.clone());
        catalogue.register("lease_lost", "Times this process was taken for dead", self.lease_lost.clone());
        catalogue.register("workflow_runs_live", "Workflow runs in memory", self.workflows_live.clone());
        catalogue.register("workflow_steps", "Steps of workflow runs", self.workflow_steps.clone());
        catalogue.register("workflow_hops", "Steps recorded with the ends before them", self.workflow_hops.clone());
        catalogue.register("deadlines_missed", "Runs unfinished at their deadline", self.deadlines_missed.clone());
        catalogue.register("after_runs", "Runs made because another one ended", self.after_runs.clone());
        catalogue.register("workflow_rescues", "Workflow runs found late", self.workflows_rescued.clone());
        catalogue.register("backfills_live", "Backfills under way", self.backfills.clone());
        catalogue.register("backfill_items", "Items of backfills by their new state", self.backfill_items.clone());
        self.flows.register(catalogue);
        catalogue.register("window_corrections", "Triggers missed in memory", self.window_corrections.clone());
        catalogue.register("clock_warnings", "Times the clock was found wrong", self.clock_warnings.clone());
        catalogue.register("triggers_ahead", "Triggers with records of the future", self.triggers_ahead.clone());
    }

    /// Shows how many slots of the pool are taken.
    pub(crate) fn set_slots(&self, busy: u32, total: u32) {
        for (state, count) in [("busy", busy), ("free", total.saturating_sub(busy))] {
            self.slots.get_or_create(&StateLabel { state }).set(i64::from(count));
        }
    }

    /// Slots that are taken.
    #[must_use]
    pub fn busy_slots(&self) -> i64 {
        self.slots.get_or_create(&StateLabel { state: "busy" }).get()
    }

    /// Notes runs that were claimed from queues. Of one that is tried again, nobody knows since when it waited.
    pub(crate) fn claimed(&self, runs: &[ClaimedRun], now: Timestamp) {
        for run in runs.iter().filter(|run| run.attempt == 1) {
            self.queue_wait.observe(seconds(now.since(run.due_at)));
        }
        self.queue_flow.claimed(runs, now);
    }

    /// Notes that the handler of a run was entered, so long after it was handed over.
    pub(crate) fn entered(&self, start: &Start, now: Timestamp, handed: Duration) {
        self.dispatch.observe(handed.as_secs_f64());
        self.entered.fetch_add(1, Ordering::Relaxed);
        let lateness_ms = now.since(start.due_at).max(0);
        self.recent.note(lateness_ms, now);
        self.since_rollup.note(lateness_ms);
        self.fire_lateness.observe(seconds(lateness_ms));
        if let Some(entries) = &self.entries {
            let job = u32::try_from(start.job.0).expect("job ids stay below 2^31");
            let lateness_ms = u32::try_from(lateness_ms).unwrap_or(u32::MAX);
            let entry = Entry(job, lateness_ms, start.due_at.as_millis());
            entries.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(entry);
        }
    }
}

/// Milliseconds in the unit of figures; those below zero are none.
pub(crate) fn seconds(ms: i64) -> f64 {
    Duration::from_millis(ms.max(0).unsigned_abs()).as_secs_f64()
}
