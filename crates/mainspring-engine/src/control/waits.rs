//! Which workflows wait for which jobs.

use std::collections::BTreeMap;

use mainspring_core::compile::FieldError;
use mainspring_core::job::{Job, JobKey};
use mainspring_core::workflow::{Waits, wait_circle};

use super::{Control, Error, Result};

/// The code of workflows that wait for each other for ever.
pub(crate) const NEED_CIRCLE: &str = "workflow.need_circle";

impl Control {
    /// Adds to what jobs of a namespace wait for what those wait for in turn that are kept. Names that are there already are not looked
    /// up.
    ///
    /// # Errors
    /// The store could not say.
    pub async fn add_kept_waits(&self, namespace: &str, waits: &mut BTreeMap<String, Vec<Waits>>) -> Result<()> {
        self.add_kept(namespace, waits, Job::waits, |waits| &waits.to).await
    }

    /// Refuses workflows that would wait for themselves by way of others, with those that are kept beside them.
    pub(super) async fn refuse_wait_circles(&self, jobs: &[&Job]) -> Result<()> {
        let mut by_namespace: BTreeMap<&str, BTreeMap<String, Vec<Waits>>> = BTreeMap::new();
        for job in jobs {
            by_namespace.entry(&job.key.namespace).or_default().insert(job.key.name.clone(), job.waits());
        }
        for (namespace, mut waits) in by_namespace {
            self.add_kept_waits(namespace, &mut waits).await?;
            let found = wait_circle(&waits).map_err(|error| Error::Refused(error.to_string()))?;
            let Some(circle) = found else { continue };
            let error = FieldError {
                field: "tasks",
                code: NEED_CIRCLE,
                message: format!("workflows wait for each other at the same date: {circle}"),
                hint: Some("one of them may need the other one with at: previous".to_owned()),
            };
            let path = JobKey::new(namespace, circle.0[0].0.as_str()).to_string();
            return Err(Error::Invalid { path, trigger: None, error });
        }
        Ok(())
    }
}
