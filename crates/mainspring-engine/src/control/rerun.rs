//! Running a workflow run again, whole or in part: a plan first, then what carries it out.
//!
//! A run that is over stays as it is. The new one stands for the same instant, has the same input, and begins with the tasks that the
//! plan keeps: their rows name the runs of the old one, so that what those left is read like before. In a run that goes on, the tasks
//! are [set back](live) instead.

mod estimate;
mod live;
mod part;

use std::sync::Arc;

use mainspring_core::job::Job;
use mainspring_core::run::Origin;
use mainspring_core::workflow::rerun::{self, Action, Matching, Recorded, Selection, Sides, Table, TableRow, Target};
use mainspring_core::workflow::{TaskState, Workflow};
use mainspring_core::{JobVersion, RunId, RunSource};
use mainspring_store::{AskedRun, KeptTask, Repeat, RunInfo, WorkflowRow};
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::{Asking, Control, Error, Result, no_job};
use live::InPlace;
pub use live::Reran;
pub(crate) use part::{PartError, newest_of, plan_part};

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
    /// Whether chosen tasks that run are cancelled first. Otherwise they are in the way.
    pub cancel_running: bool,
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
    /// What carries it out in a run that goes on.
    in_place: Option<InPlace>,
}

impl RerunPlan {
    /// How many tasks have this action.
    #[must_use]
    pub fn count(&self, action: Action) -> usize {
        self.rows.iter().filter(|row| row.action == action && !row.is_group).count()
    }

    /// Whether the tasks run again in the run itself, because it goes on.
    #[must_use]
    pub const fn is_in_place(&self) -> bool {
        self.in_place.is_some()
    }

