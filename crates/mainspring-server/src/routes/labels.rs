//! Limits of the runs of all jobs and tasks with a label.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use mainspring_api::{ErrorCode, LabelLimit, LabelSettings, Problem, routes};
use mainspring_core::queue::{QueueRule, label_of};
use utoipa_axum::routes;

use super::{Route, queues};
use crate::app::App;
use crate::extract::{Body, PathOf};
use crate::refusal::{Answer, Refusal};
use crate::why::FullLabel;

/// The longest label that can be limited, in bytes: it has to fit into a column.
const LABEL_MAX: usize = 200;

/// Runs that are named as those that count in a limit.
pub(super) const HOLDERS_MAX: u32 = 100;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(list)), Route::edit(routes!(put, delete))]
}

/// Lists the labels of jobs whose runs are limited, by name.
#[utoipa::path(get, path = routes::LABELS, tag = "labels", responses((status = 200, body = Vec<LabelLimit>)))]
async fn list(State(app): State<App>) -> Answer<Json<Vec<LabelLimit>>> {
    Ok(Json(limits(&app, |_, _| true).await?))
}

/// Limits how many runs of jobs and tasks with a label are executed at a time, from the next claim on.
#[utoipa::path(put, path = routes::LABEL, tag = "labels", params(("label" = String, Path)), request_body = LabelSettings,
    responses((status = 200, body = LabelLimit)))]
async fn put(
    State(app): State<App>,
    PathOf(label): PathOf<String>,
    Body(LabelSettings { max_running }): Body<LabelSettings>,
) -> Answer<Json<LabelLimit>> {
    check(&label, max_running)?;
    queues::set(&app, &label, |rule| QueueRule { max_running: Some(max_running), ..rule }).await?;
    Ok(Json(limit(&app, label, max_running).await?))
}

/// Removes the limit of a label.
#[utoipa::path(delete, path = routes::LABEL, tag = "labels", params(("label" = String, Path)), responses((status = 204)))]
async fn delete(State(app): State<App>, PathOf(label): PathOf<String>) -> Answer<StatusCode> {
    let is_it = |name: &str| label_of(name).is_some() && name == label;
    let rows = app.control().store().queues().await?;
    if !rows.iter().any(|row| is_it(&row.name) && row.rule.is_set()) {
        return Err(Refusal::new(ErrorCode::LabelNotFound, format!("nothing is set for the label {label}")));
    }
    queues::set(&app, &label, |_| QueueRule::default()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The limits of labels that are meant, by name and value.
async fn limits(app: &App, is_meant: impl Fn(&str, &str) -> bool) -> Answer<Vec<LabelLimit>> {
    let mut found = Vec::new();
    for row in app.control().store().queues().await? {
        let is_meant = label_of(&row.name).is_some_and(|(name, value)| is_meant(name, value));
        if let Some(max_running) = row.rule.max_running.filter(|_| is_meant) {
            found.push(limit(app, row.name, max_running).await?);
        }
    }
    Ok(found)
}

async fn limit(app: &App, label: String, max_running: u32) -> Answer<LabelLimit> {
    let running = app.control().store().counted(&label).await?;
    Ok(LabelLimit { label, max_running, running })
}

fn check(label: &str, max_running: u32) -> Answer<()> {
    let wrong = |message: &str, pointer: &str| {
        Err(Refusal::invalid(vec![Problem::new(ErrorCode::FieldValue, message).at(pointer)]))
    };
    let is_named = label_of(label)
        .is_some_and(|(name, _)| !name.is_empty() && !name.contains(|c: char| c == ',' || c.is_whitespace()));
    if !is_named || label.len() > LABEL_MAX {
        return wrong("a label is written NAME=VALUE, 200 bytes at most, without space and ',' in its name", "/label");
    }
    match max_running {
        0 => wrong("at least 1; a queue that nothing is to leave is paused", "/max_running"),
        _ => Ok(()),
    }
}

/// Those of some labels that are full: with their limit and runs that count.
pub(super) async fn full(app: &App, labels: &BTreeMap<String, String>) -> Answer<Vec<FullLabel>> {
    let mut full = Vec::new();
    for limit in limits(app, |name, value| labels.get(name).is_some_and(|it| it == value)).await? {
        let LabelLimit { label, max_running, running } = limit;
        if running >= max_running {
            let holders = app.control().store().holders(&label, HOLDERS_MAX).await?;
            full.push(FullLabel { label, max_running, holders });
        }
    }
    Ok(full)
}
