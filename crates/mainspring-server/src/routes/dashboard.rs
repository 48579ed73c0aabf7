//! The whole at a glance.

use axum::Json;
use axum::extract::State;
use mainspring_api::{Dashboard, DashboardFilter, routes};
use utoipa_axum::routes;

use super::{Route, named_namespace};
use crate::app::App;
use crate::dashboard::{self, Range};
use crate::extract::QueryOf;
use crate::refusal::Answer;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(dashboard))]
}

/// Returns what happened lately and will happen soon, and what somebody should look at. Reads what is counted already, never history.
#[utoipa::path(get, path = routes::DASHBOARD, tag = "cluster", params(DashboardFilter), responses((status = 200, body = Dashboard)))]
async fn dashboard(State(app): State<App>, QueryOf(asked): QueryOf<DashboardFilter>) -> Answer<Json<Dashboard>> {
    let range = Range::of(asked.range.as_deref())?;
    let namespace = asked.namespace.as_deref().and_then(named_namespace).map(str::to_owned);
    let made = dashboard::dashboard(&app, range, namespace).await?;
    Ok(Json(Dashboard::clone(&made)))
}
