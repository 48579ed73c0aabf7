//! Running a workflow run again together with what depends on its date in other workflows.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::{Extension, Json};
use mainspring_api::{self as api, Rerun, routes};
use mainspring_engine::control::{CascadePlan, Cascaded};
use utoipa_axum::routes;

use super::{Route, backfills, reruns, runs};
use crate::access::Caller;
use crate::app::App;
use crate::extract::{OptionalBody, PathOf, large_json, off_thread};
use crate::plans::{self, Remembered};
use crate::refusal::Answer;

/// Dates of other workflows that a plan shows.
const SHOWN_MAX: usize = 1_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::operate(routes!(start_cascade)).repeatable(), Route::view(routes!(plan_cascade))]
}

/// Runs tasks of a workflow run again that is over, and then what depends on it in other workflows, by logical date. The answer is a
/// backfill of the run's date, which makes the new run; those of other workflows name it as `cascade_of`.
#[utoipa::path(post, path = routes::RUN_CASCADE, tag = "runs", params(("run" = String, Path)), request_body = Option<Rerun>,
    responses((status = 201, body = api::Backfill)))]
async fn start_cascade(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    Extension(caller): Extension<Caller>,
    OptionalBody(asked): OptionalBody<Rerun>,
) -> Answer<(StatusCode, Json<api::Backfill>)> {
    runs::must_start(&app)?;
    let before = reruns::find(&app, &run).await?;
    let by = backfills::by(&caller, asked.by.clone())?;
    let ask = reruns::ask(&asked)?;
    match app.control().rerun_cascade(before.id, &ask, asked.plan.as_deref(), Some(by)).await? {
        Cascaded::Started(row) => {
            tracing::info!(
                backfill.id = row.id,
                rerun.of = run,
                reason = asked.reason,
                "rerun with dependants asked for"
            );
            Ok((StatusCode::CREATED, Json(backfills::shown(*row))))
        }
        Cascaded::Stale(now) => {
            let hash = asked.plan.as_deref().unwrap_or_default();
            Err(plans::stale_cascade(hash, plans::find(&app, hash).await?.as_ref(), &now))
        }
    }
}

/// Says what such a rerun would do with each task of the run, and with which dates of other workflows. Nothing is changed.
#[utoipa::path(post, path = routes::RUN_CASCADE_PLAN, tag = "runs", params(("run" = String, Path)), request_body = Option<Rerun>,
    responses((status = 200, body = api::RerunPlan)))]
async fn plan_cascade(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    OptionalBody(asked): OptionalBody<Rerun>,
) -> Answer<Response> {
    let run = reruns::find(&app, &run).await?;
    let ask = reruns::ask(&asked)?;
    let plan = app.control().plan_cascade(run.id, &ask).await?;
    if let Some(hash) = asked.plan.as_deref().filter(|hash| *hash != plan.rerun.hash) {
        return Err(plans::stale_cascade(hash, plans::find(&app, hash).await?.as_ref(), &plan));
    }
    let (shown, remembered) = off_thread(move || Ok((shown(&plan), Remembered::of_cascade(&plan)))).await?;
    plans::remember(&app, &shown.plan, remembered).await?;
    large_json(shown).await
}

fn shown(plan: &CascadePlan) -> api::RerunPlan {
    let specs: Vec<_> = plan.backfill.below.iter().map(|plan| &plan.spec).collect();
    let rows = plan.backfill.rows_below().into_iter().take(SHOWN_MAX);
    api::RerunPlan {
        below: Some(backfills::actions(&specs)),
        dependants: rows.map(|(key, trigger, row)| backfills::shown_row(Some((key, trigger)), row)).collect(),
        ..reruns::shown(&plan.rerun)
    }
}
