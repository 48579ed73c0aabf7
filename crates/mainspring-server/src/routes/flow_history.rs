//! What flows did minute by minute. Any node answers.

use axum::Json;
use axum::extract::State;
use mainspring_api::{ErrorCode, FlowCounts, FlowHeld, FlowHistoryFilter, FlowMinute, routes};
use mainspring_core::Timestamp;
use mainspring_core::flow::{Counters, MINUTE_MS, MINUTES_KEPT_MS, Minute};
use utoipa_axum::routes;

use super::Route;
use super::flows::missing;
use crate::app::App;
use crate::extract::{PathOf, QueryOf};
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(history))]
}

/// Returns what a flow did in each minute of the last day, the oldest first: items and bodies of its components, and what its queues
/// held. The present minute is not among them, nor are those in which nothing happened. A flow of more than 347 components and
/// connections has fewer minutes: 500,000 figures, and half an hour at least.
#[utoipa::path(get, path = routes::FLOW_HISTORY, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), FlowHistoryFilter),
    responses((status = 200, body = Vec<FlowMinute>, example = json!([
        {"at": "2026-03-29T10:00:00Z",
            "components": {"order": {"items_in": 0, "bytes_in": 0, "items_out": 30, "bytes_out": 240, "tasks": 30, "task_ms": 4}},
            "queues": {"order:log": {"items": 30, "bytes": 240}}}
    ]))))]
async fn history(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    QueryOf(filter): QueryOf<FlowHistoryFilter>,
) -> Answer<Json<Vec<FlowMinute>>> {
    let kept = MINUTES_KEPT_MS / MINUTE_MS;
    let minutes = filter.minutes.map_or(kept, i64::from);
    if !(1..=kept).contains(&minutes) {
        return Err(Refusal::new(ErrorCode::RequestQuery, format!("minutes is {minutes}; it is from 1 to {kept}")));
    }
    let store = app.control().store().flow_store();
    let row = store.flow(&namespace, &name).await?.ok_or_else(|| missing(&namespace, &name))?;
    let until = app.now();
    let mut minutes = mainspring_engine::flow::minutes(store, row.id, until - minutes * MINUTE_MS, until).await?;
    if let Some(name) = &filter.of {
        minutes.iter_mut().for_each(|(_, minute)| minute.keep_only(name));
    }
    Ok(Json(minutes.into_iter().map(shown).collect()))
}

fn shown((at, minute): (Timestamp, Minute)) -> FlowMinute {
    let held = |it: mainspring_core::flow::Held| FlowHeld { items: it.items, bytes: it.bytes };
    FlowMinute {
        at: instant(at),
        components: minute.components.into_iter().map(|(name, it)| (name, counts(it))).collect(),
        queues: minute.queues.into_iter().map(|(name, it)| (name, held(it))).collect(),
    }
}

const fn counts(it: Counters) -> FlowCounts {
    FlowCounts {
        items_in: it.items_in,
        bytes_in: it.bytes_in,
        items_out: it.items_out,
        bytes_out: it.bytes_out,
        tasks: it.tasks,
        task_ms: it.task_ms,
    }
}
