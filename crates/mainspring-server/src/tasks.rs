//! Tasks of a workflow run: what is kept of them, put together with what their definition says. Pure.

mod why;

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_api as api;
use mainspring_core::RunId;
use mainspring_core::job::Job;
use mainspring_core::run::RunState;
use mainspring_core::workflow::{Hold, Shape, Stop, TaskDefinition, TaskState, Workflow, branch};
use mainspring_store::{RunInfo, TaskRow, WorkflowRow};

use crate::show::{instant, reason};

/// The tasks of one run.
pub(crate) struct Tasks {
    job: Arc<Job>,
    shape: Shape,
    /// In order of task and item, the task as a whole first.
    rows: Vec<TaskRow>,
    /// The state of each task.
    states: Vec<TaskState>,
    pub(crate) paused: bool,
    /// The newest run that repeats this one.
    pub(crate) rerun_as: Option<RunId>,
    run: RunId,
    stop: Option<Stop>,
}

/// A task as a whole, or one of its items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) task: u32,
    pub(crate) item: Option<u32>,
}

impl Place {
    pub(crate) const fn whole(task: u32) -> Self {
        Self { task, item: None }
    }
}

impl Tasks {
    /// Puts them together; `row` is absent for a run that was never begun. Nothing if the job is no workflow.
    pub(crate) fn new(run: &RunInfo, job: Arc<Job>, row: Option<WorkflowRow>) -> Option<Self> {
        let shape = job.workflow()?.shape().ok()?;
        let untouched = match run.state {
            RunState::Skipped => TaskState::Skipped,
            state if state.is_final() => TaskState::Cancelled,
            _ => TaskState::Waiting,
        };
        let paused = row.as_ref().is_some_and(|row| row.paused);
        let stop = row.as_ref().and_then(|row| row.stop);
        let rerun_as = row.as_ref().and_then(|row| row.rerun_as);
        let mut rows = row.map(|row| row.tasks).unwrap_or_default();
        rows.sort_by_key(|row| (row.task, row.item));
        // Items of a task that was set back belong to its earlier generation.
        let whole: BTreeMap<u32, u32> =
            rows.iter().filter(|row| row.item.is_none()).map(|row| (row.task, row.generation)).collect();
        rows.retain(|row| whole.get(&row.task).is_none_or(|generation| *generation == row.generation));
        let mut states = vec![untouched; shape.graph().len()];
        for row in rows.iter().filter(|row| row.item.is_none()) {
            states[row.task as usize] = row.state;
        }
        // A group is under way from when one of its tasks is.
        for group in shape.graph().tasks().filter(|task| shape.rule(*task).group) {
            let begun = |member: &u32| states[*member as usize] != TaskState::Waiting;
            if states[group as usize] == TaskState::Waiting && shape.graph().parents(group).iter().any(begun) {
                states[group as usize] = TaskState::Running;
            }
        }
        Some(Self { job, shape, rows, states, paused, rerun_as, run: run.id, stop })
    }

    fn workflow(&self) -> &Workflow {
        self.job.workflow().expect("looked at when it was made")
    }

