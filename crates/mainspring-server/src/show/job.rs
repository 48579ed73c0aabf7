//! Jobs as the API shows them.

use mainspring_api as api;
use mainspring_core::run::RunState;
use mainspring_store::{JobRow, RunQuery, Store, TriggerQuery};

use super::{count, instant, summary};
use crate::convert;
use crate::refusal::Answer;

/// Unfinished runs are counted up to here.
const COUNTED_MAX: u32 = 1_000;

/// What a job's view needs beside its row.
#[derive(Default)]
pub(crate) struct JobView {
    pub(crate) active_runs: u32,
    pub(crate) next_fire_at: Option<mainspring_schedule::Timestamp>,
    pub(crate) last_run: Option<api::RunSummary>,
}

impl JobView {
    /// Reads it.
    pub(crate) async fn read(store: &dyn Store, job: &JobRow) -> Answer<Self> {
        let newest = RunQuery { job: Some(job.id), limit: 1, ..RunQuery::default() };
        let key = &job.definition.key;
        let query = TriggerQuery {
            namespace: Some(key.namespace.clone()),
            job: Some(key.name.clone()),
            after: None,
            limit: COUNTED_MAX,
        };
        let triggers = match job.definition.triggers.is_empty() {
            true => Vec::new(),
            false => store.triggers(query).await?,
        };
        let awake = triggers.iter().filter(|info| !info.trigger.row.paused);
        Ok(Self {
            active_runs: Self::active_runs(store, job).await?,
            next_fire_at: awake.filter_map(|info| info.trigger.row.progress.next_fire_at).min(),
            last_run: store.runs(newest).await?.first().map(summary),
        })
    }

    /// Counts a job's unfinished runs, up to 1,000.
    pub(crate) async fn active_runs(store: &dyn Store, job: &JobRow) -> Answer<u32> {
        let states = RunState::ALL.iter().copied().filter(|state| !state.is_final()).collect();
        let query = RunQuery { job: Some(job.id), states, limit: COUNTED_MAX, ..RunQuery::default() };
        Ok(u32::try_from(store.runs(query).await?.len()).unwrap_or(COUNTED_MAX))
    }
}

/// Shows a job.
pub(crate) fn job(row: &JobRow, view: JobView) -> api::Job {
    let key = &row.definition.key;
    api::Job {
        id: row.id.to_string(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        version: count(row.version.0),
        spec: convert::job_spec(&row.definition),
        paused: row.paused,
        pause_reason: None,
        active_runs: view.active_runs,
        next_fire_at: view.next_fire_at.map(instant),
        last_run: view.last_run,
        created_at: instant(row.created_at),
        updated_at: instant(row.updated_at),
        warnings: Vec::new(),
    }
}
