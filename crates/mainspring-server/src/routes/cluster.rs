//! The server that answers, the nodes and their shards, and the description of the API.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use mainspring_api::{
    Cluster, ClusterLateness, ErrorCode, Node, Reason, Repaired, ServerInfo, ShardMove, ShardOwner, StoreWarning,
    did_you_mean, routes,
};
use mainspring_core::Incarnation;
use mainspring_core::jump::JUMP_MS;
use utoipa_axum::routes;

use super::Route;
use crate::app::{App, Inner};
use crate::extract::{OptionalBody, PathOf};
use crate::refusal::{Answer, Refusal};
use crate::show::{self, instant};
use crate::words;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(info)),
        Route::view(routes!(nodes)),
        Route::view(routes!(cluster)),
        Route::view(routes!(lateness)),
        Route::view(routes!(shard_owners)),
        Route::view(routes!(shard_moves)),
        Route::operate(routes!(drain)).repeatable(),
        Route::operate(routes!(undrain)).repeatable(),
        Route::view(routes!(document)),
        Route::operate(routes!(repair)),
    ]
}

/// Compares live workflow runs with the runs of their tasks, and tells them of ends that they have not heard of. Does nothing where all is
/// well.
#[utoipa::path(post, path = routes::REPAIR, tag = "server", responses((status = 200, body = Repaired)))]
async fn repair(State(app): State<App>) -> Answer<Json<Repaired>> {
    Ok(Json(Repaired { workflow_ends: app.control().repair_workflows().await? }))
}

/// Describes the server that answers.
#[utoipa::path(get, path = routes::INFO, tag = "server", responses((status = 200, body = ServerInfo)))]
async fn info(State(app): State<App>) -> Answer<Json<ServerInfo>> {
    let store = app.control().store().info().await?;
    let jump = app.engine.clock_jump().map(|jump| StoreWarning {
        code: "clock.jump".to_owned(),
        message: crate::words::jump(jump),
        hint: "set the clock right, or restart the server to have it believed at once".to_owned(),
    });
    let ahead = ahead(&app).await?;
    let warnings = app.control().store().warnings().await?.into_iter().map(|warning| StoreWarning {
        code: warning.code.to_owned(),
        message: warning.message,
        hint: warning.hint.to_owned(),
    });
    Ok(Json(ServerInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        node: app.engine.incarnation().to_string(),
        store: store.kind.to_owned(),
        default_timezone: app.default_timezone.clone(),
        tzdata: mainspring_schedule::tzdata_version().to_owned(),
        now: instant(app.now()),
        started_at: instant(app.started_at),
        warnings: jump.into_iter().chain(ahead).chain(warnings).collect(),
    }))
}

/// Names a few triggers with records of the future, if there are any.
async fn ahead(app: &App) -> Answer<Option<StoreWarning>> {
    const NAMED_MAX: u32 = 10;
    let after = app.now() + JUMP_MS.cast_signed();
    let named = app.control().store().triggers_ahead(after, NAMED_MAX).await?;
    let count = app.engine.triggers_ahead().max(u32::try_from(named.len()).unwrap_or(u32::MAX));
    Ok(words::triggers_ahead(if named.is_empty() { 0 } else { count }).map(|message| StoreWarning {
        code: "clock.future".to_owned(),
        message: format!("{message}: {}{}", named.join(", "), if count > NAMED_MAX { ", …" } else { "" }),
        hint: "mainspring trigger reanchor --all takes back what is recorded for the future".to_owned(),
    }))
}

/// Lists the server processes of the cluster.
#[utoipa::path(get, path = routes::NODES, tag = "server", responses((status = 200, body = Vec<Node>)))]
async fn nodes(State(app): State<App>) -> Json<Vec<Node>> {
    Json(show::nodes(&app))
}

/// Returns the nodes and shards of the cluster, as the node that answers saw them at its last renewal.
#[utoipa::path(get, path = routes::CLUSTER, tag = "server", responses((status = 200, body = Cluster)))]
async fn cluster(State(app): State<App>) -> Answer<Json<Cluster>> {
    let store = app.control().store().info().await?;
    let nodes = show::nodes(&app);
    Ok(Json(Cluster {
        store: store.kind.to_owned(),
        node: app.engine.incarnation().to_string(),
        trusted: app.engine.cluster_status().map_or_else(|| !shared(&app), |status| status.trusted),
        shards: show::shards(&app, &nodes),
        nodes,
    }))
}

/// Returns how late handlers were entered during the last minutes, on each node and altogether.
#[utoipa::path(get, path = routes::LATENESS, tag = "server", responses((status = 200, body = ClusterLateness)))]
async fn lateness(State(app): State<App>) -> Answer<Json<ClusterLateness>> {
    Ok(Json(show::lateness(&app).await?))
}

/// Returns who has which of the 256 shards, and since when.
#[utoipa::path(get, path = routes::SHARDS, tag = "server", responses((status = 200, body = Vec<ShardOwner>)))]
async fn shard_owners(State(app): State<App>) -> Json<Vec<ShardOwner>> {
    Json(show::shard_owners(&app))
}

