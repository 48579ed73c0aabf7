//! Running a workflow run again, whole or in part: a plan first, then a new run that carries it out.
//!
//! A run that is over stays as it is. The new one stands for the same instant, has the same input, and begins with the tasks that the
//! plan keeps: their rows name the runs of the old one, so that what those left is read like before.

mod estimate;

use std::sync::Arc;

use mainspring_core::job::Job;
use mainspring_core::run::Origin;
use mainspring_core::workflow::rerun::{self, Action, Matching, Recorded, Selection, Sides, Table, TableRow};
use mainspring_core::workflow::{TaskState, Workflow};
use mainspring_core::{JobVersion, RunId, RunSource};
use mainspring_store::{AskedRun, KeptTask, Repeat, RunInfo, WorkflowRow};
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::{Asking, Control, Error, Result, no_job};

/// Which tasks of a workflow run are to run again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum RerunTasks {
    /// All.
    #[default]
    All,
    /// Some, by name.
    Named {
        /// Their names.
        tasks: Vec<String>,
        /// Whether all that need them run, too.
        downstream: bool,
        /// Whether all that they need run, too.
        upstream: bool,
    },
    /// What failed or was cancelled, and what did not start because of it.
    Failed,
    /// What the run has no record of.
    Missing,
}

/// Which version of the job a rerun goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RerunVersion {
    /// That of the run that is repeated.
    #[default]
    Pinned,
    /// The newest.
    Latest,
    /// This one.
    Number(JobVersion),
}

/// How a workflow run is to run again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RerunAsk {
    /// Which tasks.
    pub tasks: RerunTasks,
    /// By which version.
    pub version: RerunVersion,
}

/// What a rerun would do.
#[derive(Clone, PartialEq, Debug)]
pub struct RerunPlan {
    /// The run that is repeated.
    pub run: RunInfo,
    /// The version that is to run.
    pub version: JobVersion,
    /// The newest version of the job.
    pub latest: JobVersion,
    /// The newest run that repeats this one.
    pub rerun_as: Option<RunId>,
    /// Stands for the plan and for all that it was made from.
    pub hash: String,
    /// A row for each task.
    pub rows: Vec<TableRow>,
    /// For each row, how long the task took in the median of past runs, in milliseconds.
    pub estimates: Vec<Option<u64>>,
    /// How long the run would take if nothing has to wait for a worker, in milliseconds.
    pub estimate_ms: Option<u64>,
    keep: Vec<KeptTask>,
}

impl RerunPlan {
    /// How many tasks have this action.
    #[must_use]
    pub fn count(&self, action: Action) -> usize {
        self.rows.iter().filter(|row| row.action == action).count()
    }
}

/// Why a workflow run is not run again.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RerunError {
    /// The run, or the version that is to run, has no tasks.
    #[error("{what} is no workflow: it has no tasks that could be chosen")]
    NotWorkflow {
        /// Which.
        what: String,
    },
    /// Once it is over, it can be run again.
    #[error("run {run} is not over: only a run that is over can be run again")]
    Live {
        /// The run.
        run: RunId,
    },
    /// The version that is to run has no such task.
    #[error("version {} of the job has no task {name:?}", version.0)]
    UnknownTask {
        /// The name.
        name: String,
        /// The version.
        version: JobVersion,
        /// The names that it has.
        known: Vec<String>,
    },
    /// The job has no such version, or not any more.
    #[error("the job has no version {}, or not any more", .0.0)]
    UnknownVersion(JobVersion),
    /// No task would run.
    #[error("nothing would run: {why}")]
    Nothing {
        /// Why.
        why: String,
    },
    /// Somebody else has repeated the run at the same time.
    #[error("another rerun of run {run} came first")]
    Overtaken {
        /// The run that is repeated.
        run: RunId,
    },
}

impl Control {
    /// Says what a rerun of a workflow run would do. Nothing is changed.
    ///
    /// # Errors
    /// If there is no such run, or its job is gone; [`Error::Rerun`].
    pub async fn plan_rerun(&self, run: RunId, ask: &RerunAsk) -> Result<RerunPlan> {
        let run = self.run(run).await?;
        if !run.state.is_final() {
            return Err(RerunError::Live { run: run.id }.into());
        }
        let there = self.store.definition(run.job, run.job_version).await?;
        let job = self.store.job(&run.key).await?.filter(|job| job.id == run.job).ok_or_else(|| no_job(&run.key))?;
        let version = match ask.version {
            RerunVersion::Pinned => run.job_version,
            RerunVersion::Latest => job.version,
            RerunVersion::Number(version) => version,
        };
        let here = if version == run.job_version {
            Arc::clone(&there)
        } else {
            match self.store.definition(run.job, version).await {
                Err(mainspring_store::Error::NotFound { .. }) => return Err(RerunError::UnknownVersion(version).into()),
                found => found?,
            }
        };
        let row = self.store.workflow(run.id, 0).await?;
        let past = estimate::past(&*self.store, &run, here.workflow().map_or(0, |it| it.tasks.len())).await?;
        let (ask, latest) = (ask.clone(), job.version);
        let planned =
            tokio::task::spawn_blocking(move || draw(run, row, (&there, &here), (version, latest), &ask, &past));
        Ok(planned.await.expect("planning does not panic")?)
    }

