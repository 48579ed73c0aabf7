//! Backfills of some tasks: what would run again in each run of the range.

use futures_util::StreamExt;
use mainspring_core::workflow::backfill::{Action, Part};
use mainspring_core::{JobVersion, RunId};
use mainspring_store::JobRow;

use super::{Answer, BackfillError, Control, PlanRow};
use crate::control::rerun::{PartError, RerunError, RerunPlan, plan_part, selection};

/// Runs of a range of which tasks may run again: each is read.
const RUNS_MAX: usize = 10_000;
/// Runs that are read at once.
const AT_ONCE: usize = 16;

impl Control {
    /// Plans each run of which tasks may run again. One in which none would is kept.
    pub(super) async fn plan_parts(&self, rows: &mut [PlanRow], job: &JobRow, part: &Part) -> Answer<()> {
        let of: (_, JobVersion) = (&job.definition, job.version);
        check_part(job, part)?;
        let runs: Vec<(usize, RunId)> = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.action == Action::Rerun)
            .filter_map(|(index, row)| Some((index, row.run?)))
            .collect();
        if runs.len() > RUNS_MAX {
            let text = format!(
                "the range has {} runs of which tasks would run again, and {RUNS_MAX} are allowed: choose a shorter one",
                runs.len()
            );
            return Err(BackfillError::TooMany(text));
        }
        let store = &*self.store;
        let planned = futures_util::stream::iter(runs)
            .map(async |(index, run)| (index, plan_part(store, run, of, part).await))
            .buffered(AT_ONCE);
        let planned: Vec<_> = planned.collect().await;
        for (index, planned) in planned {
            rows[index].take(planned)?;
        }
        Ok(())
    }
}

/// Refuses a part of a job that has no tasks, or not these.
fn check_part(job: &JobRow, part: &Part) -> Answer<()> {
    let key = &job.definition.key;
    let Some(workflow) = job.definition.workflow() else {
        let what = format!("version {} of {key}", job.version.0);
        return Err(BackfillError::Control(RerunError::NotWorkflow { what }.into()));
    };
    let chosen = selection(&part.into(), workflow, job.version);
    chosen.map(drop).map_err(|error| BackfillError::Control(error.into()))
}

impl PlanRow {
    /// Notes what would become of the tasks of the run.
    fn take(&mut self, planned: Result<RerunPlan, PartError>) -> Answer<()> {
        match planned {
            Ok(plan) => {
                self.run = Some(plan.run.id);
                self.reason = plan.why_nothing();
                if self.reason.is_some() {
                    self.action = Action::Keep;
                } else {
                    self.tasks = Some(plan.runs() as u64);
                }
                self.part = Some(plan.hash);
            }
            Err(PartError::Gone) => (self.action, self.reason) = (Action::Keep, Some("its run is gone".to_owned())),
            // It has begun meanwhile to be repeated by hand, or was no workflow then.
            Err(PartError::Refused(error @ RerunError::Live { .. })) => {
                (self.action, self.reason) = (Action::Active, Some(error.to_string()));
            }
            Err(PartError::Refused(error)) => (self.action, self.reason) = (Action::Keep, Some(error.to_string())),
            Err(PartError::Store(error)) => return Err(error.into()),
        }
        Ok(())
    }
}
