//! Flows: components joined by queues of items.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use mainspring_api::{
    self as api, ErrorCode, FlowAction, FlowChange, FlowChecked, FlowComponent, FlowConnection, FlowFileFilter,
    FlowLine, FlowPool, FlowSpec, FlowSummary, Problem, routes, write_text,
};
use mainspring_core::flow::Definition;
use mainspring_core::shard_of;
use mainspring_engine::flow::{Action, AtNode, ComponentView, ConnectionView, FlowError, FlowView, sentence};
use mainspring_store::{Error as StoreError, FlowRow};
use tokio::sync::Mutex;
use utoipa_axum::routes;

use super::{DEFAULT_NAMESPACE, Route};
use crate::app::App;
use crate::convert::{self, CompiledFlow};
use crate::extract::{Body, Condition, PathOf, QueryOf, off_thread};
use crate::forward::owner;
use crate::layers::DONE;
use crate::refusal::{Answer, Refusal};
use crate::show::{self, count, instant};

type Key = (String, String);

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(list)),
        Route::view(routes!(get)).at_owner(),
        Route::edit(routes!(delete)).at_owner(),
        Route::operate(routes!(change)).at_owner(),
        Route::view(routes!(why)).at_owner(),
        Route::view(routes!(log)).at_owner(),
        Route::view(routes!(file)),
        Route::view(routes!(check)),
    ]
}

impl From<FlowError> for Refusal {
    fn from(error: FlowError) -> Self {
        let text = error.to_string();
        match error {
            FlowError::NoFlow(_) => Self::new(ErrorCode::FlowNotFound, text),
            FlowError::NoComponent(_) => Self::new(ErrorCode::FlowComponentNotFound, text),
            FlowError::NoConnection(_) => Self::new(ErrorCode::FlowConnectionNotFound, text),
            FlowError::Ambiguous { .. } => Self::new(ErrorCode::FlowReplay, text),
            FlowError::Refused { refused: mainspring_core::flow::Refused::Full, .. } => {
                Self::new(ErrorCode::FlowFull, text)
            }
            FlowError::Refused { .. } => Self::new(ErrorCode::FlowState, text),
            FlowError::Invalid { .. } => Self::new(ErrorCode::FlowInvalid, text),
            FlowError::Elsewhere => Self::new(ErrorCode::FlowElsewhere, text),
            FlowError::Store(error) => error.into(),
            FlowError::Stopping => Self::new(ErrorCode::ServerDraining, text),
        }
    }
}

/// Lists the flows of all namespaces, by namespace and name.
#[utoipa::path(get, path = routes::FLOWS, tag = "flows", responses((status = 200, body = Vec<FlowSummary>)))]
async fn list(State(app): State<App>) -> Answer<Json<Vec<FlowSummary>>> {
    let rows = app.control().store().flow_store().flows().await?;
    Ok(Json(rows.iter().map(summary).collect()))
}

/// Returns a flow with all that is known of it now: states, queues, what its components did in the last five minutes.
#[utoipa::path(get, path = routes::FLOW, tag = "flows", params(("namespace" = String, Path), ("flow" = String, Path)),
    responses((status = 200, body = api::Flow, example = json!({
        "namespace": "default", "name": "orders", "version": 4, "saved_at": "2026-03-29T10:00:00Z",
        "spec": {"flow": "orders",
            "components": {"order": {"generate": {"payload": "3 apples"}, "schedule": "2 sec"},
                "log": {"log": {}, "end": "success"}},
            "connections": [{"from": "order", "to": "log", "max_items": 100}]},
        "components": [
            {"name": "log", "kind": "log", "state": "stopped", "active": 0, "terminated": 0, "queued": 0, "blocked": "no_work",
                "why": "it is stopped: start it", "missed": 0, "items_in": 0, "bytes_in": 0, "items_out": 0, "bytes_out": 0,
                "tasks": 0, "task_ms": 0, "bulletins": []},
            {"name": "order", "kind": "generate", "state": "running", "active": 0, "terminated": 0, "queued": 0,
                "blocked": "downstream_full", "why": "a queue behind it is full", "missed": 0, "items_in": 0, "bytes_in": 0,
                "items_out": 100, "bytes_out": 800, "tasks": 100, "task_ms": 12, "bulletins": [
                    {"at": "2026-03-29T10:00:00Z", "level": "error", "message": "it did not succeed"}]}],
        "connections": [{"name": "order:log", "from": "order", "to": "log", "relationships": ["success"], "items": 100,
            "bytes": 800, "ready": 100, "penalised": 0, "in_flight": 0, "percent": 100, "full": true, "max_items": 100,
            "max_bytes": 1_073_741_824}],
        "pools": [{"name": "timer", "size": 10, "active": 0}, {"name": "event", "size": 10, "active": 0}]
    }))))]
