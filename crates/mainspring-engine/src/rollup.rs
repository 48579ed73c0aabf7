//! What happened minute by minute, counted by each process for itself and kept for dashboards.
//!
//! Nobody counts history for a chart: the counters that metrics are made of are read every few seconds, and what they have gained
//! is added to the present minute, quarter of an hour and three hours. Each process start has rows of its own, which it writes
//! whole, so a write that is repeated changes nothing.

mod counts;
mod queues;
mod spaces;

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::run::RunState;
use mainspring_core::{Incarnation, Timestamp};
use mainspring_store::{Error, Result, RollupRow, RollupSpan, Store};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::lateness::Lateness;
use crate::metrics::{Ending, Metrics, Outcome};
pub use counts::Counts;
pub use queues::{Depth, QUEUES_MAX, QueueFigures};
pub(crate) use queues::{QueueFlow, Waiting};
pub(crate) use spaces::ByJob;
use spaces::Namespaces;
pub use spaces::{NAMESPACES_MAX, OTHERS};

/// From one look at the counters to the next.
const EVERY_MS: i64 = 5_000;
/// Spans that are kept in memory while the store does not answer; older ones are given up.
const PENDING_MAX: usize = 256;

/// What happened within a span.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Fire times that became runs.
    pub fires: u64,
    /// Runs that succeeded.
    pub succeeded: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that were cancelled.
    pub cancelled: u64,
    /// Runs that were skipped, and fires that an overlap policy suppressed.
    pub skipped: u64,
    /// Fire times that were missed.
    pub missed: u64,
    /// How late handlers were entered, on nodes: workers of other machines do not tell.
    pub lateness: Lateness,
    /// The counts of each namespace that had some: up to [`NAMESPACES_MAX`], and [`OTHERS`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub namespaces: BTreeMap<String, Counts>,
}

impl Figures {
    /// Adds what happened in another span, or was counted by another process.
    pub fn add(&mut self, other: &Self) {
        self.fires += other.fires;
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.cancelled += other.cancelled;
        self.skipped += other.skipped;
        self.missed += other.missed;
        self.lateness.add(&other.lateness);
        spaces::add(&mut self.namespaces, &other.namespaces);
    }

    /// Returns what was counted of a namespace. How late its handlers were entered is not counted apart.
    #[must_use]
    pub fn of(&self, namespace: &str) -> Self {
        let Counts { fires, succeeded, failed, cancelled, skipped, missed } =
            self.namespaces.get(namespace).copied().unwrap_or_default();
        Self { fires, succeeded, failed, cancelled, skipped, missed, ..Self::default() }
    }

