//! The dates of runs: which instant one stands for, and from when to when the data count that belong to it.

use std::sync::Arc;

use mainspring_core::job::{Job, JobKey};
use mainspring_core::rule::{Loaded, Start, guarded};
use mainspring_core::workflow::RunFacts;
use mainspring_core::workflow::backfill::reaching;
use mainspring_core::workflow::dates::{Dated, LogicalDate};
use mainspring_core::{RunId, Timestamp, TriggerId};
use mainspring_store::{Error, Result, RunInfo, causes};

use crate::definitions::{Definitions, REACH_MS, reached};

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
        named: LogicalDate,
    ) -> Result<(Dated, bool)> {
        let trigger = match trigger {
            Some(trigger) => Some(trigger),
            None => self.trigger_of(run).await?,
        };
        let Some(trigger) = trigger else { return Ok((Dated::new(fire_time, [None; 2], named), false)) };
        let before = self.previous_fire(trigger, fire_time).await?;
        let previous = match (named, before.flatten()) {
            // Only then is it the one before that which names the run before.
            (LogicalDate::Start, Some(start)) => [Some(start), self.previous_fire(trigger, start).await?.flatten()],
            (_, start) => [start, None],
        };
        Ok((Dated::new(fire_time, previous, named), before.is_some()))
    }

    /// The date that names a run: its fire time, unless its job names runs after the start of their data. Where retention has taken the
    /// definition, nobody knows better than the fire time.
    pub(crate) async fn logical_date(&self, run: &RunInfo) -> Result<Timestamp> {
        let job = match self.definition(run.job, run.job_version.base()).await {
            Ok(job) => job,
            Err(Error::NotFound { .. }) => return Ok(run.fire_time),
            Err(error) => return Err(error),
        };
        if job.logical_date == LogicalDate::Fire {
            return Ok(run.fire_time);
        }
        // A task or shard has the date of its run.
        let of = run.parent.unwrap_or(run.id);
        Ok(self.dates(of, run.trigger, run.fire_time, job.logical_date).await?.0.logical)
    }

    /// The fire time of a run of this logical date, by the triggers of its job as they are now, where that differs from the date.
    pub(crate) async fn fires_for(&self, key: &JobKey, date: Timestamp) -> Result<Option<Timestamp>> {
        let Some(job) = self.store.job(key).await? else { return Ok(None) };
        if job.definition.logical_date == LogicalDate::Fire {
            return Ok(None);
        }
        let (loaded, _) = self.load(self.rows_of(key).await?).await?;
        let fires = loaded.into_iter().filter_map(|Loaded { row, rule }| {
            let definition = rule.definition.triggers.get(row.index as usize)?;
            let reaching = reaching(&rule.trigger, definition, date);
            let after = || reaching.fires_between(date + 1, date + REACH_MS).next();
            let fire = guarded(after).ok().flatten()?;
            let before = guarded(|| reached(&rule.trigger, definition, fire)).ok().flatten();
            (before == Some(date)).then_some(fire)
        });
        Ok(fires.min())
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
            match self.dates(start.run, start.trigger, start.fire_time, definition.logical_date).await {
                Ok((dates, _)) => return Arc::new(definition.dated(&RunFacts::dated(start.run, &dates))),
                Err(Error::Closed) => return Arc::clone(definition),
                Err(error) => {
                    tracing::error!(error = %causes(&error), run.id = %start.run, "the dates of a claimed run could not be read; trying again");
                    self.wait_to_retry().await;
                }
            }
        }
    }
}
