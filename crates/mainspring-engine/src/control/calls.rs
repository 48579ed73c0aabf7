//! Which workflows start which jobs.

use std::collections::BTreeMap;

use mainspring_core::after::circle_text;
use mainspring_core::compile::FieldError;
use mainspring_core::job::{Job, JobKey};
use mainspring_core::workflow::call_circle;

use super::{Control, Error, Result};

/// The code of workflows that start each other for ever.
pub(crate) const CALL_CIRCLE: &str = "workflow.call_circle";

impl Control {
    /// Adds to what jobs of a namespace start by their tasks what those start in turn that are kept. Names that are there already are not
    /// looked up.
    ///
    /// # Errors
    /// The store could not say.
    pub async fn add_kept_calls(&self, namespace: &str, calls: &mut BTreeMap<String, Vec<String>>) -> Result<()> {
        let of = |job: &Job| job.calls().map(|(_, to)| to.to_owned()).collect();
        self.add_kept(namespace, calls, of, String::as_str).await
    }

    /// Adds to what jobs of a namespace lead to what those lead to in turn that are kept.
    pub(super) async fn add_kept<T>(
        &self,
        namespace: &str,
        known: &mut BTreeMap<String, Vec<T>>,
        of: impl Fn(&Job) -> Vec<T>,
        to: impl Fn(&T) -> &str,
    ) -> Result<()> {
        let mut open: Vec<String> = known.values().flatten().map(|it| to(it).to_owned()).collect();
        while let Some(name) = open.pop() {
            if known.contains_key(&name) {
                continue;
            }
            let row = self.store.job(&JobKey::new(namespace, &name)).await?;
            let its = row.map(|row| of(&row.definition)).unwrap_or_default();
            open.extend(its.iter().map(|it| to(it).to_owned()));
            known.insert(name, its);
        }
        Ok(())
    }

    /// Refuses workflows that would start themselves by way of others, with those that are kept beside them.
    pub(super) async fn refuse_call_circles(&self, jobs: &[&Job]) -> Result<()> {
        let mut by_namespace: BTreeMap<&str, BTreeMap<String, Vec<String>>> = BTreeMap::new();
        for job in jobs {
            let calls = job.calls().map(|(_, name)| name.to_owned()).collect();
            by_namespace.entry(&job.key.namespace).or_default().insert(job.key.name.clone(), calls);
        }
        for (namespace, mut calls) in by_namespace {
            self.add_kept_calls(namespace, &mut calls).await?;
            let found = call_circle(&calls).map_err(|error| Error::Refused(error.to_string()))?;
            let Some(circle) = found else { continue };
            let names: Vec<&str> = circle.iter().map(String::as_str).collect();
            let error = FieldError {
                field: "tasks",
                code: CALL_CIRCLE,
                message: format!("workflows start each other in a circle: {}", circle_text(&names)),
                hint: Some("remove one of these tasks".to_owned()),
            };
            return Err(Error::Invalid { path: JobKey::new(namespace, names[0]).to_string(), trigger: None, error });
        }
        Ok(())
    }
}
