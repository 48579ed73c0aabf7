//! What the store says of itself, as it was read last. Figures that are not known are absent.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, PoisonError};

use mainspring_core::Timestamp;
use mainspring_core::run::RunState;
use mainspring_store::{QueueRow, StoreFigures, WorkerRow};
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

/// Slots of a queue, by what becomes of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct QueueSlots {
    /// The queue's name.
    pub queue: String,
    /// `busy` or `free`.
    pub state: &'static str,
}

/// What is read of the store every few seconds.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    /// What the store counts.
    pub figures: StoreFigures,
    /// What is set for queues.
    pub queues: Vec<QueueRow>,
    /// All workers.
    pub workers: Vec<WorkerRow>,
}

/// A gauge that is absent while its value is not known.
#[derive(Clone, Debug, Default)]
pub struct Known(Arc<Mutex<Option<i64>>>);

/// What the store holds: queues, unfinished runs, workers, the oldest transaction.
#[derive(Debug, Default)]
pub struct StoreMetrics {
    /// Unfinished runs.
    pub runs_active: Family<StateLabel, Gauge<i64, AtomicI64>>,
    /// Queued runs.
    pub queue_depth: Family<QueueLabel, Gauge<i64, AtomicI64>>,
    /// How long the oldest queued run has been due.
    pub queue_oldest_age_s: Known,
    /// Of queues of which so many runs are executed at a time.
    pub queue_slots: Family<QueueSlots, Gauge<i64, AtomicI64>>,
    /// Workers, of all nodes.
    pub workers: Family<StateLabel, Gauge<i64, AtomicI64>>,
    /// When the worker was heard that has been silent for longest, in seconds since 1970.
    pub worker_heard_s: Known,
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
        catalogue.register("queue_slots", "Slots of queues that have so many", self.queue_slots.clone());
        catalogue.register("workers", "Workers of all nodes", self.workers.clone());
        let heard = "When the worker was heard that has been silent for longest";
        catalogue.register("worker_heartbeat_timestamp_seconds", heard, self.worker_heard_s.clone());
        let oldest = "Age of the oldest transaction that keeps the server from clearing up";
        catalogue.register("store_oldest_transaction_seconds", oldest, self.oldest_transaction_s.clone());
        let free = "What is free of the disk that the embedded database writes to";
        catalogue.register("store_disk_free_bytes", free, self.disk_free.clone());
    }

    /// Shows what was read now.
    pub(crate) fn show(&self, Sample { figures, queues: rules, workers }: &Sample, now: Timestamp) {
        let (mut states, mut queues, mut running) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        for count in &figures.runs {
            *states.entry(count.state).or_default() += count.count;
            match count.state {
                RunState::Queued => queues.push(count),
                RunState::Running => _ = running.insert(count.queue.as_str(), count.count),
                _ => {}
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
        self.queue_slots.clear();
        let limited = rules.iter().filter_map(|queue| Some((&queue.name, queue.rule.max_running?)));
        for (queue, slots) in limited.take(QUEUES_MAX) {
            let busy = running.get(queue.as_str()).copied().unwrap_or(0);
            for (state, count) in [("busy", busy), ("free", u64::from(slots).saturating_sub(busy))] {
                self.queue_slots.get_or_create(&QueueSlots { queue: queue.clone(), state }).set(whole(count));
            }
        }
        let busy = workers.iter().filter(|worker| worker.running >= worker.info.slots).count();
        for (state, count) in [("busy", busy), ("free", workers.len() - busy)] {
            self.workers.get_or_create(&StateLabel { state }).set(whole(count));
        }
        let heard = workers.iter().map(|worker| worker.heard_at).min();
        self.worker_heard_s.set(heard.map(|at| at.as_millis() / 1_000));
        self.oldest_transaction_s.set(figures.oldest_transaction_s.map(whole));
        self.disk_free.set(figures.disk.map(|disk| whole(disk.free)));
    }

    /// Shows nothing: what was read last may be wrong by now.
    pub(crate) fn clear(&self) {
        self.runs_active.clear();
        self.queue_depth.clear();
        self.queue_slots.clear();
        self.workers.clear();
        self.queue_oldest_age_s.set(None);
        self.worker_heard_s.set(None);
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

fn whole(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use mainspring_core::Incarnation;
    use mainspring_core::queue::QueueRule;
    use mainspring_store::{Disk, RunCount, WorkerInfo};

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
        let figures = StoreFigures {
            runs: vec![
                count(RunState::Running, "a", 2, 90_000),
                count(RunState::Queued, "a", 3, 5_500),
                count(RunState::Queued, "b", 1, 7_999),
            ],
            oldest_transaction_s: Some(42),
            disk: Some(Disk { free: 7_000, total: 90_000 }),
        };
        let queue = |name: &str, max_running| QueueRow {
            name: name.to_owned(),
            rule: QueueRule { max_running, ..QueueRule::default() },
            revision: 1,
        };
        let worker = |id, running, silent_ms: i64| WorkerRow {
            info: WorkerInfo {
                id: Incarnation(id),
                name: "w".to_owned(),
                queues: vec![],
                labels: BTreeMap::new(),
                place: None,
                slots: 2,
                version: None,
                token: None,
                node: Incarnation(1),
                joined_at: now,
            },
            heard_at: now - silent_ms,
            running,
            draining: false,
            clock_offset_ms: None,
        };
        let mut sample = Sample {
            figures,
            queues: vec![queue("a", Some(5)), queue("b", None), queue("c", Some(1))],
            workers: vec![worker(7, 2, 0), worker(8, 1, 3_000), worker(9, 0, 1_000)],
        };
        let metrics = StoreMetrics::default();
        assert!(shown(&metrics).is_empty());
        metrics.show(&sample, now);
        let lines = shown(&metrics);
        for line in [
            "mainspring_runs_active{state=\"running\"} 2",
            "mainspring_runs_active{state=\"queued\"} 4",
            "mainspring_runs_active{state=\"held\"} 0",
            "mainspring_queue_depth{queue=\"a\"} 3",
            "mainspring_queue_depth{queue=\"b\"} 1",
            "mainspring_queue_oldest_age_seconds 7",
            "mainspring_queue_slots{queue=\"a\",state=\"busy\"} 2",
            "mainspring_queue_slots{queue=\"a\",state=\"free\"} 3",
            "mainspring_queue_slots{queue=\"c\",state=\"free\"} 1",
            "mainspring_workers{state=\"busy\"} 1",
            "mainspring_workers{state=\"free\"} 2",
            "mainspring_worker_heartbeat_timestamp_seconds 1767225597",
            "mainspring_store_oldest_transaction_seconds 42",
            "mainspring_store_disk_free_bytes 7000",
        ] {
            assert!(lines.contains(&line.to_owned()), "{line} in {lines:#?}");
        }
        assert!(!lines.iter().any(|line| line.contains("queue_slots{queue=\"b\"")), "any number of it: {lines:#?}");
        sample.figures.runs = (0..200).map(|it| count(RunState::Queued, &format!("q{it}"), it, 0)).collect();
        sample.workers.clear();
        metrics.show(&sample, now);
        assert!(metrics.worker_heard_s.get().is_none(), "there is none");
        let queues: Vec<_> = shown(&metrics).into_iter().filter(|line| line.contains("queue_depth")).collect();
        assert_eq!(queues.len(), QUEUES_MAX);
        assert!(queues.contains(&"mainspring_queue_depth{queue=\"q199\"} 199".to_owned()), "the longest");
        metrics.clear();
        assert!(shown(&metrics).is_empty());
    }
}
