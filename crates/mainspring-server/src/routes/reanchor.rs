//! Taking back what triggers have recorded for the future, because a clock was ahead.

use axum::Json;
use axum::extract::State;
use mainspring_api::{Reanchored, Trigger, routes};
use mainspring_core::job::JobKey;
use mainspring_schedule::Timestamp;
use mainspring_store::{TriggerInfo, TriggerQuery};
use utoipa_axum::routes;

use super::{Route, named_namespace, namespaces, triggers};
use crate::app::App;
use crate::extract::PathOf;
use crate::refusal::Answer;
use crate::words::Reads;

/// Triggers that are read at once.
const TRIGGERS_AT_ONCE: u32 = 1_000;
/// Triggers that are named at most.
const NAMED_MAX: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::operate(routes!(reanchor)).repeatable(), Route::operate(routes!(reanchor_all)).repeatable()]
}

/// Lets a trigger fire after now again whose records lie in the future, because the clock was ahead. Missed and suppressed
/// instants of the future are taken back; an instant that has a run does not fire again.
#[utoipa::path(post, path = routes::TRIGGER_REANCHOR, tag = "triggers",
    params(("namespace" = String, Path), ("job" = String, Path), ("trigger" = String, Path)),
    responses((status = 200, body = Trigger)))]
async fn reanchor(
    State(app): State<App>,
    PathOf(key): PathOf<(String, String, String)>,
    Reads(language): Reads,
) -> Answer<Json<Trigger>> {
    let shown = triggers::find(&app, key.clone(), language).await?;
    if app.control().reanchor_trigger(&JobKey::new(&key.0, &key.1), &key.2).await? {
        tracing::info!(trigger = shown.key, "a trigger's records of the future were taken back");
    }
    triggers::find(&app, key, language).await.map(Json)
}

/// Does the same to all triggers of a namespace, or with `-` of all.
#[utoipa::path(post, path = routes::TRIGGERS_REANCHOR, tag = "triggers", params(("namespace" = String, Path)),
    responses((status = 200, body = Reanchored)))]
async fn reanchor_all(State(app): State<App>, PathOf(namespace): PathOf<String>) -> Answer<Json<Reanchored>> {
    let within = named_namespace(&namespace);
    if within.is_some() {
        namespaces::must_exist(&app, &namespace).await?;
    }
    let mut query =
        TriggerQuery { namespace: within.map(str::to_owned), limit: TRIGGERS_AT_ONCE, ..TriggerQuery::default() };
    let mut done = Reanchored::default();
    loop {
        let rows = app.control().store().triggers(query.clone()).await?;
        let is_last = rows.len() < TRIGGERS_AT_ONCE as usize;
        query.after = rows.last().map(|last| (last.job.definition.key.clone(), last.trigger.name.clone()));
        let now = app.now();
        for TriggerInfo { job, trigger } in rows.into_iter().filter(|it| is_ahead(it, now)) {
            let key = &job.definition.key;
            if app.control().reanchor_trigger(key, &trigger.name).await? {
                done.count += 1;
                done.triggers.extend((done.triggers.len() < NAMED_MAX).then(|| format!("{key}/{}", trigger.name)));
            }
        }
        if is_last {
            break;
        }
    }
    tracing::info!(triggers = done.count, "records of the future were taken back");
    Ok(Json(done))
}

fn is_ahead(it: &TriggerInfo, now: Timestamp) -> bool {
    let progress = &it.trigger.row.progress;
    progress.fired_through.max(progress.previous_fire_at).is_some_and(|at| at > now)
}
