//! Runs that start when others end: makes them of what the ends have left.
//!
//! Driven by the loop of [workflows](crate::workflows), which is woken by what this node records, and otherwise looks from time to time.
//! Where no trigger comes after a job, ends do not wake it, and it looks rarely: it begins when this node hears of the first one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use mainspring_core::cluster::ShardSet;
use mainspring_core::line::WORKFLOW_LINE;
use mainspring_store::{AfterDue, AfterFire, AfterFired, Error, Result, Store};

use crate::clock::RightTime;
use crate::definitions::Definitions;
use crate::lanes::LaneWatch;
use crate::metrics::Metrics;

/// Fires that are made in one transaction.
const FIRES_MAX: u32 = 256;
/// How often to look where no trigger comes after a job. A node hears of a trigger that is saved; this is for what it could miss.
const LOOK_UNUSED_MS: i64 = 5_000;

/// Makes runs that come after others.
pub(crate) struct Afters {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) definitions: Arc<Definitions>,
    pub(crate) lanes: LaneWatch,
    pub(crate) time: RightTime,
    pub(crate) metrics: Arc<Metrics>,
    /// Whether the last look found triggers that come after jobs.
    pub(crate) used: AtomicBool,
    /// When to look again where it did not, in milliseconds since 1970.
    pub(crate) next_look: AtomicI64,
}

impl Afters {
    /// Whether ends of runs may owe anything.
    pub(crate) fn is_used(&self) -> bool {
        if self.definitions.heard_of_after() {
            self.used.store(true, Ordering::Relaxed);
        }
        self.used.load(Ordering::Relaxed)
    }

    /// Whether nobody can owe anything, as far as this node knows, and it is not time to make sure.
    fn may_rest(&self) -> bool {
        let (now, next) = (self.time.now().as_millis(), self.next_look.load(Ordering::Relaxed));
        // A clock that was set back does not keep it from looking.
        !self.is_used() && next > now && next - now <= LOOK_UNUSED_MS
    }

    /// Makes what is owed now to triggers of some shards. Answers whether runs of workflows are among it.
    pub(crate) async fn pass(&self, shards: ShardSet) -> Result<bool> {
        let (mut workflows, mut after) = (false, 0);
        if self.may_rest() {
            return Ok(workflows);
        }
        loop {
            let found = self.store.afters_due(shards, after, FIRES_MAX).await?;
            if after == 0 {
                self.used.store(found.used, Ordering::Relaxed);
                self.next_look.store(self.time.now().as_millis() + LOOK_UNUSED_MS, Ordering::Relaxed);
            }
            // What cannot be made stays owed, and is gone past: it keeps nothing else from being made.
            let next = found.due.last().map(|due| due.id).filter(|_| found.due.len() >= FIRES_MAX as usize);
            let mut fires = Vec::with_capacity(found.due.len());
            for due in found.due {
                fires.extend(self.line(&due).await?.map(|line| AfterFire { due, line }));
            }
            if !fires.is_empty() {
                workflows |= fires.iter().any(|fire| fire.line == WORKFLOW_LINE);
                let fired = self.store.fire_afters(fires, self.time.now()).await?;
                let made = fired.iter().filter(|fired| matches!(fired, AfterFired::Made(..))).count();
                self.metrics.after_runs.inc_by(made as u64);
            }
            match next {
                Some(next) => after = next,
                None => return Ok(workflows),
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
