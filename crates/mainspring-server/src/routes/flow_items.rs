//! Items of flows: what waits in queues, and what it holds.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use mainspring_api::{
    ErrorCode, FlowDropped, FlowItem, FlowItemContent, FlowItemFilter, FlowPut, FlowReplay, FlowReplayed, FlowSpec,
    routes,
};
use mainspring_core::flow::ItemId;
use mainspring_core::flow::body::Content;
use mainspring_store::ItemContent;
use utoipa_axum::routes;

use super::Route;
use super::flows::{missing, view};
use crate::app::App;
use crate::extract::{Body, PathOf, QueryOf, collect};
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

/// Items that a list shows if nothing is said, and at most.
const ITEMS: (u32, u32) = (100, 1_000);
/// Bytes of a payload that an item shows of its own.
const SHOWN: usize = 65_536;
/// Bytes of a payload that is put if nothing is said.
const INPUT: u64 = 1 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(queue)).at_owner(),
        Route::operate(routes!(drop_items)).at_owner(),
        Route::operate(routes!(replay)).at_owner(),
        Route::view(routes!(item)).at_owner(),
        Route::view(routes!(payload)),
        Route::operate(routes!(put_item)).at_owner(),
    ]
}

/// Puts an item into a component with `http_in`. The body is its payload; query parameters are its attributes, and the type of the
/// body is `content.type`. Answers once the item is kept. A full queue behind the component refuses it, and a component that does
/// not run.
#[utoipa::path(post, path = routes::FLOW_INPUT, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), ("component" = String, Path)),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = FlowPut, example = json!({"items": 1}))))]
async fn put_item(
    State(app): State<App>,
    PathOf((namespace, name, component)): PathOf<(String, String, String)>,
    uri: Uri,
    headers: HeaderMap,
    body: axum::body::Body,
) -> Answer<Json<FlowPut>> {
    let unreadable = |_| Refusal::new(ErrorCode::RequestQuery, "the query is not a list of name=value");
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&uri).map_err(unreadable)?;
    let mut attributes: BTreeMap<String, String> = pairs.into_iter().collect();
    let flow = view(&app, &namespace, &name).await?;
    let spec: FlowSpec = serde_json::from_str(&flow.row.source).unwrap_or_default();
    let input = spec.components.get(&component).and_then(|it| it.http_in.as_ref());
    let bytes = input.and_then(|it| it.max_bytes).unwrap_or(INPUT);
    let payload = collect(body, usize::try_from(bytes).unwrap_or(usize::MAX)).await?;
    if let Some(kind) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) {
        attributes.entry("content.type".to_owned()).or_insert_with(|| kind.to_owned());
    }
    let item = Content { attributes, payload: payload.to_vec() };
    let items = app.engine.flows().put_items(&namespace, &name, &component, vec![item]).await?;
    Ok(Json(FlowPut { items }))
}

/// Lists items that wait in a connection, in the order in which they leave.
#[utoipa::path(get, path = routes::FLOW_QUEUE, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), ("connection" = String, Path), FlowItemFilter),
    responses((status = 200, body = Vec<FlowItem>, example = json!([{
        "id": 1795712345678000_i64, "bytes": 19, "entered_at": "2026-03-29T10:00:00Z", "penalty_until": "2026-03-29T10:00:30Z",
        "retries": 1, "attributes": {"kind": "fruit"}, "preview": "3 apples"
    }]))))]
async fn queue(
    State(app): State<App>,
    PathOf((namespace, name, connection)): PathOf<(String, String, String)>,
    QueryOf(filter): QueryOf<FlowItemFilter>,
) -> Answer<Json<Vec<FlowItem>>> {
    let flow = view(&app, &namespace, &name).await?.row.id;
    let with_contents = filter.contents.unwrap_or(false);
    let most = if with_contents { ITEMS.0 } else { ITEMS.1 };
    let limit = filter.limit.unwrap_or(ITEMS.0).clamp(1, most) as usize;
    let limit = if filter.item.is_some() { usize::MAX } else { limit };
    let items = app.engine.flows().queue(&namespace, &name, &connection, limit).await?;
    let mut shown = Vec::new();
    for it in items.into_iter().filter(|it| filter.item.is_none_or(|id| id == it.item.id.0)) {
        let id = it.item.id.0;
        // An item may go on while it is looked at.
        let content = if with_contents { app.control().store().flow_store().item_begin(flow, id).await? } else { None };
        shown.push(FlowItem {
            id,
            bytes: it.item.bytes,
            entered_at: instant(it.item.entered_at),
            penalty_until: it.penalty_until.map(instant),
            retries: it.item.retries,
            attributes: content.as_ref().map(|it| serde_json::from_str(&it.attributes).unwrap_or_default()),
            preview: content.map(|it| String::from_utf8_lossy(&it.payload).into_owned()),
        });
    }
    Ok(Json(shown))
}

