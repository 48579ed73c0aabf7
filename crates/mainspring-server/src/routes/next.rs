//! The next fire times of all triggers.

use axum::Json;
use axum::extract::State;
use mainspring_api::{NextFilter, NextFire, RunSummary, routes};
use mainspring_core::JobId;
use mainspring_core::job::JobKey;
use mainspring_store::RunQuery;
use rustc_hash::FxHashMap;
use utoipa_axum::routes;

use super::{DEFAULT_NAMESPACE, Route, jobs, namespaces};
use crate::app::App;
use crate::extract::QueryOf;
use crate::pages;
use crate::refusal::Answer;
use crate::show::{from_wire, instant, summary};
use crate::words::{self, Reads};

const DAY_MS: i64 = 86_400_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(next))]
}

/// Lists fire times to come, earliest first.
#[utoipa::path(get, path = routes::NEXT, tag = "schedules", params(NextFilter), responses((status = 200, body = Vec<NextFire>)))]
async fn next(
    State(app): State<App>,
    QueryOf(filter): QueryOf<NextFilter>,
    Reads(language): Reads,
) -> Answer<Json<Vec<NextFire>>> {
    let limit = pages::limit(filter.limit)?;
    let until = filter.until.map_or_else(|| app.now() + DAY_MS, from_wire);
    let job = filter.job.as_ref().map(|name| {
        let namespace = filter.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE);
        JobKey::new(namespace, name)
    });
    match (&job, &filter.namespace) {
        (Some(key), _) => drop(jobs::find(&app, key).await?),
        (None, Some(namespace)) => namespaces::must_exist(&app, namespace).await?,
        (None, None) => {}
    }
    let upcoming = app.control().upcoming(filter.namespace.as_deref(), job.as_ref(), until, limit).await?;
    let mut last_runs: FxHashMap<JobId, Option<RunSummary>> = FxHashMap::default();
    let mut fires = Vec::with_capacity(upcoming.len());
    for fire in upcoming {
        let Some(trigger) = fire.job.definition.triggers.get(fire.trigger.row.index as usize) else { continue };
        let last_run = match last_runs.get(&fire.job.id) {
            Some(known) => known.clone(),
            None => {
                let newest = RunQuery { job: Some(fire.job.id), limit: 1, ..RunQuery::default() };
                let newest = app.control().store().runs(newest).await?.first().map(summary);
                last_runs.insert(fire.job.id, newest.clone());
                newest
            }
        };
        fires.push(NextFire {
            fire_at: instant(fire.fire_time),
            due_at: instant(fire.due_at),
            namespace: fire.job.definition.key.namespace.clone(),
            job: fire.job.definition.key.name.clone(),
            trigger: fire.trigger.name,
            explanation: words::explain(trigger, language),
            timezone: trigger.timezone.clone(),
            last_run,
        });
    }
    Ok(Json(fires))
}
