//! What is said between nodes and workers, as the protocol has it.

use mainspring_api::{AttemptState, WorkerEnd, WorkerHolding, WorkerPoll, WorkerRun, WorkerTask};
use mainspring_core::run::AttemptOutcome;
use mainspring_core::{RunId, Timestamp};

use super::Given;

pub(super) fn named(poll: &WorkerPoll) -> Vec<(RunId, u32)> {
    poll.runs.iter().filter_map(|holding| Some((holding.run.parse().ok()?, holding.attempt))).collect()
}

pub(super) fn key_of(end: &WorkerEnd) -> Option<(RunId, u32)> {
    Some((end.run.parse().ok()?, end.attempt))
}

/// A run as it is told to a worker.
pub(super) fn offered(given: &Given) -> WorkerRun {
    let at = |at: Timestamp| mainspring_api::Timestamp::from_millis(at.as_millis());
    WorkerRun {
        run: given.start.run.to_string(),
        attempt: given.start.attempt,
        namespace: "default".into(),
        job: given.start.job.0.to_string(),
        fire_at: at(given.start.fire_time),
        due_at: at(given.start.due_at),
        task: WorkerTask::Noop,
        input: Default::default(),
        shard: None,
        env: std::collections::BTreeMap::new(),
        working_dir: None,
        leftovers: Default::default(),
        data: None,
        timeout_ms: None,
        shared: given.definition.may_be_given_away(),
    }
}

pub(crate) fn outcome_of(state: AttemptState) -> AttemptOutcome {
    state.outcome().unwrap_or(AttemptOutcome::Failed)
}

/// Names an attempt as workers do.
pub(crate) fn holding((run, attempt): (RunId, u32)) -> WorkerHolding {
    WorkerHolding { run: run.to_string(), attempt }
}