/// The first bytes of a payload as a text.
fn begin(payload: &[u8], bytes: usize) -> String {
    String::from_utf8_lossy(&payload[..payload.len().min(bytes)]).into_owned()
}

/// Removes items that wait in a connection: all of them, or one. What bodies have stays.
#[utoipa::path(delete, path = routes::FLOW_QUEUE, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), ("connection" = String, Path), FlowItemFilter),
    responses((status = 200, body = FlowDropped)))]
async fn drop_items(
    State(app): State<App>,
    PathOf((namespace, name, connection)): PathOf<(String, String, String)>,
    QueryOf(filter): QueryOf<FlowItemFilter>,
) -> Answer<Json<FlowDropped>> {
    view(&app, &namespace, &name).await?;
    let only = filter.item.map(|id| vec![ItemId(id)]);
    let items = app.engine.flows().drop_items(&namespace, &name, &connection, only).await?;
    match (items, filter.item) {
        (0, Some(id)) => {
            let why = format!("item {id} does not wait in \"{connection}\"");
            Err(Refusal::new(ErrorCode::FlowItemNotFound, why))
        }
        (items, _) => Ok(Json(FlowDropped { items })),
    }
}

/// Moves items that wait in a connection to another one, where they are tried anew: without penalty, and as if nobody had tried them.
/// So items that ended up in a queue for failures get another chance.
#[utoipa::path(post, path = routes::FLOW_REPLAY, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), ("connection" = String, Path)),
    request_body(content = FlowReplay, example = json!({"items": [1795712345678000_i64], "to": "order:work"})),
    responses((status = 200, body = FlowReplayed, example = json!({"items": 1}))))]
async fn replay(
    State(app): State<App>,
    PathOf((namespace, name, connection)): PathOf<(String, String, String)>,
    Body(asked): Body<FlowReplay>,
) -> Answer<Json<FlowReplayed>> {
    view(&app, &namespace, &name).await?;
    let only = asked.items.map(|ids| ids.into_iter().map(ItemId).collect());
    let items = app.engine.flows().replay(&namespace, &name, &connection, only, asked.to).await?;
    Ok(Json(FlowReplayed { items }))
}

/// Returns where an item is and what it holds.
#[utoipa::path(get, path = routes::FLOW_ITEM, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), ("item" = i64, Path)),
    responses((status = 200, body = FlowItemContent, example = json!({
        "id": 1795712345678000_i64, "connection": "order:work", "in_flight": false, "entered_at": "2026-03-29T10:00:00Z",
        "lineage_at": "2026-03-29T10:00:00Z", "retries": 0, "attributes": {"kind": "fruit"}, "payload": "3 apples",
        "payload_bytes": 8, "truncated": false
    }))))]
async fn item(
    State(app): State<App>,
    PathOf((namespace, name, id)): PathOf<(String, String, i64)>,
) -> Answer<Json<FlowItemContent>> {
    let held = content(&app, &namespace, &name, id).await?;
    let found = app.engine.flows().find_item(&namespace, &name, ItemId(id)).await?;
    let header = found.as_ref().map(|it| &it.item.item);
    Ok(Json(FlowItemContent {
        id,
        connection: found.as_ref().map(|it| it.connection.clone()),
        in_flight: found.as_ref().is_some_and(|it| it.is_in_flight),
        entered_at: header.map(|it| instant(it.entered_at)),
        lineage_at: header.map(|it| instant(it.lineage_at)),
        penalty_until: found.as_ref().and_then(|it| it.item.penalty_until).map(instant),
        retries: header.map_or(0, |it| it.retries),
        attributes: serde_json::from_str(&held.attributes).unwrap_or_default(),
        payload: begin(&held.payload, SHOWN),
        payload_bytes: held.payload.len() as u64,
        truncated: held.payload.len() > SHOWN,
    }))
}

/// Returns the whole payload of an item, byte for byte.
#[utoipa::path(get, path = routes::FLOW_PAYLOAD, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), ("item" = i64, Path)),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream")))]
async fn payload(
    State(app): State<App>,
    PathOf((namespace, name, id)): PathOf<(String, String, i64)>,
) -> Answer<Response> {
    let held = content(&app, &namespace, &name, id).await?;
    let heads = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{id}\"")),
    ];
    Ok((heads, held.payload).into_response())
}

async fn content(app: &App, namespace: &str, name: &str, id: i64) -> Answer<ItemContent> {
    let store = app.control().store().flow_store();
    let row = store.flow(namespace, name).await?.ok_or_else(|| missing(namespace, name))?;
    store
        .item_content(row.id, id)
        .await?
        .ok_or_else(|| Refusal::new(ErrorCode::FlowItemNotFound, format!("there is no item {id} in flow \"{name}\"")))
}
