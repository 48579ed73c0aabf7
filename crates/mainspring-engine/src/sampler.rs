//! Figures that only the store knows: read every few seconds, however often somebody asks for them.

use std::sync::Arc;

use mainspring_store::{Disk, Error, Result, Store};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::metrics::{Metrics, Sample};

/// From one look to the next.
const EVERY_MS: i64 = 10_000;

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
        let mut was_low = false;
        loop {
            match self.look(&mut was_low).await {
                Ok(sample) => self.metrics.store.show(&sample, self.clock.now()),
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
