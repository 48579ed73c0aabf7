//! Workflows that wait for each other: circles among them.

use std::collections::BTreeMap;

use mainspring_api::{ErrorCode, Problem};
use mainspring_core::workflow::{WaitCircle, Waits, WaitsBy, wait_circle};

use super::calls::Calling;

/// What jobs of a namespace wait for.
pub(crate) type AllWaits = BTreeMap<String, Vec<Waits>>;

/// What these jobs wait for, by namespace. Jobs that wait for nothing are left out.
pub(crate) fn by_namespace(jobs: &[Calling<'_>]) -> BTreeMap<String, AllWaits> {
    let mut all: BTreeMap<String, AllWaits> = BTreeMap::new();
    for job in jobs.iter().map(|it| it.job) {
        let waits = job.waits();
        if !waits.is_empty() {
            all.entry(job.key.namespace.clone()).or_default().insert(job.key.name.clone(), waits);
        }
    }
    all
}

/// The circle in which jobs of each namespace wait for each other, at a need of one of these jobs.
pub(crate) fn circles(jobs: &[Calling<'_>], all: &BTreeMap<String, AllWaits>) -> Vec<Problem> {
    let problem = |(namespace, waits): (&String, &AllWaits)| match wait_circle(waits) {
        Ok(circle) => Some(problem(jobs, namespace, &circle?)),
        Err(error) => Some(Problem::new(ErrorCode::WorkflowTooLarge, error.to_string())),
    };
    all.iter().filter_map(problem).collect()
}

fn problem(jobs: &[Calling<'_>], namespace: &str, circle: &WaitCircle) -> Problem {
    let message = format!("workflows wait for each other at the same date: {circle}");
    let place = circle.0.iter().find_map(|(from, waits)| {
        let WaitsBy::Needs(task, ..) = &waits.by else { return None };
        let job = jobs.iter().find(|it| it.job.key.namespace == namespace && it.job.key.name == *from)?;
        Some(format!("{}/tasks/{task}/needs", job.place))
    });
    let problem = Problem::new(ErrorCode::WorkflowNeedCircle, message).at(place.unwrap_or_default());
    problem.hint("one of them may need the other one with at: previous")
}
