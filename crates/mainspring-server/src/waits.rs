//! Workflows whose tasks need others, beside what the store holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_api::{ErrorCode, Problem, did_you_mean};
use mainspring_core::job::{Job, JobKey};

use crate::app::App;
use crate::convert::calls::Calling;
use crate::convert::waits::{by_namespace, circles};
use crate::refusal::{Answer, Refusal};

/// Checks jobs that are to be saved, while those in `gone` are deleted. Answers warnings of needs that nothing is there for.
///
/// # Errors
/// Jobs wait for each other in a circle.
pub(crate) async fn check(app: &App, jobs: &[Calling<'_>], gone: &BTreeSet<&JobKey>) -> Answer<Vec<Problem>> {
    let mut all = by_namespace(jobs);
    let given: BTreeSet<&JobKey> = jobs.iter().map(|it| &it.job.key).collect();
    for (namespace, waits) in &mut all {
        let known = given.iter().chain(gone).filter(|key| key.namespace == *namespace);
        known.for_each(|key| _ = waits.entry(key.name.clone()).or_default());
        app.control().add_kept_waits(namespace, waits).await?;
    }
    let found = circles(jobs, &all);
    if !found.is_empty() {
        return Err(Refusal::invalid(found));
    }
    let mut others =
        Others { app, given: jobs.iter().map(|it| (&it.job.key, it.job)).collect(), gone, known: BTreeMap::new() };
    let mut warnings = Vec::new();
    for it in jobs {
        let first = it.job.first_needs_elsewhere();
        for (number, need) in it.job.needs_elsewhere() {
            let key = JobKey::new(&it.job.key.namespace, &need.workflow);
            let (message, hint) = match others.find(&key, need.task.as_deref()).await? {
                (false, _) => (
                    format!("there is no job \"{}\" in namespace \"{}\"", need.workflow, key.namespace),
                    did_you_mean(&need.workflow, given.iter().map(|key| key.name.as_str())),
                ),
                (true, false) => {
                    (format!("\"{}\" has no task \"{}\"", need.workflow, need.task.as_deref().unwrap_or("")), None)
                }
                (true, true) => continue,
            };
            let place =
                first.get(&number).map_or_else(|| it.place.clone(), |task| format!("{}/tasks/{task}/needs", it.place));
            let message = format!("{message}: what needs it waits until there is");
            let problem = Problem::new(ErrorCode::WorkflowNeedUnknown, message).at(place);
            warnings.push(Problem { hint, ..problem });
        }
    }
    Ok(warnings)
}

/// Jobs that others need.
struct Others<'a> {
    app: &'a App,
    given: BTreeMap<&'a JobKey, &'a Job>,
    gone: &'a BTreeSet<&'a JobKey>,
    /// Those that are kept, as far as they were read.
    known: BTreeMap<JobKey, Option<Arc<Job>>>,
}

impl Others<'_> {
    /// Whether there is a job, and whether it has a task.
    async fn find(&mut self, key: &JobKey, task: Option<&str>) -> Answer<(bool, bool)> {
        let has =
            |job: &Job| task.is_none_or(|task| job.workflow().is_some_and(|workflow| workflow.find(task).is_some()));
        if let Some(job) = self.given.get(key) {
            return Ok((true, has(job)));
        }
        if self.gone.contains(key) {
            return Ok((false, false));
        }
        if !self.known.contains_key(key) {
            let row = self.app.control().store().job(key).await?;
            self.known.insert(key.clone(), row.map(|row| row.definition));
        }
        Ok(self.known[key].as_ref().map_or((false, false), |job| (true, has(job))))
    }
}
