//! The server that answers, the nodes, and the description of the API.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, header};
use mainspring_api::{Node, NodeState, ServerInfo, routes};
use utoipa_axum::routes;

use super::Route;
use crate::app::App;
use crate::refusal::Answer;
use crate::show::instant;

/// One process owns all shards of an embedded store.
const SHARDS: u32 = 256;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(info)), Route::view(routes!(nodes)), Route::view(routes!(document))]
}

/// Describes the server that answers.
#[utoipa::path(get, path = routes::INFO, tag = "server", responses((status = 200, body = ServerInfo)))]
async fn info(State(app): State<App>) -> Answer<Json<ServerInfo>> {
    let store = app.control().store().info().await?;
    Ok(Json(ServerInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        node: app.engine.incarnation().to_string(),
        store: store.kind.to_owned(),
        default_timezone: app.default_timezone.clone(),
        tzdata: mainspring_schedule::tzdata_version().to_owned(),
        now: instant(app.now()),
        started_at: instant(app.started_at),
    }))
}

/// Lists the server processes of the cluster.
#[utoipa::path(get, path = routes::NODES, tag = "server", responses((status = 200, body = Vec<Node>)))]
async fn nodes(State(app): State<App>) -> Json<Vec<Node>> {
    let used = app.engine.metrics().running.get();
    Json(vec![Node {
        id: app.engine.incarnation().to_string(),
        name: app.node_name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        state: if app.engine.is_draining() { NodeState::Draining } else { NodeState::Active },
        started_at: instant(app.started_at),
        renewed_at: app.engine.ticked_at().map(instant),
        shards: SHARDS,
        slots: app.slots,
        slots_used: u32::try_from(used).unwrap_or(0),
        clock_offset_ms: None,
        tzdata: mainspring_schedule::tzdata_version().to_owned(),
    }])
}

/// This document.
#[utoipa::path(get, path = routes::OPENAPI, tag = "server", responses((status = 200, body = serde_json::Value)))]
async fn document() -> ([(HeaderName, &'static str); 1], String) {
    let text = super::openapi().to_json().expect("the document is plain JSON");
    ([(header::CONTENT_TYPE, "application/json")], text)
}