    /// How many there are.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.workflow().tasks.len()).expect("bounded by TASKS_MAX")
    }

    pub(crate) fn definition(&self, task: u32) -> &TaskDefinition {
        &self.workflow().tasks[task as usize]
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.workflow().tasks.iter().map(|task| task.name.as_str())
    }

    fn name(&self, task: u32) -> &str {
        &self.definition(task).name
    }

    /// What is kept of a task or item, if something has happened to it.
    pub(crate) fn row(&self, place: Place) -> Option<&TaskRow> {
        let found = self.rows.binary_search_by_key(&(place.task, place.item), |row| (row.task, row.item));
        found.ok().map(|found| &self.rows[found])
    }

    /// What is kept of the items of a task.
    pub(crate) fn items(&self, task: u32) -> &[TaskRow] {
        let from = self.rows.partition_point(|row| (row.task, row.item) <= (task, None));
        let to = self.rows.partition_point(|row| row.task <= task);
        &self.rows[from..to]
    }

    pub(crate) fn state(&self, task: u32) -> TaskState {
        self.states[task as usize]
    }

    /// The state of a task or item.
    pub(crate) fn stands(&self, place: Place) -> TaskState {
        let item = place.item.and_then(|_| self.row(place));
        item.map_or_else(|| self.state(place.task), |row| row.state)
    }

    /// Whether a task and all that need it are over.
    pub(crate) fn is_branch_over(&self, task: u32) -> bool {
        branch(self.workflow(), self.shape.graph(), task).iter().all(|task| self.state(*task).is_final())
    }

    /// Finds a task by its name, or an item by `NAME[NUMBER]`.
    ///
    /// # Errors
    /// The nearest name, if there is one.
    pub(crate) fn find(&self, name: &str) -> Result<Place, Option<String>> {
        let workflow = self.workflow();
        if let Some(task) = workflow.find(name) {
            return Ok(Place::whole(task));
        }
        let item = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
        let item = item.and_then(|(name, item)| Some((workflow.find(name)?, item.parse().ok()?)));
        let place = item.map(|(task, item)| Place { task, item: Some(item) });
        place.filter(|place| self.row(*place).is_some()).ok_or_else(|| api::did_you_mean(name, self.names()))
    }

    /// How many there are in each state.
    pub(crate) fn counts(&self) -> api::TaskCounts {
        let mut counts = api::TaskCounts::default();
        (0..self.len()).for_each(|task| counts.add(self.state(task).into()));
        counts
    }

    /// Of a group, how many of its tasks are in each state.
    fn member_counts(&self, task: u32) -> Option<api::TaskCounts> {
        self.definition(task).joins.as_ref()?;
        let mut counts = api::TaskCounts::default();
        self.definition(task).needs.iter().for_each(|member| counts.add(self.state(*member).into()));
        Some(counts)
    }

    fn item_counts(&self, task: u32) -> Option<api::TaskCounts> {
        self.definition(task).spread.as_ref()?;
        let mut counts = api::TaskCounts::default();
        self.items(task).iter().for_each(|row| counts.add(row.state.into()));
        (counts.total > 0).then_some(counts)
    }

    /// Shows a task or item with its newest run.
    pub(crate) fn show(&self, place: Place, run: Option<&RunInfo>) -> api::RunTask {
        let definition = self.definition(place.task);
        let row = self.row(place);
        let is_call = definition.call.is_some();
        // The run that it stands for is of another workflow.
        let is_external = definition.hold.as_ref().and_then(Hold::elsewhere).is_some();
        let needs = if place.item.is_some() { &[][..] } else { &definition.needs };
        api::RunTask {
            name: match place.item {
                Some(item) => format!("{}[{item}]", definition.name),
                None => definition.name.clone(),
            },
            state: self.stands(place).into(),
            reason: row.and_then(|row| row.reason.clone()).or_else(|| run.and_then(failure)),
            generation: row.map_or(0, |row| row.generation),
            needs: needs.iter().map(|need| self.name(*need).to_owned()).collect(),
            trigger_rule: self.shape.rule(place.task).trigger_rule,
            finally: definition.finally,
            // A run that was to be started may never have been.
            run: row.and_then(|row| row.child).filter(|_| run.is_some() || !is_call).map(|child| child.to_string()),
            kept_from: run
                .and_then(|run| run.caller.as_ref().map(|caller| caller.run).or(run.parent))
                .filter(|of| *of != self.run && !is_external)
                .map(|of| of.to_string()),
            run_state: run.map(|run| run.state.into()),
            attempt: run.filter(|_| !is_call && !is_external).map(|run| run.attempt),
            started_at: run.filter(|_| !is_external).and_then(|run| run.started_at.or(run.claimed_at)).map(instant),
            ended_at: row.filter(|row| row.state.is_final()).map(|row| instant(row.since)),
            since: row.map(|row| instant(row.since)),
            items: if place.item.is_none() { self.item_counts(place.task) } else { None },
            group: definition.group.clone(),
            tasks: self.member_counts(place.task),
        }
    }
}

/// What was wrong with a run that failed.
fn failure(run: &RunInfo) -> Option<String> {
    let failed = matches!(run.state, RunState::Failed | RunState::Cancelled | RunState::Skipped);
    if failed { reason(run.reason.clone(), run.error.clone()) } else { None }
}

/// The graph of a workflow; nothing if the job is none.
pub(crate) fn graph(job: &Job, version: u64) -> Option<api::JobGraph> {
    use mainspring_core::workflow::{Spread, measure};
    let workflow = job.workflow()?;
    let shape = workflow.shape().ok()?;
    let waves = measure::waves(shape.graph());
    let name = |task: u32| workflow.tasks[task as usize].name.clone();
    let path: Vec<String> = measure::longest_path(shape.graph()).into_iter().map(name).collect();
    let task = |(task, wave): (&TaskDefinition, &u32)| api::GraphTask {
        name: task.name.clone(),
        kind: match &task.hold {
            Some(Hold::Approval(_)) => "approval",
            Some(Hold::For(_) | Hold::Until(_) | Hold::At(_)) => "wait",
            Some(Hold::Elsewhere(_)) => "external",
            None if task.joins.is_some() => "group",
            None if task.call.is_some() => "workflow",
            None => task.job.task.kind(),
        }
        .to_owned(),
        workflow: (task.call.as_ref().map(|call| &call.workflow))
            .or_else(|| Some(&task.hold.as_ref()?.elsewhere()?.workflow))
            .cloned(),
        group: task.group.clone(),
        wave: *wave,
        needs: task.needs.iter().map(|need| name(*need)).collect(),
        trigger_rule: task.trigger_rule,
        condition: task.condition.clone(),
        spread: task.spread.as_ref().map(|spread| match spread {
            Spread::Matrix(_) => "matrix".to_owned(),
            Spread::Map(_) => "map".to_owned(),
        }),
        continue_on_error: task.continue_on_error,
        finally: task.finally,
    };
    Some(api::JobGraph {
        namespace: job.key.namespace.clone(),
        job: job.key.name.clone(),
        version,
        tasks: workflow.tasks.iter().zip(&waves).map(task).collect(),
        edges: shape.graph().edge_count() as u64,
        waves: u32::try_from(path.len()).unwrap_or(u32::MAX),
        longest_path: path,
    })
}
