//! Running tasks again in a run that goes on: which of them are set back, and what holds then.

use super::{Plan, Recorded};
use crate::workflow::{Shape, Stop, TaskState, at};

/// Returns what a plan depends on, of the states of the tasks of a run that goes on: those of the tasks that it makes wait again.
///
/// How the other tasks move on meanwhile does not change the plan. If one of them ends such that a planned task can no longer run, the
/// [decision](super::Planned::decision) about that task changes.
#[must_use]
pub fn relevant(plan: &Plan, run: &[Recorded]) -> Vec<Recorded> {
    let mut relevant = vec![Recorded::default(); run.len()];
    plan.tasks.iter().for_each(|planned| relevant[at(planned.task)] = run[at(planned.task)]);
    relevant
}

/// Returns the tasks of a plan that have to be set back, by number: those that have ended, run, or are about to. The others wait anyway.
#[must_use]
pub fn set_back(plan: &Plan, run: &[Recorded]) -> Vec<u32> {
    let waits = |task: &u32| matches!(run[at(*task)].state, None | Some(TaskState::Waiting));
    plan.tasks.iter().map(|planned| planned.task).filter(|task| !waits(task)).collect()
}

/// Returns why nothing starts any more in a run that goes on, once a plan is carried out. A failure that is run again stops nothing.
#[must_use]
pub fn stop_then(shape: &Shape, plan: &Plan, run: &[Recorded], stop: Option<Stop>) -> Option<Stop> {
    let mut kept = run.to_vec();
    plan.tasks.iter().for_each(|planned| kept[at(planned.task)].state = None);
    let stops = |task: u32| {
        let failed = kept[at(task)].state.filter(|state| *state == TaskState::Failed);
        !shape.rule(task).finally && failed.is_some_and(|state| shape.fails_by(task, state))
    };
    stop.filter(|stop| *stop == Stop::Cancelled || shape.graph().tasks().any(stops))
}
