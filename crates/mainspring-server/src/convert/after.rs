//! Jobs that start after others: circles among them.

use std::collections::BTreeMap;

use mainspring_api::{ErrorCode, JobSpec, Problem};
use mainspring_core::after::{circle_text, circles as circles_of, upstreams};
use mainspring_core::job::Job;

/// A job that may start after others, and where each of its triggers was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Follower<'a> {
    pub(crate) job: &'a Job,
    pub(crate) places: &'a [String],
}

impl Follower<'_> {
    /// Where the trigger of this index names the jobs that it comes after.
    pub(crate) fn pointer(&self, trigger: usize) -> String {
        format!("{}/after", self.places.get(trigger).map_or("", String::as_str))
    }
}

/// Where the triggers of a job were written: pointers under `prefix`, in the order of its definition. None if no trigger comes after a
/// job.
pub(crate) fn places(spec: &JobSpec, job: &Job, prefix: &str) -> Vec<String> {
    if upstreams(job).next().is_none() {
        return Vec::new();
    }
    spec.triggers_in_order().into_iter().map(|(place, _)| format!("{prefix}{place}")).collect()
}

/// A job that starts after another one, beside those that are looked at: namespace, the first job, the one that follows.
pub(crate) type Kept = (String, String, String);

/// Circles in which jobs start each other, each at a trigger of one of these jobs.
pub(crate) fn circles(followers: &[Follower<'_>], kept: &[Kept]) -> Vec<Problem> {
    let mut edges: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for Follower { job, .. } in followers {
        for (_, upstream, _) in upstreams(job) {
            edges.entry(&job.key.namespace).or_default().push((upstream, &job.key.name));
        }
    }
    for (namespace, upstream, job) in kept {
        if let Some(edges) = edges.get_mut(namespace.as_str()) {
            edges.push((upstream, job));
        }
    }
    let found = edges.into_iter().flat_map(|(namespace, edges)| match circles_of(&edges) {
        Ok(found) => found.iter().map(|circle| problem(followers, namespace, circle)).collect(),
        Err(error) => vec![Problem::new(ErrorCode::FieldTooMany, error.to_string())],
    });
    found.collect()
}

fn problem(followers: &[Follower<'_>], namespace: &str, circle: &[&str]) -> Problem {
    let message = match circle {
        [job] => format!("job \"{job}\" comes after itself"),
        circle => format!("jobs start each other in a circle: {}", circle_text(circle)),
    };
    let mut in_it = followers
        .iter()
        .filter(|it| it.job.key.namespace == namespace && circle.contains(&it.job.key.name.as_str()))
        .flat_map(|it| upstreams(it.job).map(move |(index, upstream, _)| (it, index, upstream)))
        .filter(|(_, _, upstream)| circle.contains(upstream));
    let pointer = in_it.next().map_or_else(String::new, |(it, index, _)| it.pointer(index));
    Problem::new(ErrorCode::ScheduleCircle, message).at(pointer).hint("remove one of these triggers")
}
