//! What is not told for a while.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use mainspring_api::{AlertSilence, AlertSilenceSpec, ErrorCode, Problem, Reason, is_valid_name, routes};
use mainspring_core::alert::Scope;
use mainspring_schedule::Timestamp;
use mainspring_store::{Document, DocumentExpect};
use utoipa_axum::routes;

use super::Route;
use crate::access::{Caller, to_hex};
use crate::alerts::{SILENCE, Silence};
use crate::app::App;
use crate::extract::{Body, PathOf};
use crate::layers::DONE;
use crate::pauses;
use crate::refusal::{Answer, Refusal};

/// The longest silence, in milliseconds: 400 days.
const LONGEST_MS: i64 = 400 * 86_400_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(silences)), Route::operate(routes!(silence)), Route::operate(routes!(end_silence))]
}

/// Lists the silences that hold.
#[utoipa::path(get, path = routes::ALERT_SILENCES, tag = "alerts", responses((status = 200, body = Vec<AlertSilence>)))]
async fn silences(State(app): State<App>) -> Answer<Json<Vec<AlertSilence>>> {
    let found = app.control().store().documents(SILENCE, None, app.now(), super::DOCUMENTS_MAX).await?;
    let read = |document: &Document| Some(serde_json::from_str::<Silence>(&document.body).ok()?.shown(document));
    Ok(Json(found.iter().filter_map(read).collect()))
}

/// Silences alerts until an instant: what begins is told when the silence ends, if it lasts until then.
#[utoipa::path(post, path = routes::ALERT_SILENCES, tag = "alerts", request_body = AlertSilenceSpec,
    responses((status = 201, body = AlertSilence)))]
async fn silence(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Body(spec): Body<AlertSilenceSpec>,
) -> Answer<(StatusCode, Json<AlertSilence>)> {
    let now = app.now();
    let until = Timestamp::from_millis(spec.until.as_millis());
    let labels = check(&spec, until, now)?;
    let by = pauses::by(&caller, &Reason { reason: Some(spec.reason.clone()), by: spec.by })?;
    let store = app.control().store();
    if store.documents(SILENCE, None, now, super::DOCUMENTS_MAX).await?.len() >= super::DOCUMENTS_MAX as usize {
        return Err(Refusal::new(ErrorCode::AlertLimit, format!("{} silences hold", super::DOCUMENTS_MAX)));
    }
    let scope = Scope { namespace: spec.namespace, job: spec.job, labels };
    let silence = Silence { scope, until, reason: spec.reason, by };
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    let body = serde_json::to_string(&silence).expect("plain data has a text");
    let (kind, name) = (SILENCE.to_owned(), to_hex(&bytes));
    let document = Document { kind, name, body, version: 0, at: now, expires_at: Some(until) };
    store.put_document(document.clone(), DocumentExpect::Absent).await?;
    app.alerts.changed.notify_one();
    tracing::info!(silence = document.name, by = silence.by, %until, reason = silence.reason, "alerts are silenced");
    Ok((StatusCode::CREATED, Json(silence.shown(&document))))
}

/// Ends a silence.
#[utoipa::path(delete, path = routes::ALERT_SILENCE, tag = "alerts", params(("silence" = String, Path)), responses((status = 204)))]
async fn end_silence(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<StatusCode> {
    let store = app.control().store();
    let there = store.document(SILENCE, &id, app.now()).await?;
    if there.is_none() || !store.remove_document(SILENCE, &id).await? {
        return Err(Refusal::new(ErrorCode::AlertSilenceNotFound, format!("no silence {id:?} holds")));
    }
    app.alerts.changed.notify_one();
    tracing::info!(silence = id, "a silence of alerts was ended");
    Ok(DONE)
}

fn check(spec: &AlertSilenceSpec, until: Timestamp, now: Timestamp) -> Answer<BTreeMap<String, String>> {
    let mut problems = Vec::new();
    let mut wrong =
        |message: &str, pointer: &str| problems.push(Problem::new(ErrorCode::FieldValue, message).at(pointer));
    for (pointer, name) in [("/namespace", &spec.namespace), ("/job", &spec.job)] {
        if name.as_ref().is_some_and(|name| !is_valid_name(name)) {
            wrong("this cannot be a name", pointer);
        }
    }
    if spec.job.is_some() && spec.namespace.is_none() {
        wrong("a job is named with its namespace", "/job");
    }
    if until <= now {
        wrong("the silence would be over already", "/until");
    } else if until.since(now) > LONGEST_MS {
        wrong("a silence lasts 400 days at most", "/until");
    }
    if spec.reason.trim().is_empty() {
        wrong("say why: others will ask", "/reason");
    }
    let label = spec.label.as_ref().map(|label| label.split_once('='));
    let labels = match label {
        Some(Some((key, value))) => BTreeMap::from([(key.to_owned(), value.to_owned())]),
        Some(None) => {
            wrong("a label is written KEY=VALUE", "/label");
            BTreeMap::new()
        }
        None => BTreeMap::new(),
    };
    if problems.is_empty() { Ok(labels) } else { Err(Refusal::invalid(problems)) }
}