async fn get(State(app): State<App>, PathOf((namespace, name)): PathOf<Key>) -> Answer<Json<api::Flow>> {
    Ok(Json(shown(&app, view(&app, &namespace, &name).await?, Vec::new())))
}

/// Deletes a flow with all of its items. It must be stopped.
#[utoipa::path(delete, path = routes::FLOW, tag = "flows", params(("namespace" = String, Path), ("flow" = String, Path)),
    responses((status = 204, description = "Done")))]
async fn delete(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    condition: Condition,
) -> Answer<StatusCode> {
    let store = app.control().store();
    {
        let _alone = keeping(&namespace, &name).lock().await;
        let row = store.flow_store().flow(&namespace, &name).await?;
        let row = row.ok_or_else(|| missing(&namespace, &name))?;
        expected(condition, Some(&row))?;
        let now = view(&app, &namespace, &name).await?;
        let busy = super::flow_save::busy(&now, |_| true);
        if !busy.is_empty() {
            return Err(super::flow_save::not_stopped(&now, &busy));
        }
        if !store.flow_store().delete_flow(row.id, row.version).await? {
            let there = store.flow_store().flow(&namespace, &name).await?;
            there.ok_or_else(|| missing(&namespace, &name))?;
            return Err(Refusal::new(ErrorCode::ResourceConflict, "the flow was changed meanwhile"));
        }
    }
    app.engine.flows().reload(None).await?;
    Ok(DONE)
}

/// Starts, stops, terminates or runs components once: those that are named, or all.
#[utoipa::path(post, path = routes::FLOW_COMPONENTS, tag = "flows", params(("namespace" = String, Path), ("flow" = String, Path)),
    request_body = FlowChange, responses((status = 200, body = api::Flow)))]
async fn change(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    Body(change): Body<FlowChange>,
) -> Answer<Json<api::Flow>> {
    let action = match change.action {
        FlowAction::Start => Action::Start,
        FlowAction::Stop => Action::Stop,
        FlowAction::RunOnce => Action::RunOnce,
        FlowAction::Terminate => Action::Terminate,
        FlowAction::Disable => Action::Disable,
        FlowAction::Enable => Action::Enable,
    };
    view(&app, &namespace, &name).await?;
    {
        // A save that is under way counts on what it has found stopped.
        let _alone = keeping(&namespace, &name).lock().await;
        app.engine.flows().change(&namespace, &name, change.components, action).await?;
        keep(&app, &namespace, &name).await?;
    }
    Ok(Json(shown(&app, view(&app, &namespace, &name).await?, Vec::new())))
}

/// Flows that are being changed: one request at a time for each, so that none overtakes a later one.
static KEEPING: [Mutex<()>; 64] = [const { Mutex::const_new(()) }; 64];

pub(super) fn keeping(namespace: &str, name: &str) -> &'static Mutex<()> {
    &KEEPING[usize::from(shard_of(namespace, name)) % KEEPING.len()]
}

