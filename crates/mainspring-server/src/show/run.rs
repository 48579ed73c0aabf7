//! Runs and attempts as the API shows them.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_api as api;
use mainspring_core::job::Job;
use mainspring_core::output::OutputRef;
use mainspring_core::routing::Shard;
use mainspring_core::run::{Origin, RunState};
use mainspring_core::workflow::TaskContext;
use mainspring_core::{JobId, JobVersion, Timestamp};
use mainspring_engine::control::Control;
use mainspring_store::{AttemptInfo, RunInfo, Store};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{count, instant};
use crate::refusal::Answer;

/// Shows runs, and reads each definition that they name once.
pub(crate) struct Runs<'a> {
    control: &'a Control,
    definitions: FxHashMap<(JobId, JobVersion, Option<String>), Option<Arc<Job>>>,
    /// What failovers have lost, once it was asked for.
    lost_through: Option<Vec<Timestamp>>,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(control: &'a Control) -> Self {
        Self { control, definitions: FxHashMap::default(), lost_through: None }
    }

    pub(crate) async fn show_all(&mut self, runs: Vec<RunInfo>) -> Answer<Vec<api::Run>> {
        let mut shown = Vec::with_capacity(runs.len());
        for run in runs {
            shown.push(self.show(run).await?);
        }
        Ok(shown)
    }

    pub(crate) async fn show(&mut self, run: RunInfo) -> Answer<api::Run> {
        let definition = self.definition(run.job, version_of(&run)).await?;
        let recovered =
            run.origin != Origin::Imported && is_recovered(run.due_at, run.created_at, self.lost_through().await?);
        let first_start = match run.attempt {
            0 | 1 => run.started_at,
            _ => self.control.store().attempts(run.id).await?.first().and_then(|first| first.started_at),
        };
        let logical_date = self.control.logical_date(&run).await?;
        let fired = run.origin.has_fire_time();
        let output_ref = run.output.as_deref().and_then(OutputRef::from_text);
        let output = run.output.filter(|_| output_ref.is_none());
        // The store learns of the start with the end; until then the claim is the nearest that is known.
        // A run that is split has no attempts: it starts with its shards.
        let is_known_later = run.attempt == 1 && !run.state.is_final();
        let claimed = run.claimed_at.filter(|_| run.attempt == 0 || is_known_later);
        let input = match definition.as_deref() {
            Some(job) if run.task.is_some() => task_input(job, run.input.as_deref()),
            job => input(job, run.input.as_deref()),
        };
        let whole = run.parent.is_none() && !run.origin.is_of_the_past();
        let within = definition.as_ref().and_then(|job| job.deadline_ms).filter(|_| whole);
        let deadline = within.map(|ms| run.fire_time + ms);
        Ok(api::Run {
            id: run.id.to_string(),
            namespace: run.key.namespace,
            job: run.key.name,
            job_version: count(run.job_version.0),
            labels: definition.as_ref().map(|job| job.labels.clone()).unwrap_or_default(),
            trigger: run.trigger_name,
            origin: origin(run.origin),
            state: run.state.into(),
            reason: reason(run.reason, run.error),
            fire_at: fired.then(|| instant(run.fire_time)),
            logical_date: logical_date.map(instant),
            due_at: fired.then(|| instant(run.due_at)),
            created_at: instant(run.created_at),
            not_before: run.not_before.map(instant),
            expires_at: run.expires_at.filter(|_| run.state != RunState::Running).map(instant),
            started_at: first_start.or(claimed).map(instant),
            ended_at: run.ended_at.filter(|_| run.state.is_final()).map(instant),
            deadline_at: deadline.map(instant),
            deadline_missed: false,
            cancel_requested_at: run.cancel_requested_at.map(instant),
            lateness_ms: first_start.map(|at| at.since(run.due_at)),
            attempt: run.attempt,
            attempts_max: definition.as_ref().map_or(1, |job| job.retry.count.saturating_add(1)).max(run.attempt),
            queue: run.queue,
            priority: run.priority,
            worker: run.worker,
            node: run.node,
            exit_code: run.exit_code,
            input,
            output_ref: output_ref.map(|apart| api::OutputRef { bytes: apart.bytes, sha256: apart.sha256 }),
            output: output.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))),
            rerun_of: run.rerun_of.map(|id| id.to_string()),
            rerun_as: None,
            cause: run.cause.map(|id| id.to_string()),
            caller: run.caller.map(|caller| api::RunCaller { run: caller.run.to_string(), task: caller.task }),
            parent: run.parent.map(|id| id.to_string()),
            task: run.task,
            tasks: None,
            paused: false,
            shard: run.shard.map(shard),
            recovered,
        })
    }

    /// The labels of what a run executes; none if retention has deleted its version.
    pub(crate) async fn labels(&mut self, run: &RunInfo) -> Answer<BTreeMap<String, String>> {
        let definition = self.definition(run.job, version_of(run)).await?;
        Ok(definition.map(|job| job.labels.clone()).unwrap_or_default())
    }

    async fn lost_through(&mut self) -> Answer<&[Timestamp]> {
        if self.lost_through.is_none() {
            self.lost_through = Some(self.control.store().lost_through().await?);
        }
        Ok(self.lost_through.as_deref().unwrap_or_default())
    }

    /// `None` if retention has deleted it.
    async fn definition(
        &mut self,
        job: JobId,
        (version, task): (JobVersion, Option<String>),
    ) -> Answer<Option<Arc<Job>>> {
        let key = (job, version, task);
        if let Some(known) = self.definitions.get(&key) {
            return Ok(known.clone());
        }
        let read = definition(&**self.control.store(), job, version, key.2.as_deref()).await?;
        self.definitions.insert(key, read.clone());
        Ok(read)
    }
}