    /// Reads what a node has kept; nothing if it is of a newer program.
    #[must_use]
    pub fn read(row: &RollupRow) -> Option<Self> {
        serde_json::from_str(&row.figures).ok()
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Counts {
    fn of(metrics: &Metrics) -> Self {
        let fires = |outcome| metrics.fires.get_or_create(&Outcome { outcome }).get();
        let runs = |state: RunState| -> u64 {
            let of = |trigger| metrics.runs.get_or_create(&Ending { result: state.as_str(), trigger }).get();
            of("schedule") + of("request")
        };
        Self {
            fires: fires("fired") + fires("held"),
            succeeded: runs(RunState::Succeeded),
            failed: runs(RunState::Failed),
            cancelled: runs(RunState::Cancelled),
            skipped: runs(RunState::Skipped) + fires("suppressed"),
            missed: fires("missed"),
        }
    }

    fn since(self, before: Self, lateness: Lateness, namespaces: BTreeMap<String, Self>) -> Figures {
        Figures {
            fires: self.fires - before.fires,
            succeeded: self.succeeded - before.succeeded,
            failed: self.failed - before.failed,
            cancelled: self.cancelled - before.cancelled,
            skipped: self.skipped - before.skipped,
            missed: self.missed - before.missed,
            lateness,
            namespaces,
        }
    }
}

/// The spans that are not kept yet, and those that go on.
#[derive(Debug, Default)]
struct Spans(BTreeMap<(Timestamp, RollupSpan), Figures>);

impl Spans {
    fn add(&mut self, gained: &Figures, now: Timestamp) {
        for span in RollupSpan::ALL {
            self.0.entry((span.start(now), span)).or_default().add(gained);
        }
        while self.0.len() > PENDING_MAX {
            self.0.pop_first();
        }
    }

    fn rows(&self, node: &str) -> Vec<RollupRow> {
        let row = |((at, span), figures): (&(Timestamp, RollupSpan), &Figures)| RollupRow {
            span: *span,
            at: *at,
            queue: None,
            node: node.to_owned(),
            figures: serde_json::to_string(figures).expect("plain data has a text"),
        };
        self.0.iter().map(row).collect()
    }

    /// Forgets the spans that are over.
    fn settle(&mut self, now: Timestamp) {
        self.0.retain(|(at, span), _| *at >= span.start(now));
    }
}

/// Keeps the figures of this process, as long as it is not dropped.
pub(crate) struct Roller {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    /// The first one of this process: a later one goes on with its rows.
    pub(crate) incarnation: Incarnation,
}

impl Roller {
    pub(crate) async fn run(self) {
        let node = self.incarnation.to_string();
        let mut alarm = self.clock.alarm();
        let mut before = Counts::of(&self.metrics);
        let mut namespaces = Namespaces::default();
        let mut spans = Spans::default();
        loop {
            alarm.wait_until(self.clock.now() + EVERY_MS).await;
            let now = self.clock.now();
            let totals = Counts::of(&self.metrics);
            let apart = namespaces.gained(&self.metrics.by_job, &*self.store).await;
            let gained = totals.since(before, self.metrics.since_rollup.take(), apart);
            before = totals;
            if !gained.is_empty() {
                spans.add(&gained, now);
            }
            match self.keep(&spans, &node, !gained.is_empty(), now).await {
                Ok(()) => {
                    spans.settle(now);
                    self.metrics.queue_flow.settle(true, now);
                }
                Err(Error::Closed) => return,
                Err(error) => {
                    self.metrics.queue_flow.settle(false, now);
                    tracing::debug!(error = %mainspring_store::causes(&error), "this node's figures could not be kept");
                }
            }
        }
    }

    async fn keep(&self, spans: &Spans, node: &str, has_gained: bool, now: Timestamp) -> Result<()> {
        // What is over was kept before, unless that failed.
        let has_rest = spans.0.keys().any(|(at, span)| *at < span.start(now));
        let mut rows = self.metrics.queue_flow.rows(node, now);
        if has_gained || has_rest {
            rows.extend(spans.rows(node));
        }
        if rows.is_empty() {
            return Ok(());
        }
        self.store.put_rollups(rows, now).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_767_225_600_000 + ms)
    }

    fn fired(fires: u64) -> Figures {
        Figures { fires, ..Figures::default() }
    }

    #[test]
    fn what_is_gained_counts_in_every_span_that_goes_on() {
        let mut spans = Spans::default();
        spans.add(&fired(2), at(1_000));
        spans.add(&fired(3), at(61_000));
        let shown: Vec<_> =
            spans.rows("n").iter().map(|row| (row.span, row.at, Figures::read(row).unwrap().fires)).collect();
        assert_eq!(
            shown,
            [
                (RollupSpan::Minute, at(0), 2),
                (RollupSpan::Quarter, at(0), 5),
                (RollupSpan::Watch, at(0), 5),
                (RollupSpan::Minute, at(60_000), 3),
            ]
        );
        spans.settle(at(61_000));
        assert_eq!(spans.0.len(), 3, "the first minute is over");
    }

    #[test]
    fn spans_wait_for_the_store_up_to_a_bound() {
        let mut spans = Spans::default();
        for minute in 0..1_000 {
            spans.add(&fired(1), at(minute * 60_000));
        }
        assert_eq!(spans.0.len(), PENDING_MAX);
        assert_eq!(spans.rows("n").last().map(|row| row.at), Some(at(999 * 60_000)));
    }

    #[test]
    fn counters_give_what_they_have_gained() {
        let metrics = Metrics::new(false);
        let before = Counts::of(&metrics);
        metrics.fires.get_or_create(&Outcome { outcome: "fired" }).inc_by(4);
        metrics.fires.get_or_create(&Outcome { outcome: "missed" }).inc();
        metrics.runs.get_or_create(&Ending { result: "failed", trigger: "request" }).inc();
        metrics.since_rollup.note(40);
        let gained = Counts::of(&metrics).since(before, metrics.since_rollup.take(), BTreeMap::new());
        assert_eq!((gained.fires, gained.missed, gained.failed, gained.lateness.count()), (4, 1, 1, 1));
        assert!(metrics.since_rollup.take().max().is_none(), "it is counted once");
    }
}
