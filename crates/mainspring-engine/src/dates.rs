//! The dates of runs: which instant one stands for, and from when to when the data count that belong to it.

use std::sync::Arc;

use mainspring_core::job::Job;
use mainspring_core::rule::Start;
use mainspring_core::workflow::RunFacts;
use mainspring_core::{RunId, Timestamp, TriggerId};
use mainspring_store::{Error, Result, causes};

use crate::definitions::Definitions;

/// Runs of which each repeats the next, or was started by it, that are followed to the one that a trigger made.
const REPEATS_MAX: u32 = 100;

impl Definitions {
    /// The dates of a run that stands for a fire time, by the schedule of the trigger that made it or the run that it repeats.
    /// With it, whether a schedule says so: where none does, the interval is empty because nobody knows it.
    pub(crate) async fn dates(
        &self,
        run: RunId,
        trigger: Option<TriggerId>,
        fire_time: Timestamp,
    ) -> Result<(RunFacts, bool)> {
        let trigger = match trigger {
            Some(trigger) => Some(trigger),
            None => self.trigger_of(run).await?,
        };
        let before = match trigger {
            Some(trigger) => self.previous_fire(trigger, fire_time).await?,
            None => None,
        };
        Ok((RunFacts::dated(run, fire_time, before.flatten()), before.is_some()))
    }

    /// The trigger that made a run, or the run that it repeats or whose task has started it: these stand for the same interval.
    async fn trigger_of(&self, run: RunId) -> Result<Option<TriggerId>> {
        let mut of = run;
        for _ in 0..REPEATS_MAX {
            let Some(run) = self.store.run(of).await? else { return Ok(None) };
            match (run.trigger, run.rerun_of, run.caller) {
                (None, Some(repeated), _) => of = repeated,
                (None, None, Some(caller)) => of = caller.run,
                (trigger, ..) => return Ok(trigger),
            }
        }
        Ok(None)
    }

    /// What a run of a plain job executes: a process is told the dates of the run. Tries again until the store answers.
    pub(crate) async fn dated(&self, start: &Start, definition: &Arc<Job>) -> Arc<Job> {
        if !definition.task.is_process() {
            return Arc::clone(definition);
        }
        loop {
            match self.dates(start.run, start.trigger, start.fire_time).await {
                Ok((dates, _)) => return Arc::new(definition.dated(&dates)),
                Err(Error::Closed) => return Arc::clone(definition),
                Err(error) => {
                    tracing::error!(error = %causes(&error), run.id = %start.run, "the dates of a claimed run could not be read; trying again");
                    self.wait_to_retry().await;
                }
            }
        }
    }
}