/// The version that a run executes, and which task of it.
fn version_of(run: &RunInfo) -> (JobVersion, Option<String>) {
    let task = run.task.as_deref().map(|name| name.split('[').next().unwrap_or(name).to_owned());
    (run.job_version, task)
}

/// What a run executes: its job, or one of its job's tasks. `None` if retention has deleted it.
pub(crate) async fn definition_of(store: &dyn Store, run: &RunInfo) -> Answer<Option<Arc<Job>>> {
    let (version, task) = version_of(run);
    definition(store, run.job, version, task.as_deref()).await
}

/// The labels that the task has of its own which a run executes. None of a run that is not of a task.
pub(crate) async fn own_labels(store: &dyn Store, run: &RunInfo) -> Answer<BTreeMap<String, String>> {
    let (version, Some(task)) = version_of(run) else { return Ok(BTreeMap::new()) };
    let whole = definition(store, run.job, version, None).await?;
    let number = whole.as_ref().and_then(|whole| whole.workflow()?.find(&task));
    let own = whole.iter().zip(number).flat_map(|(whole, number)| whole.own_labels(version.of_task(number)));
    Ok(own.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

async fn definition(
    store: &dyn Store,
    job: JobId,
    version: JobVersion,
    task: Option<&str>,
) -> Answer<Option<Arc<Job>>> {
    let whole = match store.definition(job, version).await {
        Ok(definition) => definition,
        Err(mainspring_store::Error::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let Some(task) = task else { return Ok(Some(whole)) };
    let number = whole.workflow().and_then(|workflow| workflow.find(task));
    Ok(number.and_then(|number| whole.part(version.of_task(number))).cloned().map(Arc::new))
}

/// Whether a run may have been made before: it was due by the last record that a failover has lost, and recorded later.
fn is_recovered(due_at: Timestamp, created_at: Timestamp, lost_through: &[Timestamp]) -> bool {
    lost_through.iter().any(|lost| due_at <= *lost && *lost < created_at)
}

/// Which shard a run is.
pub(crate) fn shard(shard: Shard) -> api::RunShard {
    api::RunShard { index: shard.index, total: shard.total }
}

/// A run in brief. Its start is that of the newest attempt.
pub(crate) fn summary(run: &RunInfo) -> api::RunSummary {
    let fired = run.origin.has_fire_time();
    api::RunSummary {
        id: run.id.to_string(),
        state: run.state.into(),
        fire_at: fired.then(|| instant(run.fire_time)),
        started_at: run.started_at.map(instant),
        ended_at: run.ended_at.filter(|_| run.state.is_final()).map(instant),
    }
}

/// `None` for an attempt that nobody has claimed.
pub(crate) fn attempt(run: &RunInfo, attempt: AttemptInfo) -> Option<api::Attempt> {
    Some(api::Attempt {
        run: run.id.to_string(),
        number: attempt.attempt,
        state: attempt.outcome.map_or(api::AttemptState::Running, Into::into),
        reason: reason(attempt.error_code, attempt.error),
        worker: run.worker.clone().filter(|_| attempt.attempt == run.attempt),
        node: run.node.clone().filter(|_| attempt.attempt == run.attempt),
        claimed_at: instant(attempt.claimed_at.or(attempt.started_at)?),
        started_at: attempt.started_at.map(instant),
        ended_at: attempt.ended_at.map(instant),
        exit_code: attempt.exit_code,
        signal: attempt.signal,
    })
}

fn origin(origin: Origin) -> api::Origin {
    match origin {
        Origin::Schedule => api::Origin::Schedule,
        Origin::Manual => api::Origin::Manual,
        Origin::Api => api::Origin::Api,
        Origin::Rerun => api::Origin::Retry,
        Origin::Parent => api::Origin::Parent,
        Origin::Misfire => api::Origin::Misfire,
        Origin::Backfill => api::Origin::Backfill,
        Origin::After => api::Origin::After,
        Origin::Imported => api::Origin::Imported,
    }
}

/// One line of the word for programs and the sentence for people.
pub(crate) fn reason(word: Option<String>, sentence: Option<String>) -> Option<String> {
    match (word, sentence) {
        (Some(word), Some(sentence)) if word != sentence => Some(format!("{word}: {sentence}")),
        (word, sentence) => sentence.or(word),
    }
}

/// What the run of a task receives; nothing if an expression in it has no value.
fn task_input(job: &Job, context: Option<&str>) -> Option<Value> {
    let rendered = job.rendered(&TaskContext::from_input(context)?).ok()?;
    Some(rendered.input).filter(|input| !input.is_null())
}

/// What the run receives: what was given with it over what its job says, key by key where both are objects.
fn input(job: Option<&Job>, given: Option<&str>) -> Option<Value> {
    let base = job.map(|job| job.input.clone()).unwrap_or_default();
    let given: Option<Value> = given.and_then(|text| serde_json::from_str(text).ok());
    let merged = match (base, given) {
        (base, None | Some(Value::Null)) => base,
        (Value::Object(mut base), Some(Value::Object(over))) => {
            base.extend(over);
            Value::Object(base)
        }
        (_, Some(over)) => over,
    };
    (!merged.is_null()).then_some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_is_recovered_if_a_failover_came_between_its_due_time_and_its_record() {
        let at = Timestamp::from_millis;
        // Due, recorded, through when records were lost.
        for (due, created, lost, expected) in [
            (1_000, 1_002, &[][..], false),
            (1_000, 9_000, &[], false),
            (1_000, 9_000, &[5_000], true),
            (5_000, 9_000, &[5_000], true),
            (5_001, 9_000, &[5_000], false),
            (1_000, 5_000, &[5_000], false),
            (1_000, 9_000, &[500, 20_000, 5_000], true),
        ] {
            let lost: Vec<Timestamp> = lost.iter().copied().map(at).collect();
            assert_eq!(is_recovered(at(due), at(created), &lost), expected, "{due} {created} {lost:?}");
        }
    }
}