/// Keeps what components are meant to do, for a caller whose turn it is. What that is, is asked after the version is known over
/// which it is kept: a later change through another node is then kept later, or has changed the version.
pub(super) async fn keep(app: &App, namespace: &str, name: &str) -> Answer<()> {
    let store = app.control().store().flow_store();
    loop {
        let row = store.flow(namespace, name).await?.ok_or_else(|| missing(namespace, name))?;
        let states = app.engine.flows().states(namespace, name).await?;
        let words: BTreeMap<&str, &str> = states.iter().map(|(name, state)| (name.as_str(), state.as_str())).collect();
        let states = serde_json::to_string(&words).expect("texts are JSON");
        if row.states == states {
            return Ok(());
        }
        match store.set_flow_states(row.id, row.version, &states).await {
            Err(StoreError::Conflict { .. }) => {}
            done => {
                done?;
                return Ok(app.engine.flows().reload(Some((namespace, name))).await?);
            }
        }
    }
}

/// Says why a component runs or does not, as the one gate answers.
#[utoipa::path(get, path = routes::FLOW_WHY, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), ("component" = String, Path)),
    responses((status = 200, body = FlowComponent)))]
async fn why(
    State(app): State<App>,
    PathOf((namespace, name, component)): PathOf<(String, String, String)>,
) -> Answer<Json<FlowComponent>> {
    let view = view(&app, &namespace, &name).await?;
    let found = view.components.iter().find(|it| it.name == component);
    let spec: FlowSpec = serde_json::from_str(&view.row.source).unwrap_or_default();
    found
        .map(|it| Json(shown_component(it, &spec, &names(&app))))
        .ok_or_else(|| FlowError::NoComponent(component).into())
}

/// Returns the last 100 lines of a component's log, the oldest first: what its processes print, and what `log` writes.
#[utoipa::path(get, path = routes::FLOW_LOG, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), ("component" = String, Path)),
    responses((status = 200, body = Vec<FlowLine>)))]
async fn log(
    State(app): State<App>,
    PathOf((namespace, name, component)): PathOf<(String, String, String)>,
) -> Answer<Json<Vec<FlowLine>>> {
    view(&app, &namespace, &name).await?;
    let lines = app.engine.flows().log(&namespace, &name, &component).await?;
    Ok(Json(lines.into_iter().map(|it| FlowLine { at: instant(it.at), text: it.text }).collect()))
}

/// Returns a flow as the text of a flow file. How a console draws it is no part of that.
#[utoipa::path(get, path = routes::FLOW_FILE, tag = "flows", params(("namespace" = String, Path), ("flow" = String, Path), FlowFileFilter),
    responses((status = 200, body = String, content_type = "text/plain")))]
async fn file(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    QueryOf(filter): QueryOf<FlowFileFilter>,
) -> Answer<String> {
    let format = super::versions::format(filter.format.as_deref())?;
    let row = app.control().store().flow_store().flow(&namespace, &name).await?;
    let row = row.ok_or_else(|| missing(&namespace, &name))?;
    let spec: FlowSpec = serde_json::from_str(&row.source).unwrap_or_default();
    write_text(&spec, format).map_err(|error| Refusal::new(ErrorCode::RequestQuery, error.to_string()))
}

/// Says what is wrong with a flow, without saving it.
#[utoipa::path(post, path = routes::FLOW_CHECK, tag = "flows", params(("namespace" = String, Path), ("flow" = String, Path)),
    request_body = FlowSpec, responses((status = 200, body = FlowChecked)))]
async fn check(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    Body(spec): Body<FlowSpec>,
) -> Answer<Json<FlowChecked>> {
    named_alike(&spec, &namespace, &name)?;
    let (_, compiled) = read(&app, FlowSpec { namespace: Some(namespace.clone()), ..spec }).await?;
    Ok(Json(match compiled {
        Ok(CompiledFlow { definition, mut warnings, .. }) => {
            let errors = super::flow_pools::unknown(&app, &definition).await?;
            warnings.extend(lacking(&app, &namespace, &definition).await?);
            FlowChecked { valid: errors.is_empty(), errors, warnings }
        }
        Err(errors) => FlowChecked { valid: false, errors, warnings: Vec::new() },
    }))
}

/// Warns of components that lack on this node what they need beside items.
pub(super) async fn lacking(app: &App, namespace: &str, definition: &Definition) -> Answer<Vec<Problem>> {
    let found = app.engine.flows().lacks(namespace, definition).await?;
    let warning = |(component, lacks): (String, Vec<String>)| {
        let message = format!("component \"{component}\" cannot run now: {}", lacks.join("; "));
        Problem::new(ErrorCode::FlowInvalid, message).at(format!("/components/{component}"))
    };
    Ok(found.into_iter().map(warning).collect())
}

