//! Figures of the engine, in the form that Prometheus reads. One registry an engine: no global state.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use mainspring_core::Timestamp;
use mainspring_core::rule::Start;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use serde::{Deserialize, Serialize};

use crate::lateness::Recent;

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
    pub misfires: Counter,
    /// Final runs.
    pub runs: Family<ResultLabel, Counter>,
    /// How long handlers took, from entry to end.
    pub run_seconds: Histogram,
    /// Ended attempts.
    pub attempts: Family<ResultLabel, Counter>,
    /// Executing now.
    pub running: Gauge<i64, AtomicI64>,
    /// Triggers in memory.
    pub resident_triggers: Gauge<i64, AtomicI64>,
    /// Due triggers that no batch has taken.
    pub due_unclaimed: Gauge<i64, AtomicI64>,
    /// How long the store took.
    pub store_seconds: Family<Operation, Histogram>,
    /// Shards of this node, where nodes share the store.
    pub owned_shards: Gauge<i64, AtomicI64>,
    /// Shards that came to this node or left it: `taken`, `given`.
    pub shard_moves: Family<ReasonLabel, Counter>,
    /// How often this process was taken for dead, or gave itself up, and came back as another incarnation.
    pub incarnations_lost: Counter,
    /// Due triggers that the check of the window missed in memory. 0 unless a change went unheard.
    pub window_corrections: Counter,
    /// Triggers that were put into the state `error`.
    pub put_aside: Counter,
    /// Triggers whose next fire an update of the zone data has moved.
    pub triggers_moved: Counter,
    /// How often the machine's clock was found to differ from the database's.
    pub clock_warnings: Counter,
    /// How late handlers were entered lately.
    pub(crate) recent: Recent,
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
            misfires: Counter::default(),
            runs: Family::default(),
            run_seconds: Histogram::new([0.001, 0.01, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0]),
            attempts: Family::default(),
            running: Gauge::default(),
            resident_triggers: Gauge::default(),
            due_unclaimed: Gauge::default(),
            store_seconds: Family::new_with_constructor(|| {
                Histogram::new([0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5])
            }),
            owned_shards: Gauge::default(),
            shard_moves: Family::default(),
            incarnations_lost: Counter::default(),
            window_corrections: Counter::default(),
            put_aside: Counter::default(),
            triggers_moved: Counter::default(),
            clock_warnings: Counter::default(),
            recent: Recent::default(),
            entries: keep_entries.then(Mutex::default),
            entered: AtomicU64::new(0),
        }
    }

    /// Adds every figure to a registry whose prefix is `mainspring`.
    pub fn register(&self, registry: &mut Registry) {
        registry.register("fires", "Fires by what became of them", self.fires.clone());
        registry.register("fire_lateness_seconds", "Handler entered minus due", self.fire_lateness.clone());
        registry.register("misfires", "Fire times recorded as missed", self.misfires.clone());
        registry.register("runs", "Final runs", self.runs.clone());
        registry.register("run_duration_seconds", "Handler entered to its end", self.run_seconds.clone());
        registry.register("attempts", "Ended attempts", self.attempts.clone());
        registry.register("runs_active", "Runs executing in this process", self.running.clone());
        registry.register("resident_triggers", "Triggers of the window in memory", self.resident_triggers.clone());
        registry.register("due_unclaimed", "Due triggers that no batch has taken", self.due_unclaimed.clone());
        registry.register("store_operation_duration_seconds", "Time the store took", self.store_seconds.clone());
        registry.register("shards_owned", "Shards of this node", self.owned_shards.clone());
        registry.register("shard_moves", "Shards that came or left", self.shard_moves.clone());
        registry.register("incarnations_lost", "Process starts taken for dead", self.incarnations_lost.clone());
        registry.register("window_corrections", "Triggers missed in memory", self.window_corrections.clone());
        registry.register("triggers_put_aside", "Triggers put into the state error", self.put_aside.clone());
        registry.register("triggers_moved", "Next fires moved by newer zone data", self.triggers_moved.clone());
        registry.register("clock_warnings", "Times the clock was found wrong", self.clock_warnings.clone());
    }

    /// Notes that the handler of a run was entered.
    pub(crate) fn entered(&self, start: &Start, now: Timestamp) {
        self.entered.fetch_add(1, Ordering::Relaxed);
        let lateness_ms = now.since(start.due_at).max(0);
        self.recent.note(lateness_ms, now);
        #[expect(clippy::cast_precision_loss, reason = "a lateness is far below 2^53 ms")]
        self.fire_lateness.observe(lateness_ms as f64 / 1_000.0);
        if let Some(entries) = &self.entries {
            let job = u32::try_from(start.job.0).expect("job ids stay below 2^31");
            let lateness_ms = u32::try_from(lateness_ms).unwrap_or(u32::MAX);
            let entry = Entry(job, lateness_ms, start.due_at.as_millis());
            entries.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(entry);
        }
    }
}
