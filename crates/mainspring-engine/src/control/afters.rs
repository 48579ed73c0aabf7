//! Which jobs start after which.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::after::{circle_text, circles, upstreams};
use mainspring_core::compile::FieldError;
use mainspring_core::job::Job;

use super::{Control, Error, Result};

/// The code of jobs that start each other for ever.
pub(crate) const CIRCLE: &str = "schedule.circle";

impl Control {
    /// Refuses jobs that would start themselves by way of others, with those that are kept beside them.
    pub(super) async fn refuse_circles(&self, jobs: impl Iterator<Item = &Job>) -> Result<()> {
        let mut by_namespace: BTreeMap<&str, Vec<&Job>> = BTreeMap::new();
        for job in jobs {
            by_namespace.entry(&job.key.namespace).or_default().push(job);
        }
        for (namespace, jobs) in by_namespace {
            if jobs.iter().all(|job| upstreams(job).next().is_none()) {
                continue;
            }
            let kept = self.store.after_edges(namespace).await?;
            let saved: BTreeSet<&str> = jobs.iter().map(|job| job.key.name.as_str()).collect();
            let kept = kept.iter().filter(|edge| !saved.contains(edge.job.as_str()));
            let mut edges: Vec<(&str, &str)> = kept.map(|edge| (edge.upstream.as_str(), edge.job.as_str())).collect();
            for job in jobs.iter().copied() {
                edges.extend(upstreams(job).map(|(_, upstream, _)| (upstream, job.key.name.as_str())));
            }
            let found = circles(&edges).map_err(|error| Error::Refused(error.to_string()))?;
            let Some(circle) = found.first() else { continue };
            let job = jobs.iter().find(|job| circle.contains(&job.key.name.as_str())).unwrap_or(&jobs[0]);
            let trigger = upstreams(job).find(|(_, upstream, _)| circle.contains(upstream)).map(|(index, ..)| index);
            let error = FieldError {
                field: "after",
                code: CIRCLE,
                message: format!("jobs start each other in a circle: {}", circle_text(circle)),
                hint: Some("remove one of these triggers".to_owned()),
            };
            return Err(Error::Invalid { path: job.key.to_string(), trigger, error });
        }
        Ok(())
    }
}