/// Reads a flow as the engine wants it, or finds what is wrong with it.
pub(super) async fn read(app: &App, spec: FlowSpec) -> Answer<(FlowSpec, Result<CompiledFlow, Vec<Problem>>)> {
    let (timezone, now) = (app.default_timezone.clone(), app.now());
    off_thread(move || {
        let compiled = convert::flow(&spec, &timezone, now);
        Ok((spec, compiled))
    })
    .await
}

pub(super) fn missing(namespace: &str, name: &str) -> Refusal {
    Refusal::new(ErrorCode::FlowNotFound, format!("no flow \"{name}\" in namespace \"{namespace}\""))
}

/// A flow as the engine of this node sees it.
pub(super) async fn view(app: &App, namespace: &str, name: &str) -> Answer<FlowView> {
    match app.engine.flows().view(namespace, name).await {
        Err(FlowError::Elsewhere) => {
            let there = app.control().store().flow_store().flow(namespace, name).await?;
            Err(if there.is_some() { elsewhere(app, namespace, name) } else { missing(namespace, name) })
        }
        found => Ok(found?),
    }
}

/// Names the node that runs a flow: it has changed nodes while the request was under way.
pub(super) fn elsewhere(app: &App, namespace: &str, name: &str) -> Refusal {
    owner(app, namespace, name).map_or_else(
        || FlowError::Elsewhere.into(),
        |node| runs_at(&named(namespace, name), &node.name, node.address.as_deref()),
    )
}

/// Says which node runs a flow, and where that one is asked.
fn runs_at(flow: &str, node: &str, address: Option<&str>) -> Refusal {
    let refusal = Refusal::new(ErrorCode::FlowElsewhere, format!("node \"{node}\" runs the flow"));
    match address {
        Some(address) => refusal.hint(format!("mainspring flow get {flow} --server {address}")),
        None => refusal,
    }
}

/// A flow as people type it: without the namespace `default`.
pub(super) fn named(namespace: &str, name: &str) -> String {
    if namespace == DEFAULT_NAMESPACE { name.to_owned() } else { format!("{namespace}/{name}") }
}

pub(super) fn named_alike(spec: &FlowSpec, namespace: &str, name: &str) -> Answer<()> {
    let mut problems = Vec::new();
    if spec.flow != name {
        let message = format!("the flow is named \"{}\" here and \"{name}\" in the path", spec.flow);
        problems.push(Problem::new(ErrorCode::FieldValue, message).at("/flow"));
    }
    if let Some(other) = spec.namespace.as_ref().filter(|it| *it != namespace) {
        let message = format!("the namespace is \"{other}\" here and \"{namespace}\" in the path");
        problems.push(Problem::new(ErrorCode::FieldValue, message).at("/namespace"));
    }
    if problems.is_empty() { Ok(()) } else { Err(Refusal::invalid(problems)) }
}

pub(super) fn expected(condition: Condition, there: Option<&FlowRow>) -> Answer<()> {
    let holds = match condition {
        Condition::Always => true,
        Condition::Present => there.is_some(),
        Condition::Absent if there.is_some() => {
            return Err(Refusal::new(ErrorCode::ResourceExists, "the flow exists already"));
        }
        Condition::Absent => true,
        Condition::Version(version) => there.is_some_and(|row| count(row.version) == version),
    };
    let stale = || Refusal::new(ErrorCode::ResourceStale, "the flow has another version by now");
    if holds { Ok(()) } else { Err(stale()) }
}

fn summary(row: &FlowRow) -> FlowSummary {
    let spec: FlowSpec = serde_json::from_str(&row.source).unwrap_or_default();
    let states: std::collections::BTreeMap<String, String> = serde_json::from_str(&row.states).unwrap_or_default();
    let size = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    FlowSummary {
        namespace: row.namespace.clone(),
        name: row.name.clone(),
        description: spec.description,
        components: size(spec.components.len()),
        running: size(states.values().filter(|state| *state == "running").count()),
        version: count(row.version),
        saved_at: instant(row.saved_at),
    }
}

