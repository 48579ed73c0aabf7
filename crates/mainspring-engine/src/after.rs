//! Runs that start when others end: makes them of what the ends have left.
//!
//! Driven by the loop of [workflows](crate::workflows), which is woken by what this node records, and otherwise looks from time to time.
//! Where no trigger comes after a job, ends do not wake it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mainspring_core::cluster::ShardSet;
use mainspring_core::routing::WORKFLOW_LINE;
use mainspring_store::{AfterDue, AfterFire, AfterFired, Error, Result, Store};

use crate::clock::RightTime;
use crate::definitions::Definitions;
use crate::lanes::LaneWatch;
use crate::metrics::Metrics;

/// Fires that are made in one transaction.
const FIRES_MAX: u32 = 256;

/// Makes runs that come after others.
pub(crate) struct Afters {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) definitions: Arc<Definitions>,
    pub(crate) lanes: LaneWatch,
    pub(crate) time: RightTime,
    pub(crate) metrics: Arc<Metrics>,
    /// Whether the last look found triggers that come after jobs.
    pub(crate) used: AtomicBool,
}

impl Afters {
    /// Whether ends of runs may owe anything.
    pub(crate) fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Makes what is owed now to triggers of some shards. Answers whether runs of workflows are among it.
    pub(crate) async fn pass(&self, shards: ShardSet) -> Result<bool> {
        let mut workflows = false;
        loop {
            let found = self.store.afters_due(shards, FIRES_MAX).await?;
            self.used.store(found.used, Ordering::Relaxed);
            let full = found.due.len() >= FIRES_MAX as usize;
            let mut fires = Vec::with_capacity(found.due.len());
            for due in found.due {
                fires.extend(self.line(&due).await?.map(|line| AfterFire { due, line }));
            }
            if fires.is_empty() {
                return Ok(workflows);
            }
            workflows |= fires.iter().any(|fire| fire.line == WORKFLOW_LINE);
            let fired = self.store.fire_afters(fires, self.time.now()).await?;
            let made = fired.iter().filter(|fired| matches!(fired, AfterFired::Made(..))).count();
            self.metrics.after_runs.inc_by(made as u64);
            let went = fired.iter().any(|fired| !matches!(fired, AfterFired::Stale));
            if !full || !went {
                return Ok(workflows);
            }
        }
    }

    /// Where a run waits that is owed. Nothing: this program cannot read its job, and another one may.
    async fn line(&self, due: &AfterDue) -> Result<Option<String>> {
        let Some((job, version)) = due.job else { return Ok(Some(String::new())) };
        match self.definitions.definition(job, version).await {
            Ok(definition) => Ok(Some(self.lanes.line(job, &definition))),
            // The store says what has become of it.
            Err(Error::NotFound { .. }) => Ok(Some(String::new())),
            Err(Error::Unusable { why, .. }) => {
                tracing::error!(job.id = job.0, run.id = %due.cause, why, "a job that comes after a run cannot be read; it waits");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
