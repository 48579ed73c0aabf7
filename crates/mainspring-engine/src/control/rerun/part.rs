//! Running tasks of many past runs again, one run after the other: the plan of one.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::job::Job;
use mainspring_core::workflow::backfill::Part;
use mainspring_core::workflow::rerun::Action;
use mainspring_core::{JobVersion, RunId};
use mainspring_store::{Repeat, RunInfo, Store, WorkflowRow};

use super::{RerunAsk, RerunError, RerunPlan, RerunTasks, RerunVersion, draw, estimate};

/// Why there is no plan for a run.
#[derive(Debug)]
pub(crate) enum PartError {
    /// The run is gone.
    Gone,
    /// It is under way, or no run of a workflow, or the version has no such task.
    Refused(RerunError),
    /// The store could not say.
    Store(mainspring_store::Error),
}

impl From<mainspring_store::Error> for PartError {
    fn from(error: mainspring_store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<&Part> for RerunTasks {
    fn from(part: &Part) -> Self {
        match part.tasks.is_empty() {
            true => Self::Failed,
            false => Self::Named { tasks: part.tasks.clone(), downstream: part.downstream, upstream: part.upstream },
        }
    }
}

/// Runs that are looked at for one date: a run, what repeats it, what repeats that, and so on.
const REPEATS_MAX: usize = 1_000;

/// Plans to run tasks of a run again, by a version of its job. If the run was repeated, or repeats another one, the newest of them all is
/// the one that is planned from: [`RerunPlan::run`]. None of them may be under way.
pub(crate) async fn plan_part(
    store: &dyn Store,
    run: RunId,
    (here, version): (&Arc<Job>, JobVersion),
    part: &Part,
) -> Result<RerunPlan, PartError> {
    let (info, row) = newest(store, run).await?;
    let there = match info.job_version {
        there if there == version => Arc::clone(here),
        there => match store.definition(info.job, there).await {
            Err(mainspring_store::Error::NotFound { .. }) => return Err(PartError::Gone),
            there => there?,
        },
    };
    let ask = RerunAsk { tasks: part.into(), version: RerunVersion::Number(version), cancel_running: false };
    let (here, past) = (Arc::clone(here), estimate::Past::default());
    let planned =
        tokio::task::spawn_blocking(move || draw(info, row, (&there, &here), (version, version), &ask, &past));
    planned.await.expect("planning does not panic").map_err(PartError::Refused)
}

/// The newest of the runs that repeat each other, one of which is given. None of them may be under way.
pub(crate) async fn newest_of(store: &dyn Store, run: RunId) -> Result<RunId, PartError> {
    newest(store, run).await.map(|(newest, _)| newest.id)
}

/// The newest of the runs that repeat each other, one of which is given.
async fn newest(store: &dyn Store, run: RunId) -> Result<(RunInfo, Option<WorkflowRow>), PartError> {
    let (mut seen, mut next) = (BTreeMap::new(), vec![run]);
    while let Some(run) = next.pop() {
        if seen.contains_key(&run) {
            continue;
        }
        if seen.len() == REPEATS_MAX {
            return Err(PartError::Refused(RerunError::Live { run, why: "was run again too often to look at it all" }));
        }
        // Retention may have taken some of them. Those that are left still count.
        let Some(info) = store.run(run).await? else {
            if seen.is_empty() {
                return Err(PartError::Gone);
            }
            continue;
        };
        if !info.state.is_final() {
            return Err(PartError::Refused(RerunError::Live { run, why: "is under way" }));
        }
        let row = store.workflow(run, 0).await?;
        next.extend(info.rerun_of);
        next.extend(row.as_ref().and_then(|row| row.rerun_as));
        seen.insert(run, (info, row));
    }
    // An id begins with the instant at which the run was asked for.
    seen.pop_last().map(|(_, newest)| newest).ok_or(PartError::Gone)
}

impl RerunPlan {
    /// How many tasks run again.
    pub(crate) fn runs(&self) -> usize {
        self.count(Action::Rerun)
    }

    /// The run that is repeated, and what a run that carries it out begins with.
    pub(crate) fn into_repeat(self) -> (RunId, Repeat) {
        (self.run.id, Repeat { after: self.rerun_as, keep: self.keep })
    }

    /// Why nothing runs, in words.
    pub(crate) fn why_nothing(&self) -> Option<String> {
        match self.must_run() {
            Err(RerunError::Nothing { why }) => Some(why),
            _ => None,
        }
    }
}
