//! Figures that only the store knows: read every few seconds, however often somebody asks for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::run::RunState;
use mainspring_store::{COUNTED_MAX, Disk, Error, Result, Store};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::metrics::{Metrics, Sample};
use crate::rollup::{QUEUES_MAX, Waiting};

/// From one look to the next.
const EVERY_MS: i64 = 10_000;
/// Where not all unfinished runs were counted: at which of the looks queues are counted one by one, and how many runs at most.
const RECOUNT_EVERY: u32 = 6;
const RECOUNTED_MAX: u32 = 100_000;

/// Keeps the figures as long as it is not dropped.
pub(crate) struct Sampler {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    /// Hears whether there is room for log lines.
    pub(crate) short: watch::Sender<bool>,
}

impl Sampler {
    pub(crate) async fn run(self) {
        let mut alarm = self.clock.alarm();
        let (mut was_low, mut saturated) = (false, 0);
        loop {
            match self.look(&mut was_low).await {
                Ok(sample) => {
                    self.metrics.store.show(&sample, self.clock.now());
                    self.look_at_queues(&sample, &mut saturated).await;
                }
                Err(Error::Closed) => return,
                Err(error) => {
                    tracing::debug!(error = %mainspring_store::causes(&error), "the store's figures could not be read");
                    self.metrics.store.clear();
                }
            }
            alarm.wait_until(self.clock.now() + EVERY_MS).await;
        }
    }

    async fn look(&self, was_low: &mut bool) -> Result<Sample> {
        let figures = self.store.figures().await?;
        // Whatever becomes of what is only shown.
        *was_low = self.look_at(figures.disk, *was_low);
        Ok(Sample { figures, queues: self.store.queues().await?, workers: self.store.workers().await? })
    }

    /// Notes how many runs wait in each queue. Where so many runs are unfinished that not all were counted, each queue is counted for
    /// itself, once in a while.
    async fn look_at_queues(&self, sample: &Sample, saturated: &mut u32) {
        let counts = &sample.figures.runs;
        let mut waiting = BTreeMap::<String, Waiting>::new();
        for count in counts.iter().filter(|count| count.state == RunState::Queued) {
            waiting.insert(count.queue.clone(), Waiting { count: count.count, is_least: false });
        }
        if counts.iter().map(|count| count.count).sum::<u64>() < u64::from(COUNTED_MAX) {
            *saturated = 0;
        } else {
            *saturated += 1;
            if *saturated % RECOUNT_EVERY != 1 {
                return;
            }
            if let Err(error) = self.recount(&mut waiting).await {
                tracing::debug!(error = %mainspring_store::causes(&error), "what waits in queues could not be counted");
                return;
            }
        }
        self.metrics.queue_flow.look(&waiting, self.clock.now());
    }

    async fn recount(&self, waiting: &mut BTreeMap<String, Waiting>) -> Result<()> {
        let known: BTreeSet<String> =
            self.metrics.queue_flow.lately().into_iter().chain(waiting.keys().cloned()).collect();
        let mut room = RECOUNTED_MAX;
        for queue in known.into_iter().take(QUEUES_MAX) {
            let count = if room == 0 { 0 } else { self.store.waiting(&queue, room).await? };
            let least = waiting.get(&queue).map_or(0, |waiting| waiting.count);
            let is_least = count == room;
            waiting.insert(queue, Waiting { count: least.max(count.into()), is_least });
            room -= count;
        }
        Ok(())
    }

    /// Warns of a disk that fills up, once, and passes on whether log lines still have room. Answers whether it is low.
    fn look_at(&self, disk: Option<Disk>, was_low: bool) -> bool {
        let Some(disk) = disk else { return false };
        let short = disk.is_short();
        if self.short.send_if_modified(|before| std::mem::replace(before, short) != short) {
            match short {
                true => tracing::error!(free = disk.free, "the database's disk is nearly full: log lines are not kept"),
                false => tracing::info!(free = disk.free, "log lines are kept again"),
            }
        }
        if disk.is_low() && !was_low {
            tracing::warn!(free = disk.free, total = disk.total, "less than a tenth of the database's disk is free");
        }
        disk.is_low()
    }
}
