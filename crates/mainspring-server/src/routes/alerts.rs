//! Alerts: where they are sent, what is told to whom, what is not told for a while, what is wrong, and what was sent.

mod channels;
mod rules;
mod silences;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use mainspring_api::{AlertDelivery, AlertDeliveryFilter, AlertFilter, ErrorCode, OpenAlert, Page, routes};
use mainspring_store::{Document, DocumentExpect};
use utoipa_axum::routes;

use super::Route;
use crate::alerts;
use crate::app::App;
use crate::extract::{PathOf, QueryOf};
use crate::refusal::{Answer, Refusal};

/// Channels, rules and silences of a cluster, each.
const DOCUMENTS_MAX: u32 = 1_000;

pub(super) fn routes() -> Vec<Route> {
    let own = [Route::view(routes!(list)), Route::view(routes!(deliveries)), Route::operate(routes!(redeliver))];
    own.into_iter().chain(channels::routes()).chain(rules::routes()).chain(silences::routes()).collect()
}

/// Lists what is wrong with jobs now that a rule wants to be told, by job.
#[utoipa::path(get, path = routes::ALERTS, tag = "alerts", params(AlertFilter), responses((status = 200, body = Vec<OpenAlert>)))]
async fn list(State(app): State<App>, QueryOf(filter): QueryOf<AlertFilter>) -> Answer<Json<Vec<OpenAlert>>> {
    let mut open = alerts::open_alerts(&app).await?;
    open.retain(|alert| {
        filter.namespace.as_ref().is_none_or(|namespace| *namespace == alert.namespace)
            && filter.job.as_ref().is_none_or(|job| *job == alert.job)
    });
    Ok(Json(open))
}

/// Lists messages that were sent or are to be sent, newest first.
#[utoipa::path(get, path = routes::ALERT_DELIVERIES, tag = "alerts", params(AlertDeliveryFilter),
    responses((status = 200, body = Page<AlertDelivery>)))]
async fn deliveries(
    State(app): State<App>,
    QueryOf(filter): QueryOf<AlertDeliveryFilter>,
) -> Answer<Json<Page<AlertDelivery>>> {
    alerts::list(&app, &filter).await.map(Json)
}

/// Sends a message again that was delivered or given up.
#[utoipa::path(post, path = routes::ALERT_REDELIVERY, tag = "alerts", params(("delivery" = String, Path)),
    responses((status = 202, body = AlertDelivery)))]
async fn redeliver(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<(StatusCode, Json<AlertDelivery>)> {
    needs_calls(&app)?;
    Ok((StatusCode::ACCEPTED, Json(alerts::redeliver(&app, &id).await?)))
}

/// Refuses where nothing is sent.
fn needs_calls(app: &App) -> Answer<()> {
    match app.engine.makes_calls() {
        true => Ok(()),
        false => Err(Refusal::new(ErrorCode::AlertDisabled, "this node executes no HTTP tasks, nor sends alerts")),
    }
}

/// Writes a document of which a version was seen, or none.
async fn written(app: &App, kind: &str, name: String, body: String, before: Option<i64>) -> Answer<Document> {
    let (store, now) = (app.control().store(), app.now());
    if before.is_none() && store.documents(kind, None, now, DOCUMENTS_MAX).await?.len() >= DOCUMENTS_MAX as usize {
        return Err(Refusal::new(ErrorCode::AlertLimit, format!("there are {DOCUMENTS_MAX} of them")));
    }
    let expect = before.map_or(DocumentExpect::Absent, DocumentExpect::Version);
    let document = Document { kind: kind.to_owned(), name, body, version: 0, at: now, expires_at: None };
    let conflict = || Refusal::new(ErrorCode::ResourceConflict, "it was changed by somebody else just now");
    store.put_document(document, expect).await?.ok_or_else(conflict)
}

fn number(version: i64) -> u64 {
    version.unsigned_abs()
}
