//! Workflows whose tasks start other jobs, beside what the store holds.

use std::collections::BTreeSet;

use mainspring_api::{ErrorCode, Problem, did_you_mean};
use mainspring_core::job::JobKey;

use crate::app::App;
use crate::convert::calls::{Calling, by_namespace, circles};
use crate::refusal::{Answer, Refusal};

/// Checks jobs that are to be saved, while those in `gone` are deleted. Answers warnings of tasks that start a job that does not exist.
///
/// # Errors
/// Jobs start each other in a circle.
pub(crate) async fn check(app: &App, jobs: &[Calling<'_>], gone: &BTreeSet<&JobKey>) -> Answer<Vec<Problem>> {
    let mut all = by_namespace(jobs);
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let given: BTreeSet<&JobKey> = jobs.iter().map(|it| &it.job.key).collect();
    for (namespace, calls) in &mut all {
        let known = given.iter().chain(gone).filter(|key| key.namespace == *namespace);
        known.for_each(|key| _ = calls.entry(key.name.clone()).or_default());
        app.control().add_kept_calls(namespace, calls).await?;
    }
    let found = circles(jobs, &all);
    if !found.is_empty() {
        return Err(Refusal::invalid(found));
    }
    let mut warnings = Vec::new();
    for calling in jobs {
        for (task, name) in calling.job.calls() {
            let key = JobKey::new(&calling.job.key.namespace, name);
            let there =
                given.contains(&key) || !gone.contains(&key) && app.control().store().job(&key).await?.is_some();
            if !there {
                let message = format!(
                    "there is no job \"{name}\" in namespace \"{}\": the task fails until there is",
                    key.namespace
                );
                let problem = Problem::new(ErrorCode::WorkflowCallUnknown, message).at(calling.pointer(task));
                let hint = did_you_mean(name, given.iter().map(|key| key.name.as_str()));
                warnings.push(Problem { hint, ..problem });
            }
        }
    }
    Ok(warnings)
}
