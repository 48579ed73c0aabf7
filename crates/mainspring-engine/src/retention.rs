//! Deletes what is too old, a little at a time.

use std::sync::Arc;

use mainspring_store::{PurgeRule, Store, causes};

use crate::clock::{Clock, RightTime};
use crate::metrics::Metrics;

const DAY_MS: i64 = 86_400_000;
/// Rows in one step, and the pause between steps while there is more.
const STEP: (u32, i64) = (1_000, 200);
/// From the end of one pass to the next.
const PASS_MS: i64 = 60_000;

/// How long things are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionRule {
    /// Final runs with their attempts, logs and gaps.
    pub history_ms: i64,
    /// Final runs of a job beyond this many go even if they are younger.
    pub history_keep_per_job: Option<u32>,
    /// Events.
    pub events_ms: i64,
    /// Tombstones of triggers, and idempotency keys. At least a day.
    pub tombstones_ms: i64,
}

impl Default for RetentionRule {
    /// 30 days of history, one hour of events, one day of tombstones.
    fn default() -> Self {
        Self { history_ms: 30 * DAY_MS, history_keep_per_job: None, events_ms: 3_600_000, tombstones_ms: DAY_MS }
    }
}

pub(crate) struct Retention {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    time: RightTime,
    rule: RetentionRule,
    metrics: Arc<Metrics>,
}

impl Retention {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        time: RightTime,
        rule: RetentionRule,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { store, clock, time, rule, metrics }
    }

    pub(crate) async fn run(self) {
        let mut alarm = self.clock.alarm();
        loop {
            let pause = match self.run_once().await {
                Ok(count) if count >= u64::from(STEP.0) => STEP.1,
                Ok(_) => PASS_MS,
                Err(mainspring_store::Error::Closed) => return,
                Err(error) => {
                    tracing::warn!(error = %causes(&error), "old history could not be deleted; trying again later");
                    PASS_MS
                }
            };
            alarm.wait_until(self.clock.now() + pause).await;
        }
    }

    async fn run_once(&self) -> mainspring_store::Result<u64> {
        let now = self.time.now();
        let rule = PurgeRule {
            at: now,
            history_before: now - self.rule.history_ms,
            history_keep_per_job: self.rule.history_keep_per_job,
            events_before: now - self.rule.events_ms,
            tombstones_before: now - self.rule.tombstones_ms.max(DAY_MS),
            limit: STEP.0,
        };
        let count = self.store.purge(rule).await?;
        self.metrics.retention_deleted.inc_by(count);
        Ok(count)
    }
}
