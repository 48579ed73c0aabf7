//! Jobs as the API shows them.

use mainspring_api as api;
use mainspring_core::run::RunState;
use mainspring_schedule::Lang;
use mainspring_store::{JobDigest, JobRow, RunDigest, RunQuery, Store};

use super::{count, instant};
use crate::app::App;
use crate::convert;
use crate::pauses::{self, Pause, Paused};
use crate::refusal::Answer;
use crate::words;

/// Unfinished runs are counted up to here.
const COUNTED_MAX: u32 = 1_000;

/// What a job's view needs beside its row.
#[derive(Default)]
pub(crate) struct JobView {
    pub(crate) active_runs: u32,
    pub(crate) next_fire_at: Option<mainspring_schedule::Timestamp>,
    pub(crate) last_run: Option<api::RunSummary>,
    pub(crate) recent: Vec<api::RunSummary>,
    pub(crate) pause: Option<Pause>,
    pub(crate) open_alerts: Vec<api::OpenAlert>,
    /// Jobs that start when its runs end.
    pub(crate) followed_by: Vec<String>,
}

impl JobView {
    /// Reads it.
    pub(crate) async fn read(app: &App, job: &JobRow) -> Answer<Self> {
        let digests = app.control().store().job_digests(vec![job.id], 1).await?;
        let view = digests.first().map(|digest| Self::of(digest, 0)).unwrap_or_default();
        let pause = if job.paused { pauses::find(app, Paused::Job(job.id)).await? } else { None };
        let open_alerts = crate::alerts::open_of(app, job).await?;
        let key = &job.definition.key;
        let edges = app.control().store().after_edges(&key.namespace).await?;
        let mut followed_by: Vec<String> =
            edges.into_iter().filter(|edge| edge.upstream == key.name).map(|edge| edge.job).collect();
        followed_by.dedup();
        Ok(Self { pause, open_alerts, followed_by, ..view })
    }

    /// Makes it of what the store says in brief, with so many of the newest runs.
    pub(crate) fn of(digest: &JobDigest, recent: u32) -> Self {
        let runs = || digest.recent.iter().map(brief);
        Self {
            active_runs: digest.active,
            next_fire_at: digest.next_fire_at,
            last_run: runs().next(),
            recent: runs().take(recent as usize).collect(),
            pause: None,
            open_alerts: Vec::new(),
            followed_by: Vec::new(),
        }
    }

    /// Counts a job's unfinished runs, up to 1,000.
    pub(crate) async fn active_runs(store: &dyn Store, job: &JobRow) -> Answer<u32> {
        let states = RunState::ALL.iter().copied().filter(|state| !state.is_final()).collect();
        let query = RunQuery { job: Some(job.id), states, limit: COUNTED_MAX, ..RunQuery::default() };
        Ok(u32::try_from(store.runs(query).await?.len()).unwrap_or(COUNTED_MAX))
    }
}

/// A run in brief.
fn brief(run: &RunDigest) -> api::RunSummary {
    let fired = run.origin.has_fire_time();
    api::RunSummary {
        id: run.id.to_string(),
        state: run.state.into(),
        fire_at: fired.then(|| instant(run.fire_time)),
        started_at: run.started_at.map(instant),
        ended_at: run.ended_at.map(instant),
    }
}

/// Shows a job, its triggers also in words.
pub(crate) fn job(row: &JobRow, view: JobView, language: Lang) -> api::Job {
    let key = &row.definition.key;
    let Pause { at, by, reason } = view.pause.unwrap_or_default();
    api::Job {
        id: row.id.to_string(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        version: count(row.version.0),
        spec: convert::job_spec(&row.definition),
        paused: row.paused,
        pause_reason: reason,
        paused_at: at,
        paused_by: by,
        active_runs: view.active_runs,
        next_fire_at: view.next_fire_at.map(instant),
        last_run: view.last_run,
        recent: view.recent,
        open_alerts: view.open_alerts,
        explanations: row.definition.triggers.iter().map(|trigger| words::explain(trigger, language)).collect(),
        followed_by: view.followed_by,
        created_at: instant(row.created_at),
        updated_at: instant(row.updated_at),
        warnings: Vec::new(),
    }
}
