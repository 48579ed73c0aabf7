//! Running a run again together with what depends on it by needs of other workflows: a backfill of its one date, by the tasks that are
//! chosen.
//!
//! The run of the date is then made by a backfill, as those that depend on it are. So what waits for what is kept by the same rows, and
//! goes on after a crash like any backfill.

use mainspring_core::RunId;
use mainspring_core::job::ScheduleDefinition;
use mainspring_core::workflow::backfill::{Action, Order, Part, Reprocess, Spec};
use mainspring_core::workflow::dates::Dated;
use mainspring_store::{BACKFILLED, BackfillRow, JobRow, NamedTrigger, RunInfo};

use super::{Answer, BackfillError, Control, First, Plan, PlanRow, Wish, hash, hash_all, previous_two, tally};
use crate::control::rerun::{PartError, RerunError, RerunTasks, newest_of};
use crate::control::{Error, RerunAsk, RerunPlan, TRIES, no_job};

/// Runs of each workflow that depends on it which are under way at a time.
const ACTIVE: u32 = 4;
/// Runs of which one repeats the other that are looked at, to find the trigger of the first.
const REPEATS_MAX: usize = 1_000;

/// What a rerun would do, with what depends on it.
#[derive(Clone, PartialEq, Debug)]
pub struct CascadePlan {
    /// What becomes of the tasks of the run. Its [hash](RerunPlan::hash) stands for all of it.
    pub rerun: RerunPlan,
    /// The backfill of its date that carries it out, and those below it.
    pub backfill: Plan,
}

/// What came of a request for a rerun with what depends on it.
#[derive(Clone, PartialEq, Debug)]
pub enum Cascaded {
    /// The backfill that makes the run.
    Started(Box<BackfillRow>),
    /// Another plan was to be carried out; this is the present one.
    Stale(Box<CascadePlan>),
}

impl Control {
    /// Says what a rerun of a workflow run would do that is over, and which dates of other workflows would run after it. Nothing is
    /// changed.
    ///
    /// # Errors
    /// As for [`plan_rerun`](Self::plan_rerun), and as for a plan of a backfill; the run stands for no date of a schedule, or was
    /// repeated already.
    pub async fn plan_cascade(&self, run: RunId, ask: &RerunAsk) -> Answer<CascadePlan> {
        let part = part_of(ask)?;
        if !self.run(run).await?.state.is_final() {
            let why = "goes on: what depends on it can run again once it is over";
            return Err(refused(RerunError::Live { run, why }));
        }
        let mut rerun = self.plan_rerun(run, ask).await?;
        let info = rerun.run.clone();
        let prior = self.store.prior(&info.key).await?;
        let job = prior.job.filter(|job| job.id == info.job).ok_or_else(|| no_job(&info.key))?;
        let (dated, trigger) = self.date_of(&info, &job, &prior.triggers).await?;
        let mut rows = self.rows(&job, trigger, &[dated], |existing| Reprocess::All.action(existing)).await?;
        self.stand_for(&mut rows, &rerun).await?;
        let wish = wish(&info, &dated, part.clone());
        let first = First { job: &job, trigger, dates: &[dated], rows: &rows };
        let below = self.plan_below(first, &wish).await?;
        let definition = &job.definition.triggers[trigger.row.index as usize];
        let mut spec = Spec {
            trigger: trigger.name.clone(),
            zone: definition.timezone.clone(),
            from: dated.date,
            to: dated.date,
            reprocess: Reprocess::All,
            part,
            cascade: true,
            order: Order::Ascending,
            max_active: ACTIVE,
            stop_on_failure: false,
            priority: info.priority,
            plan: String::new(),
            actions: tally(&rows),
        };
        spec.plan = hash(info.job, rerun.version, trigger.row.id, &spec, &rows);
        spec.plan = hash_all(&spec.plan, &below);
        rerun.hash.clone_from(&spec.plan);
        let (job, key, job_version, trigger) = (info.job, info.key, rerun.version, trigger.row.id);
        Ok(CascadePlan { rerun, backfill: Plan { job, key, job_version, trigger, spec, rows, below } })
    }

    /// Runs tasks of a run again, and then what depends on it in other workflows. `plan` is the hash of the plan that was shown, if one
    /// was.
    ///
    /// # Errors
    /// As for the plan; nothing would run.
    pub async fn rerun_cascade(
        &self,
        run: RunId,
        ask: &RerunAsk,
        plan: Option<&str>,
        by: Option<String>,
    ) -> Answer<Cascaded> {
        for _ in 0..TRIES {
            let now = self.plan_cascade(run, ask).await?;
            if plan.is_some_and(|plan| plan != now.rerun.hash) {
                return Ok(Cascaded::Stale(Box::new(now)));
            }
            now.rerun.must_run().map_err(refused)?;
            match self.store.backfill_store().add_backfill(now.backfill.into_new(&by, self.now())).await {
                // Another backfill has taken one of the dates since they were planned.
                Err(mainspring_store::Error::Conflict { what: BACKFILLED, .. }) => {}
                Err(error) => return Err(error.into()),
                Ok(id) => {
                    self.backfills.wake();
                    return Ok(Cascaded::Started(Box::new(self.backfill(id).await?)));
                }
            }
        }
        Err(refused(RerunError::Busy { run }))
    }