/// Returns the last hundred moves of shards from node to node, the newest first, as the node that answers has seen them since it started.
#[utoipa::path(get, path = routes::SHARD_MOVES, tag = "server", responses((status = 200, body = Vec<ShardMove>)))]
async fn shard_moves(State(app): State<App>) -> Json<Vec<ShardMove>> {
    Json(show::shard_moves(&app))
}

/// Asks a node to give its shards up and to take none. It hears that with its next renewal, within a second or two.
#[utoipa::path(post, path = routes::NODE_DRAIN, tag = "server", params(("node" = String, Path, description = "Name or incarnation")),
    request_body = Reason, responses((status = 202, body = Node)))]
async fn drain(
    State(app): State<App>,
    PathOf(node): PathOf<String>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<(StatusCode, Json<Node>)> {
    ask_drain(&app, &node, true, reason).await
}

/// Lets a node take shards again.
#[utoipa::path(post, path = routes::NODE_UNDRAIN, tag = "server", params(("node" = String, Path, description = "Name or incarnation")),
    request_body = Reason, responses((status = 202, body = Node)))]
async fn undrain(
    State(app): State<App>,
    PathOf(node): PathOf<String>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<(StatusCode, Json<Node>)> {
    ask_drain(&app, &node, false, reason).await
}

async fn ask_drain(app: &App, name: &str, drain: bool, reason: Reason) -> Answer<(StatusCode, Json<Node>)> {
    let store = app.control().store();
    let Some(cluster) = store.cluster() else {
        let why = "the store belongs to this process alone: there is no node to hand shards to";
        return Err(Refusal::new(ErrorCode::ClusterSingle, why).hint("a stop drains: mainspring server ends on TERM"));
    };
    let mut node = find(show::nodes(app), name)?;
    let incarnation = u128::from_str_radix(&node.id, 16).map(Incarnation).expect("an id as it is shown");
    if !cluster.ask_drain(incarnation, drain).await? {
        return Err(Refusal::new(ErrorCode::NodeNotFound, format!("the node {name:?} has just left")));
    }
    tracing::info!(node.name = node.name, node.incarnation = node.id, drain, reason = reason.reason, "drain asked for");
    node.drain_asked = drain;
    Ok((StatusCode::ACCEPTED, Json(node)))
}

/// The node of an incarnation, or the only one of a name.
fn find(nodes: Vec<Node>, name: &str) -> Answer<Node> {
    let known: Vec<String> = nodes.iter().map(|node| node.name.clone()).collect();
    let mut fitting: Vec<Node> = nodes.into_iter().filter(|node| node.id == name || node.name == name).collect();
    match (fitting.pop(), fitting.is_empty()) {
        (Some(node), true) => Ok(node),
        (Some(node), false) => {
            let ids: Vec<_> = fitting.iter().chain([&node]).map(|node| node.id.as_str()).collect();
            let refusal = Refusal::new(ErrorCode::NodeAmbiguous, format!("several nodes are called {name:?}"));
            Err(refusal.hint(format!("say which: {}", ids.join(", "))))
        }
        (None, _) => {
            let known = known.iter().map(String::as_str);
            let hint = did_you_mean(name, known.clone())
                .unwrap_or_else(|| format!("the nodes are {}", known.collect::<Vec<_>>().join(", ")));
            Err(Refusal::new(ErrorCode::NodeNotFound, format!("there is no node {name:?}")).hint(hint))
        }
    }
}

/// Whether nodes share the store.
fn shared(app: &Inner) -> bool {
    app.control().store().cluster().is_some()
}

/// This document.
#[utoipa::path(get, path = routes::OPENAPI, tag = "server", responses((status = 200, body = serde_json::Value)))]
async fn document() -> ([(HeaderName, &'static str); 1], String) {
    let text = super::openapi().to_string();
    ([(header::CONTENT_TYPE, "application/json")], text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str, name: &str) -> Node {
        let node = serde_json::json!({"id": id, "name": name, "version": "1", "state": "active", "shards": 0});
        serde_json::from_value(node).unwrap()
    }

    #[test]
    fn a_node_is_found_by_name_or_incarnation() {
        let nodes = || vec![node("0a", "north"), node("0b", "south"), node("0c", "south")];
        assert_eq!(find(nodes(), "north").unwrap().id, "0a");
        assert_eq!(find(nodes(), "0c").unwrap().id, "0c");
        let cases = [
            ("south", ErrorCode::NodeAmbiguous, "say which: 0b, 0c"),
            ("nrth", ErrorCode::NodeNotFound, "did you mean \"north\"?"),
            ("zzz", ErrorCode::NodeNotFound, "the nodes are north, south, south"),
        ];
        for (name, code, hint) in cases {
            let refusal = find(nodes(), name).unwrap_err();
            let hinted = refusal.0.hint.clone().unwrap_or_default();
            assert_eq!(refusal.code(), Some(code), "{name}");
            assert!(hint.split(", ").all(|part| hinted.contains(part)), "{name}: {hinted}");
        }
    }
}
