//! Workflows whose tasks start other jobs: circles among them.

use std::collections::BTreeMap;

use mainspring_api::{ErrorCode, Problem};
use mainspring_core::after::circle_text;
use mainspring_core::job::Job;
use mainspring_core::workflow::call_circle;

/// What jobs of a namespace start by their tasks.
pub(crate) type Calls = BTreeMap<String, Vec<String>>;

/// A job whose tasks may start others, and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Calling<'a> {
    pub(crate) job: &'a Job,
    pub(crate) place: String,
}

impl Calling<'_> {
    /// Where a task names what it starts.
    pub(crate) fn pointer(&self, task: u32) -> String {
        let name =
            self.job.workflow().and_then(|workflow| workflow.tasks.get(task as usize)).map_or("", |task| &task.name);
        format!("{}/tasks/{name}/workflow", self.place)
    }
}

/// What these jobs start, by namespace. Jobs that start nothing are left out.
pub(crate) fn by_namespace(jobs: &[Calling<'_>]) -> BTreeMap<String, Calls> {
    let mut all: BTreeMap<String, Calls> = BTreeMap::new();
    for job in jobs.iter().map(|it| it.job).filter(|job| job.calls().next().is_some()) {
        let calls = job.calls().map(|(_, name)| name.to_owned()).collect();
        all.entry(job.key.namespace.clone()).or_default().insert(job.key.name.clone(), calls);
    }
    all
}

/// The circle in which jobs of each namespace start each other, at a task of one of these jobs.
pub(crate) fn circles(jobs: &[Calling<'_>], all: &BTreeMap<String, Calls>) -> Vec<Problem> {
    let problem = |(namespace, calls): (&String, &Calls)| match call_circle(calls) {
        Ok(circle) => Some(problem(jobs, namespace, &circle?)),
        Err(error) => Some(Problem::new(ErrorCode::WorkflowTooLarge, error.to_string())),
    };
    all.iter().filter_map(problem).collect()
}

fn problem(jobs: &[Calling<'_>], namespace: &str, circle: &[String]) -> Problem {
    let names: Vec<&str> = circle.iter().map(String::as_str).collect();
    let message = match names[..] {
        [job] => format!("workflow \"{job}\" starts itself"),
        _ => format!("workflows start each other in a circle: {}", circle_text(&names)),
    };
    let in_it = jobs.iter().filter(|it| it.job.key.namespace == namespace && names.contains(&it.job.key.name.as_str()));
    let mut places = in_it.flat_map(|it| it.job.calls().map(move |(task, name)| (it, task, name)));
    let place = places.find(|(_, _, name)| names.contains(name)).map(|(it, task, _)| it.pointer(task));
    let problem = Problem::new(ErrorCode::WorkflowCallCircle, message).at(place.unwrap_or_default());
    problem.hint("remove one of these tasks")
}
