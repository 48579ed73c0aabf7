//! What the store says of itself, as it was read last. Figures that are not known are absent.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, PoisonError};

use mainspring_core::Timestamp;
use mainspring_core::run::RunState;
use mainspring_store::StoreFigures;
use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::{Catalogue, StateLabel};

/// Queues with a series of their own: the longest.
const QUEUES_MAX: usize = 100;

/// A queue, by its name.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct QueueLabel {
    /// The name.
    pub queue: String,
}

/// A gauge that is absent while its value is not known.
#[derive(Clone, Debug, Default)]
pub struct Known(Arc<Mutex<Option<i64>>>);

/// What the store holds: queues, unfinished runs, connections, the oldest transaction.
#[derive(Debug, Default)]
pub struct StoreMetrics {
    /// Unfinished runs.
    pub runs_active: Family<StateLabel, Gauge<i64, AtomicI64>>,
    /// Queued runs.
    pub queue_depth: Family<QueueLabel, Gauge<i64, AtomicI64>>,
    /// How long the oldest queued run has been due.
    pub queue_oldest_age_s: Known,
    /// How long the oldest transaction of the server has been open.
    pub oldest_transaction_s: Known,
    /// What is free of the disk that an embedded store writes to, in bytes.
    pub disk_free: Known,
}

impl StoreMetrics {
    pub(super) fn register(&self, catalogue: &mut Catalogue) {
        catalogue.register("runs_active", "Unfinished runs of the whole store", self.runs_active.clone());
        catalogue.register("queue_depth", "Queued runs of the whole store", self.queue_depth.clone());
        let age = "How long the oldest queued run has been due";
        catalogue.register("queue_oldest_age_seconds", age, self.queue_oldest_age_s.clone());
        let oldest = "Age of the oldest transaction that keeps the server from clearing up";
        catalogue.register("store_oldest_transaction_seconds", oldest, self.oldest_transaction_s.clone());
        let free = "What is free of the disk that the embedded database writes to";
        catalogue.register("store_disk_free_bytes", free, self.disk_free.clone());
    }

    /// Shows what was read now.
    pub(crate) fn show(&self, figures: &StoreFigures, now: Timestamp) {
        let (mut states, mut queues) = (BTreeMap::new(), Vec::new());
        for count in &figures.runs {
            *states.entry(count.state).or_default() += count.count;
            if count.state == RunState::Queued {
                queues.push(count);
            }
        }
        for state in RunState::ALL.iter().filter(|state| !state.is_final()) {
            let count = states.get(state).copied().unwrap_or(0);
            self.runs_active.get_or_create(&StateLabel { state: state.as_str() }).set(whole(count));
        }
        let oldest = queues.iter().map(|count| count.oldest_due_at).min();
        self.queue_oldest_age_s.set(Some(oldest.map_or(0, |oldest| now.since(oldest).max(0) / 1_000)));
        queues.sort_by_key(|count| std::cmp::Reverse(count.count));
        self.queue_depth.clear();
        for count in queues.into_iter().take(QUEUES_MAX) {
            self.queue_depth.get_or_create(&QueueLabel { queue: count.queue.clone() }).set(whole(count.count));
        }
        self.oldest_transaction_s.set(figures.oldest_transaction_s.map(whole));
        self.disk_free.set(figures.disk.map(|disk| whole(disk.free)));
    }

    /// Shows nothing: what was read last may be wrong by now.
    pub(crate) fn clear(&self) {
        self.runs_active.clear();
        self.queue_depth.clear();
        self.queue_oldest_age_s.set(None);
        self.oldest_transaction_s.set(None);
        self.disk_free.set(None);
    }
}

impl Known {
    /// Sets the value, or that there is none.
    pub fn set(&self, value: Option<i64>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = value;
    }

    /// The value, if it is known.
    #[must_use]
    pub fn get(&self) -> Option<i64> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EncodeMetric for Known {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        self.get().map_or(Ok(()), |value| encoder.encode_gauge(&value))
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }

    fn is_empty(&self) -> bool {
        self.get().is_none()
    }
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use mainspring_store::RunCount;

    use mainspring_store::Disk;

    use super::*;

    fn shown(metrics: &StoreMetrics) -> Vec<String> {
        let mut catalogue = Catalogue::default();
        metrics.register(&mut catalogue);
        catalogue.text().lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    }

    #[test]
    fn figures_of_the_store_are_shown_until_they_are_not_known() {
        let now = Timestamp::from_millis(1_767_225_600_000);
        let count = |state, queue: &str, count, age_ms: i64| RunCount {
            state,
            queue: queue.to_owned(),
            count,
            oldest_due_at: now - age_ms,
        };
        let mut figures = StoreFigures {
            runs: vec![
                count(RunState::Running, "a", 2, 90_000),
                count(RunState::Queued, "a", 3, 5_500),
                count(RunState::Queued, "b", 1, 7_999),
            ],
            oldest_transaction_s: Some(42),
            disk: Some(Disk { free: 7_000, total: 90_000 }),
        };
        let metrics = StoreMetrics::default();
        assert!(shown(&metrics).is_empty());
        metrics.show(&figures, now);
        let lines = shown(&metrics);
        for line in [
            "mainspring_runs_active{state=\"running\"} 2",
            "mainspring_runs_active{state=\"queued\"} 4",
            "mainspring_runs_active{state=\"held\"} 0",
            "mainspring_queue_depth{queue=\"a\"} 3",
            "mainspring_queue_depth{queue=\"b\"} 1",
            "mainspring_queue_oldest_age_seconds 7",
            "mainspring_store_oldest_transaction_seconds 42",
            "mainspring_store_disk_free_bytes 7000",
        ] {
            assert!(lines.contains(&line.to_owned()), "{line} in {lines:#?}");
        }
        figures.runs = (0..200).map(|it| count(RunState::Queued, &format!("q{it}"), it, 0)).collect();
        metrics.show(&figures, now);
        let queues: Vec<_> = shown(&metrics).into_iter().filter(|line| line.contains("queue_depth")).collect();
        assert_eq!(queues.len(), QUEUES_MAX);
        assert!(queues.contains(&"mainspring_queue_depth{queue=\"q199\"} 199".to_owned()), "the longest");
        metrics.clear();
        assert!(shown(&metrics).is_empty());
    }
}
