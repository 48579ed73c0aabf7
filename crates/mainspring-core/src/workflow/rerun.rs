//! What is run again in a run that is there, and what it waits for.
//!
//! Everything is a plan first. It names the tasks that are made to wait again and counts, for each, the upstreams that are run
//! again or have not ended, and how the others ended: so it is known before which of them start at once and which cannot run.

mod digest;
mod live;
mod table;
#[cfg(test)]
mod tests;

pub use live::{relevant, set_back, stop_then};
pub use table::{Action, Change, Matching, Sides, Table, TableRow, Target, table};
use thiserror::Error;

use super::select::reached;
use super::{Counts, Decision, Shape, TaskState, at, downstream, upstream};

/// Where a task of the run to repeat stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// `None` for a task that the run does not have, because a newer version brought it.
    pub state: Option<TaskState>,
    /// Whether its own condition skipped it.
    pub by_condition: bool,
}

/// Which tasks are run again. With those below, and with those that failed, go the tasks that [run last](super::TaskRule::finally).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// These, and those below or above. With both, also what lies below those above.
    Tasks {
        /// The tasks that are named.
        tasks: Vec<u32>,
        /// Whether all that need them are, too.
        downstream: bool,
        /// Whether all that they need are, too.
        upstream: bool,
    },
    /// What failed or was cancelled, and what did not start because of it. What succeeded stays.
    Failed,
    /// What the run does not have.
    Missing,
}

/// What is run again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The tasks that are made to wait again, by number.
    pub tasks: Vec<Planned>,
}

/// A task that is made to wait again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planned {
    /// Which one.
    pub task: u32,
    /// Whether it was not selected but has to wait for one that was.
    pub pulled: bool,
    /// How its upstreams stand once the plan is carried out.
    pub counts: Counts,
    /// What its rule says then. `Skip` and `FailUpstream`: it cannot run, because of upstreams that are kept.
    pub decision: Decision,
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RerunError {
    /// Tasks that are to be run again, or need one that is, run at this time, by number.
    #[error("{} task(s) that would be run again are running", .0.len())]
    Running(Vec<u32>),
}

/// Plans to run a selection again. Linear in tasks and edges.
///
/// A task that needs one of the selection and still waits is pulled in, as it must wait for the new result; so is one that
/// runs, with `cancel_running`. What lies below it waits anyway. An empty plan is a plan: there is nothing to do.
///
/// # Errors
/// When tasks run that would have to wait again, unless `cancel_running`.
///
/// ```
/// use mainspring_core::workflow::rerun::{self, Recorded, Selection};
/// use mainspring_core::workflow::{FailFast, Graph, Shape, TaskRule, TaskState};
/// let shape = Shape::new(Graph::new(3, &[(0, 2), (1, 2)])?, vec![TaskRule::default(); 3], FailFast::Off);
/// let run = [Recorded { state: Some(TaskState::Succeeded), by_condition: false }; 3];
/// let selection = Selection::Tasks { tasks: vec![0], downstream: true, upstream: false };
/// let plan = rerun::plan(&shape, &run, &selection, false)?;
/// assert_eq!(plan.tasks.iter().map(|planned| planned.task).collect::<Vec<_>>(), [0, 2]);
/// assert_eq!((plan.tasks[1].counts.unfinished, plan.tasks[1].counts.succeeded), (1, 1)); // 1 is kept
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan(shape: &Shape, run: &[Recorded], selection: &Selection, cancel_running: bool) -> Result<Plan, RerunError> {
    assert_eq!(shape.graph().len(), run.len(), "one record for each task");
    let mut selected = selected(shape, run, selection);
    selected.extend(groups_of(shape, run, &selected));
    let (pulled, running) = pulled(shape, run, &selected);
    if !running.is_empty() && !cancel_running {
        return Err(RerunError::Running(running));
    }
    let mut chosen = vec![None; run.len()];
    pulled.iter().for_each(|task| chosen[at(*task)] = Some(true));
    selected.iter().for_each(|task| chosen[at(*task)] = Some(false));
    let state = |task: u32| match chosen[at(task)] {
        Some(_) => TaskState::Waiting,
        None => run[at(task)].state.unwrap_or(TaskState::Waiting),
    };
    let counts = shape.counts(state);
    let planned = |task: u32| {
        let counts = counts[at(task)];
        chosen[at(task)].map(|pulled| Planned { task, pulled, counts, decision: shape.decide(task, counts) })
    };
    Ok(Plan { tasks: shape.graph().tasks().filter_map(planned).collect() })
}

/// The tasks that are selected, by number.
fn selected(shape: &Shape, run: &[Recorded], selection: &Selection) -> Vec<u32> {
    let graph = shape.graph();
    let in_state = |holds: fn(Option<TaskState>) -> bool| -> Vec<u32> {
        graph.tasks().filter(|task| holds(run[at(*task)].state)).collect()
    };
    let with_last = |mut tasks: Vec<u32>| {
        if !tasks.is_empty() {
            tasks.extend(graph.tasks().filter(|task| shape.rule(*task).finally));
            tasks.sort_unstable();
            tasks.dedup();
        }
        tasks
    };
    match selection {
        Selection::Tasks { tasks, downstream: below, upstream: above } => {
            let tasks = if *above { upstream(graph, tasks) } else { reached(graph, tasks, |_| &[], |_| true) };
            if *below { with_last(downstream(graph, &tasks)) } else { tasks }
        }
        Selection::Failed => {
            let failed = in_state(|state| matches!(state, Some(TaskState::Failed | TaskState::Cancelled)));
            let because = |task: u32| match run[at(task)] {
                Recorded { state: Some(TaskState::UpstreamFailed), .. } => true,
                Recorded { state: Some(TaskState::Skipped), by_condition } => !by_condition,
                // Its members may have ended so.
                _ => shape.rule(task).group,
            };
            with_last(reached(graph, &failed, |task| graph.children(task), because))
        }
        Selection::Missing => in_state(|state| state.is_none()),
    }
}

/// The groups that are not selected and of which a member is, or those that have ended and of which a member has not: they end as these will.
fn groups_of(shape: &Shape, run: &[Recorded], selected: &[u32]) -> Vec<u32> {
    let mut is_selected = vec![false; run.len()];
    selected.iter().for_each(|task| is_selected[at(*task)] = true);
    let has_ended = |task: u32| run[at(task)].state.is_some_and(TaskState::is_final);
    let graph = shape.graph();
    let groups = graph.tasks().filter(|task| shape.rule(*task).group && !is_selected[at(*task)]);
    let follows = |group: u32, member: u32| is_selected[at(member)] || has_ended(group) && !has_ended(member);
    groups.filter(|group| graph.parents(*group).iter().any(|member| follows(*group, *member))).collect()
}

/// The tasks that are not selected but have to wait for one that is, and those that run and are selected or among the former.
fn pulled(shape: &Shape, run: &[Recorded], selected: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut seen = vec![false; run.len()];
    selected.iter().for_each(|task| seen[at(*task)] = true);
    let mut pulled = Vec::new();
    for &child in selected.iter().flat_map(|task| shape.graph().children(*task)) {
        let unfinished = run[at(child)].state.is_some_and(|state| !state.is_final());
        if unfinished && !std::mem::replace(&mut seen[at(child)], true) {
            pulled.push(child);
        }
    }
    pulled.sort_unstable();
    let mut running: Vec<u32> = selected.iter().chain(&pulled).copied().collect();
    running.retain(|task| run[at(*task)].state == Some(TaskState::Running));
    running.sort_unstable();
    (pulled, running)
}
