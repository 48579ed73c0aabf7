//! Runs that another scheduler has executed.

use axum::Json;
use axum::extract::State;
use mainspring_api::{self as api, PastRunsAdded, routes};
use mainspring_core::Timestamp;
use mainspring_core::job::JobKey;
use utoipa_axum::routes;

use super::{Route, jobs};
use crate::app::App;
use crate::convert::past;
use crate::extract::{Body, PathOf};
use crate::refusal::{Answer, Refusal};

pub(super) fn routes() -> Vec<Route> {
    vec![Route::edit(routes!(add)).large()]
}

/// Adds runs that another scheduler has executed to the history of a job. They start nothing, and nobody is told of them; what is there
/// already is not added again.
#[utoipa::path(post, path = routes::PAST_RUNS, tag = "runs", params(("namespace" = String, Path), ("job" = String, Path)),
    request_body = api::PastRuns, responses((status = 200, body = PastRunsAdded)))]
async fn add(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    Body(asked): Body<api::PastRuns>,
) -> Answer<Json<PastRunsAdded>> {
    let now: Timestamp = app.now();
    let problems = past::problems(&asked, now);
    if !problems.is_empty() {
        return Err(Refusal::invalid(problems));
    }
    let row = jobs::find(&app, &JobKey::new(namespace, name)).await?;
    let runs = past::runs(&asked, &row, now);
    let (brought, source) = (runs.runs.len(), asked.source);
    let added = app.control().store().add_past_runs(runs).await?;
    let added = added.iter().filter(|is_new| **is_new).count();
    tracing::info!(job = %row.definition.key, source, added, "runs of another scheduler are brought");
    let known = u64::try_from(brought - added).unwrap_or(u64::MAX);
    Ok(Json(PastRunsAdded { added: u64::try_from(added).unwrap_or(u64::MAX), known }))
}
