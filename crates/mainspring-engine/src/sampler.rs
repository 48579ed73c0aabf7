//! Figures that only the store knows: read every few seconds, however often somebody asks for them.

use std::sync::Arc;

use mainspring_store::{Error, Store};

use crate::clock::Clock;
use crate::metrics::Metrics;

/// From one look to the next.
const EVERY_MS: i64 = 10_000;

/// Keeps the figures as long as it is not dropped.
pub(crate) struct Sampler {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Sampler {
    pub(crate) async fn run(self) {
        let mut alarm = self.clock.alarm();
        loop {
            match self.store.figures().await {
                Ok(figures) => self.metrics.store.show(&figures, self.clock.now()),
                Err(Error::Closed) => return,
                Err(error) => {
                    tracing::debug!(%error, "the store's figures could not be read");
                    self.metrics.store.clear();
                }
            }
            alarm.wait_until(self.clock.now() + EVERY_MS).await;
        }
    }
}