    /// The date of a schedule that a run stands for, and the trigger whose date it is.
    async fn date_of<'a>(
        &self,
        run: &RunInfo,
        job: &JobRow,
        triggers: &'a [NamedTrigger],
    ) -> Answer<(Dated, &'a NamedTrigger)> {
        let none = |why: &str| {
            let text = format!("run {} {why}: what other workflows need of it does not go by a date", run.id);
            BackfillError::NoSchedule(text)
        };
        let fired_by = self.fired_by(run).await?.ok_or_else(|| none("was not fired by a schedule"))?;
        let trigger = triggers.iter().find(|trigger| trigger.row.id == fired_by);
        let trigger = trigger.ok_or_else(|| none("was fired by a trigger that its job no longer has"))?;
        let index = trigger.row.index as usize;
        let definition = &job.definition.triggers[index];
        if matches!(definition.schedule, ScheduleDefinition::After { .. } | ScheduleDefinition::Delay { .. }) {
            return Err(none("was fired by the end of another run"));
        }
        let calendars = self.calendars_of(&job.definition).await?;
        let rule = self.rule(&job.definition, index, &calendars, trigger.row.progress.start_at)?;
        let named = job.definition.logical_date;
        let before = previous_two(&rule.trigger, definition, run.fire_time, named);
        Ok((Dated::new(run.fire_time, before, named), trigger))
    }

    /// The trigger that fired a run, or the one that it repeats.
    async fn fired_by(&self, run: &RunInfo) -> Answer<Option<mainspring_core::TriggerId>> {
        let mut run = run.clone();
        for _ in 0..REPEATS_MAX {
            let earlier = match (run.trigger, run.rerun_of) {
                (Some(trigger), _) => return Ok(Some(trigger)),
                (None, None) => return Ok(None),
                (None, Some(earlier)) => earlier,
            };
            // Retention may have taken it.
            let Some(found) = self.store.run(earlier).await? else { return Ok(None) };
            run = found;
        }
        Ok(None)
    }

    /// Makes the one row of a plan that of a rerun. Only the newest run of a date is repeated like this: it is the one that counts.
    async fn stand_for(&self, rows: &mut [PlanRow], rerun: &RerunPlan) -> Answer<()> {
        let run = rerun.run.id;
        let busy =
            || refused(RerunError::Live { run, why: "stands for a date that another run is about to run again" });
        let row = rows.first_mut().ok_or_else(busy)?;
        if row.action != Action::Rerun {
            return Err(busy());
        }
        let newest = match newest_of(&*self.store, run).await {
            Ok(newest) => newest,
            Err(PartError::Gone) => return Err(busy()),
            Err(PartError::Refused(error)) => return Err(refused(error)),
            Err(PartError::Store(error)) => return Err(error.into()),
        };
        if newest != run {
            return Err(refused(RerunError::Repeated { run, newest }));
        }
        row.run = Some(run);
        row.tasks = Some(rerun.runs() as u64);
        row.part = Some(rerun.hash.clone());
        Ok(())
    }
}

/// Which tasks of the run a backfill would run again. Nothing: the whole run.
fn part_of(ask: &RerunAsk) -> Answer<Option<Part>> {
    let part = |tasks: &[String], downstream, upstream| {
        let mut tasks = tasks.to_vec();
        tasks.sort_unstable();
        tasks.dedup();
        Some(Part { tasks, downstream, upstream, create_missing: false })
    };
    match &ask.tasks {
        RerunTasks::All => Ok(None),
        RerunTasks::Named { tasks, downstream, upstream } => Ok(part(tasks, *downstream, *upstream)),
        RerunTasks::Failed => Ok(part(&[], false, false)),
        RerunTasks::Missing => {
            let why = "what depends on it runs again after chosen tasks, those that failed, or all".to_owned();
            Err(refused(RerunError::Nothing { why }))
        }
    }
}

/// What a backfill of the run's date would be asked for, as far as plans of what depends on it ask.
fn wish(run: &RunInfo, dated: &Dated, part: Option<Part>) -> Wish {
    Wish {
        trigger: run.trigger_name.clone(),
        zone: None,
        from: dated.logical.to_string(),
        to: Some(dated.logical.to_string()),
        reprocess: Reprocess::All,
        part,
        cascade: true,
        order: Order::Ascending,
        max_active: ACTIVE,
        stop_on_failure: false,
        priority: None,
    }
}

fn refused(error: RerunError) -> BackfillError {
    BackfillError::Control(Error::Rerun(error))
}