/// Names of nodes by process start.
fn names(app: &App) -> BTreeMap<String, String> {
    show::nodes(app).into_iter().map(|node| (node.id, node.name)).collect()
}

pub(super) fn shown(app: &App, view: FlowView, warnings: Vec<Problem>) -> api::Flow {
    let names = names(app);
    let spec: FlowSpec = serde_json::from_str(&view.row.source).unwrap_or_default();
    api::Flow {
        namespace: view.row.namespace,
        name: view.row.name,
        version: count(view.row.version),
        saved_at: instant(view.row.saved_at),
        components: view.components.iter().map(|it| shown_component(it, &spec, &names)).collect(),
        connections: view.connections.into_iter().map(shown_connection).collect(),
        pools: view.pools.into_iter().map(|(name, size, active)| FlowPool { name, size, active }).collect(),
        spec,
        warnings,
    }
}

fn shown_component(it: &ComponentView, spec: &FlowSpec, names: &BTreeMap<String, String>) -> FlowComponent {
    let level = |is_error: bool| if is_error { "error" } else { "warn" }.to_owned();
    let bulletins = it.bulletins.iter().map(|(at, is_error, message)| api::FlowBulletin {
        at: instant(*at),
        level: level(*is_error),
        message: message.clone(),
    });
    FlowComponent {
        name: it.name.clone(),
        kind: spec.components.get(&it.name).and_then(|it| it.bodies().first().copied()).unwrap_or_default().to_owned(),
        state: it.why.state.as_str().to_owned(),
        active: it.why.active,
        terminated: it.why.terminated,
        queued: it.why.queued,
        blocked: it.why.blocked.as_ref().map(|blocked| blocked.reason.as_str().to_owned()),
        why: sentence(&it.why),
        next_fire: it.why.next_fire.map(instant),
        last_skip_at: it.why.last_skip.map(|(at, _)| instant(at)),
        last_skip_reason: it.why.last_skip.map(|(_, reason)| reason.as_str().to_owned()),
        missed: it.missed,
        items_in: it.counters.items_in,
        bytes_in: it.counters.bytes_in,
        items_out: it.counters.items_out,
        bytes_out: it.counters.bytes_out,
        tasks: it.counters.tasks,
        task_ms: it.counters.task_ms,
        bulletins: bulletins.collect(),
        nodes: it.nodes.iter().map(|it| shown_node(it, names)).collect(),
    }
}

fn shown_node(it: &AtNode, names: &BTreeMap<String, String>) -> api::FlowNode {
    api::FlowNode {
        node: names.get(&it.node).unwrap_or(&it.node).clone(),
        active: it.active,
        waiting: it.waiting,
        blocked: it.blocked.clone(),
        tasks: it.tasks,
        task_ms: it.task_ms,
    }
}

fn shown_connection(it: ConnectionView) -> FlowConnection {
    FlowConnection {
        name: it.name,
        from: it.ends.0,
        to: it.ends.1,
        relationships: it.relationships,
        items: it.items,
        bytes: it.bytes,
        ready: it.ready,
        penalised: it.penalised,
        in_flight: it.in_flight,
        percent: u32::try_from(it.fullness / 10).unwrap_or(u32::MAX),
        full: it.is_full,
        max_items: it.max_items,
        max_bytes: it.max_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_does_not_run_a_flow_says_who_does_and_where() {
        let refusal = runs_at("orders", "b", Some("http://10.0.0.2:7070"));
        assert_eq!(refusal.0.error_code(), Some(ErrorCode::FlowElsewhere));
        assert_eq!(refusal.0.detail, "node \"b\" runs the flow");
        assert_eq!(refusal.0.hint.as_deref(), Some("mainspring flow get orders --server http://10.0.0.2:7070"));
    }

    #[test]
    fn a_flow_is_named_with_its_namespace_unless_that_is_the_usual_one() {
        assert_eq!((named("default", "orders").as_str(), named("team", "orders").as_str()), ("orders", "team/orders"));
    }
}
