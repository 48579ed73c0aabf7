//! Deadlines of runs: tells of those that are missed.
//!
//! Driven by the loop of [workflows](crate::workflows). Any node may look: the store tells of each run once. Where no job has a deadline,
//! a look comes every few seconds, so that a new one is noticed.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use mainspring_store::{Result, Store};
use tokio::sync::broadcast;

use crate::clock::RightTime;
use crate::metrics::Metrics;
use crate::notice::Notice;

/// Runs that are told of in one transaction.
const RUNS_MAX: u32 = 256;
/// How often to look where jobs have deadlines, and where none has.
const LOOK_MS: i64 = 500;
const LOOK_UNUSED_MS: i64 = 5_000;

/// Tells of missed deadlines.
pub(crate) struct Deadlines {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) time: RightTime,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) notices: broadcast::Sender<Notice>,
    /// When to look again, in milliseconds since 1970.
    pub(crate) next_look: AtomicI64,
}

impl Deadlines {
    /// Tells of the deadlines that are missed now, if it is time to look.
    pub(crate) async fn pass(&self) -> Result<()> {
        let now = self.time.now();
        let next = self.next_look.load(Ordering::Relaxed);
        // A clock that was set back does not keep it from looking.
        if (0..=LOOK_UNUSED_MS).contains(&(next - now.as_millis())) && next > now.as_millis() {
            return Ok(());
        }
        let found = self.store.deadlines_due(now, RUNS_MAX).await?;
        let again = if found.used { LOOK_MS } else { LOOK_UNUSED_MS };
        self.next_look.store(now.as_millis() + again, Ordering::Relaxed);
        if found.runs.is_empty() {
            return Ok(());
        }
        let missed = self.store.miss_deadlines(found.runs, now).await?;
        self.metrics.deadlines_missed.inc_by(missed.len() as u64);
        for missed in missed {
            tracing::warn!(run.id = %missed.run, job.id = missed.job.0, "a run has missed its deadline");
            let _ = self.notices.send(Notice::DeadlineMissed {
                run: missed.run,
                job: missed.job,
                job_version: missed.job_version,
            });
        }
        Ok(())
    }
}
