//! Jobs that start after others, beside what the store holds.

use std::collections::BTreeSet;

use mainspring_api::{ErrorCode, Problem, did_you_mean};
use mainspring_core::after::upstreams;
use mainspring_core::job::JobKey;

use crate::app::App;
use crate::convert::after::{Follower, circles};
use crate::refusal::{Answer, Refusal};

/// Checks jobs that are to be saved, while those in `gone` are deleted. Answers warnings of jobs that start after one that does not exist.
///
/// # Errors
/// Jobs start each other in a circle.
pub(crate) async fn check(app: &App, followers: &[Follower<'_>], gone: &BTreeSet<&JobKey>) -> Answer<Vec<Problem>> {
    let store = app.control().store();
    let given: BTreeSet<&JobKey> = followers.iter().map(|it| &it.job.key).collect();
    let follow = followers.iter().filter(|it| upstreams(it.job).next().is_some());
    let namespaces: BTreeSet<&str> = follow.map(|it| it.job.key.namespace.as_str()).collect();
    let mut kept = Vec::new();
    for namespace in namespaces {
        let edges = store.after_edges(namespace).await?.into_iter();
        let edges = edges.map(|edge| (namespace.to_owned(), edge.upstream, edge.job));
        kept.extend(edges.filter(|(namespace, _, job)| {
            let key = JobKey::new(namespace, job);
            !given.contains(&key) && !gone.contains(&key)
        }));
    }
    let found = circles(followers, &kept);
    if !found.is_empty() {
        return Err(Refusal::invalid(found));
    }
    let mut warnings = Vec::new();
    for follower in followers {
        for (trigger, name, _) in upstreams(follower.job) {
            let key = JobKey::new(&follower.job.key.namespace, name);
            let there = given.contains(&key) || !gone.contains(&key) && store.job(&key).await?.is_some();
            if there {
                continue;
            }
            let message = format!(
                "there is no job \"{name}\" in namespace \"{}\": \"{}\" does not start until there is",
                key.namespace, follower.job.key.name
            );
            let problem = Problem::new(ErrorCode::ScheduleUpstream, message).at(follower.pointer(trigger));
            let names = given.iter().map(|key| key.name.as_str());
            warnings.push(match did_you_mean(name, names) {
                Some(hint) => problem.hint(hint),
                None => problem,
            });
        }
    }
    Ok(warnings)
}