    /// Starts a new run that carries out a plan; `asking` names it, as in [`Ask::asking`](super::Ask::asking).
    ///
    /// # Errors
    /// [`RerunError::Nothing`] and [`RerunError::Overtaken`]; [`Error::QueueFull`]; if the job or what is to be kept is gone.
    pub async fn rerun_as_planned(&self, plan: RerunPlan, asking: Option<Asking>) -> Result<RunInfo> {
        plan.must_run()?;
        let RerunPlan { run, version, rerun_as, keep, .. } = plan;
        let Asking { at, number } = asking.unwrap_or_else(|| self.new_asking());
        let definition = self.store.definition(run.job, version).await?;
        let asked = AskedRun {
            id: RunId::new(at, RunSource::Asked(run.job, number)),
            job: run.job,
            job_version: version,
            origin: Origin::Rerun,
            input: run.input,
            queue: self.lanes.line(run.job, &definition),
            priority: run.priority,
            rerun_of: Some(run.id),
            repeat: Some(Repeat { after: rerun_as, keep }),
            fire_time: run.fire_time,
            at,
        };
        match self.ask(asked).await {
            Err(Error::Store(mainspring_store::Error::Conflict { what: mainspring_store::REPEATED, .. })) => {
                Err(RerunError::Overtaken { run: run.id }.into())
            }
            asked => asked,
        }
    }

    /// The run that was asked for under this name before, if it was.
    ///
    /// # Errors
    /// The store could not say.
    pub async fn asked_before(&self, of: &RunInfo, asking: Asking) -> Result<Option<RunInfo>> {
        let id = RunId::new(asking.at, RunSource::Asked(of.job, asking.number));
        Ok(self.store.run(id).await?.filter(|run| run.rerun_of == Some(of.id)))
    }
}

impl RerunPlan {
    fn must_run(&self) -> std::result::Result<(), RerunError> {
        if self.count(Action::Rerun) > 0 {
            return Ok(());
        }
        let why = match self.rows.iter().find(|row| row.action == Action::CannotRun) {
            Some(row) => format!("task {} {}", row.name, row.reason),
            None => "the selection is empty".to_owned(),
        };
        Err(RerunError::Nothing { why })
    }
}

/// Draws up the plan. Linear in tasks and edges, and long for large graphs.
fn draw(
    run: RunInfo,
    row: Option<WorkflowRow>,
    (there, here): (&Arc<Job>, &Arc<Job>),
    (version, latest): (JobVersion, JobVersion),
    ask: &RerunAsk,
    past: &estimate::Past,
) -> std::result::Result<RerunPlan, RerunError> {
    let (old, new) = match (there.workflow(), here.workflow()) {
        (Some(old), Some(new)) => (old, new),
        (None, _) => return Err(RerunError::NotWorkflow { what: format!("run {} of {}", run.id, run.key) }),
        (_, None) => return Err(RerunError::NotWorkflow { what: format!("version {} of {}", version.0, run.key) }),
    };
    let shape = new.shape().map_err(|error| RerunError::Nothing { why: error.to_string() })?;
    let matching = Matching::new(old, new);
    let rerun_as = row.as_ref().and_then(|row| row.rerun_as);
    let recorded = matching.recorded(&recorded(old, row.as_ref()));
    let selection = selection(&ask.tasks, new, version)?;
    let plan = rerun::plan(&shape, &recorded, &selection, false).expect("nothing runs in a run that is over");
    let names = [
        run.id.to_string(),
        version.0.to_string(),
        rerun_as.map_or(String::new(), |run| run.to_string()),
        format!("{selection:?}"),
    ];
    let hash = plan.digest(&names.each_ref().map(String::as_str), &recorded);
    let sides = Sides { old, new, matching: &matching, recorded: &recorded, shape: &shape };
    let Table { rows, keep } = rerun::table(sides, &plan, &selection);
    let estimates: Vec<Option<u64>> = rows.iter().map(|row| past.of(&row.name)).collect();
    let estimate_ms = estimate::whole(&shape, &rows, &estimates);
    let keep = keep.into_iter().map(|(there, here)| KeptTask { there, here }).collect();
    Ok(RerunPlan { run, version, latest, rerun_as, hash, rows, estimates, estimate_ms, keep })
}

/// What a run that is over says of the tasks of its version. What has not come to an end there is as if it were not there.
fn recorded(old: &Workflow, row: Option<&WorkflowRow>) -> Vec<Recorded> {
    let mut recorded = vec![Recorded::default(); old.tasks.len()];
    let whole = row.into_iter().flat_map(|row| &row.tasks).filter(|task| task.item.is_none() && task.state.is_final());
    for task in whole {
        if let Some(record) = recorded.get_mut(task.task as usize) {
            // A rule gives no reason; a condition and a person do.
            let by_condition = task.state == TaskState::Skipped && task.reason.is_some();
            *record = Recorded { state: Some(task.state), by_condition };
        }
    }
    recorded
}

fn selection(tasks: &RerunTasks, new: &Workflow, version: JobVersion) -> std::result::Result<Selection, RerunError> {
    Ok(match tasks {
        RerunTasks::All => {
            let tasks = (0..).take(new.tasks.len()).collect();
            Selection::Tasks { tasks, downstream: false, upstream: false }
        }
        RerunTasks::Named { tasks, downstream, upstream } => {
            let numbers: FxHashMap<&str, u32> = new.tasks.iter().map(|task| task.name.as_str()).zip(0..).collect();
            let number = |name: &String| {
                numbers.get(name.as_str()).copied().ok_or_else(|| RerunError::UnknownTask {
                    name: name.clone(),
                    version,
                    known: new.tasks.iter().map(|task| task.name.clone()).collect(),
                })
            };
            let mut tasks = tasks.iter().map(number).collect::<std::result::Result<Vec<u32>, _>>()?;
            tasks.sort_unstable();
            tasks.dedup();
            Selection::Tasks { tasks, downstream: *downstream, upstream: *upstream }
        }
        RerunTasks::Failed => Selection::Failed,
        RerunTasks::Missing => Selection::Missing,
    })
}