    /// How many tasks run and are cancelled first.
    #[must_use]
    pub fn cancels(&self) -> usize {
        let is_running = |row: &&TableRow| row.action != Action::GoesOn && row.state == Some(TaskState::Running);
        self.rows.iter().filter(is_running).count()
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
    /// It is not in a state in which it can be run again. Once it is over, it is.
    #[error("run {run} {why}")]
    Live {
        /// The run.
        run: RunId,
        /// How it stands.
        why: &'static str,
    },
    /// A run that goes on keeps its version.
    #[error("run {run} goes on with version {}: tasks of it run again with that version only", version.0)]
    LiveVersion {
        /// The run.
        run: RunId,
        /// Its version.
        version: JobVersion,
    },
    /// Tasks that would run again are running, and were not to be cancelled.
    #[error("{} of run {run}: what would run again must not run twice at once", running(tasks))]
    Running {
        /// The run.
        run: RunId,
        /// Names of the tasks.
        tasks: Vec<String>,
    },
    /// The run moved on each time before the plan could be carried out.
    #[error("run {run} moves on faster than tasks of it can be planned")]
    Busy {
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
    /// It was repeated before, and what depends on it goes by the newest run.
    #[error("run {run} was run again as {newest}, which counts for its date")]
    Repeated {
        /// The run.
        run: RunId,
        /// The newest run that repeats it.
        newest: RunId,
    },
    /// Somebody else has repeated the run at the same time.
    #[error("another rerun of run {run} came first")]
    Overtaken {
        /// The run that is repeated.
        run: RunId,
    },
}

/// Names of tasks that an error lists.
const NAMED_MAX: usize = 5;

fn running(tasks: &[String]) -> String {
    let more = if tasks.len() > NAMED_MAX { format!(" and {} more", tasks.len() - NAMED_MAX) } else { String::new() };
    let named = tasks.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    if tasks.len() == 1 { format!("task {named} runs") } else { format!("tasks {named}{more} run") }
}

impl Control {
    /// Says what a rerun of a workflow run would do. Nothing is changed.
    ///
    /// # Errors
    /// If there is no such run, or its job is gone; [`Error::Rerun`].
    pub async fn plan_rerun(&self, run: RunId, ask: &RerunAsk) -> Result<RerunPlan> {
        let (run, row) = self.standing(run).await?;
        let there = self.store.definition(run.job, run.job_version).await?;
        let job = self.store.job(&run.key).await?.filter(|job| job.id == run.job).ok_or_else(|| no_job(&run.key))?;
        let version = match ask.version {
            RerunVersion::Pinned => run.job_version,
            RerunVersion::Latest => job.version,
            RerunVersion::Number(version) => version,
        };
        if !run.state.is_final() && version != run.job_version {
            return Err(RerunError::LiveVersion { run: run.id, version: run.job_version }.into());
        }
        let here = if version == run.job_version {
            Arc::clone(&there)
        } else {
            match self.store.definition(run.job, version).await {
                Err(mainspring_store::Error::NotFound { .. }) => return Err(RerunError::UnknownVersion(version).into()),
                found => found?,
            }
        };
        let past = estimate::past(&*self.store, &run, here.workflow().map_or(0, |it| it.tasks.len())).await?;
        let (ask, latest) = (ask.clone(), job.version);
        let planned =
            tokio::task::spawn_blocking(move || draw(run, row, (&there, &here), (version, latest), &ask, &past));
        Ok(planned.await.expect("planning does not panic")?)
    }

    /// A run with what is kept of its tasks, of the same moment as far as it matters whether the run is over.
    async fn standing(&self, run: RunId) -> Result<(RunInfo, Option<WorkflowRow>)> {
        loop {
            let info = self.run(run).await?;
            let row = self.store.workflow(run, 0).await?;
            if info.state.is_final() || row.as_ref().is_none_or(|row| row.ended.is_none()) {
                return Ok((info, row));
            }
        }
    }

    /// Carries out a plan: starts a new run, which `asking` names as in [`Ask::asking`](super::Ask::asking), or sets tasks back in a
    /// run that goes on. Returns the run in which the tasks run.
    ///
    /// # Errors
    /// [`RerunError::Nothing`] and [`RerunError::Overtaken`]; [`Error::QueueFull`]; if the job or what is to be kept is gone.
    pub async fn rerun_as_planned(&self, mut plan: RerunPlan, asking: Option<Asking>) -> Result<RunInfo> {
        plan.must_run()?;
        if let Some(in_place) = plan.in_place.take() {
            return self.set_back(plan.run.id, in_place).await;
        }
        let RerunPlan { run, version, rerun_as, keep, .. } = plan;
        let Asking { at, number } = asking.unwrap_or_else(|| Asking::new(self.now()));
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
            caller: None,
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
    pub(in crate::control) fn must_run(&self) -> std::result::Result<(), RerunError> {
        if self.count(Action::Rerun) > 0 && self.in_place.as_ref().is_none_or(|it| !it.is_empty()) {
            return Ok(());
        }
        let why = match self.rows.iter().find(|row| row.action == Action::CannotRun) {
            Some(row) => format!("task {} {}", row.name, row.reason),
            None if self.count(Action::Rerun) > 0 => "what is chosen has not started yet".to_owned(),
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
    let live = if run.state.is_final() { None } else { Some(live::begun(run.id, row.as_ref())?) };
    let rerun_as = row.as_ref().and_then(|row| row.rerun_as);
    let recorded = match live {
        Some(row) => live::recorded(old, row),
        None => matching.recorded(&recorded(old, row.as_ref())),
    };
    let selection = selection(&ask.tasks, new, version)?;
    let plan = rerun::plan(&shape, &recorded, &selection, ask.cancel_running).map_err(|error| {
        let rerun::RerunError::Running(tasks) = error;
        let name = |task: u32| new.tasks[task as usize].name.clone();
        RerunError::Running { run: run.id, tasks: tasks.into_iter().map(name).collect() }
    })?;
    let in_place = live.map(|row| InPlace::new(row, there.run_timeout_ms, (&shape, &plan), &recorded));
    let names = [
        run.id.to_string(),
        version.0.to_string(),
        rerun_as.map_or(String::new(), |run| run.to_string()),
        format!("{selection:?}"),
        in_place.as_ref().map_or(String::new(), InPlace::name),
    ];
    let names = names.each_ref().map(String::as_str);
    let (hash, target) = match &in_place {
        Some(it) => (plan.digest(&names, &rerun::relevant(&plan, &recorded)), Target::Same { stop: it.stop() }),
        None => (plan.digest(&names, &recorded), Target::New),
    };
    let sides = Sides { old, new, matching: &matching, recorded: &recorded, shape: &shape, target };
    let Table { rows, keep } = rerun::table(sides, &plan, &selection);
    let estimates: Vec<Option<u64>> = rows.iter().map(|row| past.of(&row.name)).collect();
    let estimate_ms = estimate::whole(&shape, &rows, &estimates);
    let keep = keep.into_iter().map(|(there, here)| KeptTask { there, here }).collect();
    Ok(RerunPlan { run, version, latest, rerun_as, hash, rows, estimates, estimate_ms, keep, in_place })
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

/// Finds the tasks of a version that are chosen.
pub(in crate::control) fn selection(
    tasks: &RerunTasks,
    new: &Workflow,
    version: JobVersion,
) -> std::result::Result<Selection, RerunError> {
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
            let tasks = tasks.iter().map(number).collect::<std::result::Result<Vec<u32>, _>>()?;
            let tasks = new.seen_through(&tasks);
            Selection::Tasks { tasks, downstream: *downstream, upstream: *upstream }
        }
        RerunTasks::Failed => Selection::Failed,
        RerunTasks::Missing => Selection::Missing,
    })
}
