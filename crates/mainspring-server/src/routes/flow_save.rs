//! Saving flows, also those that are at work: what an edit does not touch goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::{Extension, Json};
use mainspring_api::{self as api, ErrorCode, FlowSaveOptions, FlowSpec, Problem, routes};
use mainspring_core::flow::{Definition, Placement};
use mainspring_engine::flow::{Action, ComponentView, FlowView, sentence};
use mainspring_store::{Error as StoreError, FlowRow, FlowWrite};
use utoipa_axum::routes;

use super::Route;
use super::flows::{elsewhere, expected, keep, keeping, lacking, named, named_alike, read, shown, view};
use crate::access::ScriptRight;
use crate::app::App;
use crate::extract::{Body, Condition, PathOf, QueryOf};
use crate::forward::is_here;
use crate::idempotency::off_task;
use crate::refusal::{Answer, Refusal};

/// How long bodies of components that are restarted have to end. Clients wait for 30 s.
const END_MAX: Duration = Duration::from_secs(20);
/// How often it is looked whether they have.
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub(super) fn routes() -> Vec<Route> {
    vec![Route::edit(routes!(put)).at_owner()]
}

/// What is to be saved, and on which conditions.
struct Wanted {
    spec: FlowSpec,
    definition: Definition,
    warnings: Vec<Problem>,
    condition: Condition,
    right: ScriptRight,
    restart: bool,
    /// Components that run on every node and that it touches; nothing where the flow cannot be read as it is.
    touched: Option<Vec<String>>,
}

/// Saves a flow. A new one is stopped. Of one that is there, components that change, or whose connections do, must be stopped; with
/// `restart`, those that run are stopped for it, and started again. Others go on. Connections whose ends and relationships stay
/// keep their items; one with items cannot go.
#[utoipa::path(put, path = routes::FLOW, tag = "flows",
    params(("namespace" = String, Path), ("flow" = String, Path), FlowSaveOptions), request_body = FlowSpec,
    responses((status = 200, body = api::Flow)))]
async fn put(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    QueryOf(options): QueryOf<FlowSaveOptions>,
    condition: Condition,
    Extension(right): Extension<ScriptRight>,
    Body(spec): Body<FlowSpec>,
) -> Answer<Json<api::Flow>> {
    named_alike(&spec, &namespace, &name)?;
    let (spec, compiled) = read(&app, FlowSpec { namespace: Some(namespace.clone()), ..spec }).await?;
    let compiled = compiled.map_err(Refusal::invalid)?;
    let unknown = super::flow_pools::unknown(&app, &compiled.definition).await?;
    if !unknown.is_empty() {
        return Err(Refusal::invalid(unknown));
    }
    // Nothing is saved where the engine could not show it, and a flow that is new has an owner first.
    if !is_here(&app, &namespace, &name) {
        return Err(elsewhere(&app, &namespace, &name));
    }
    let (definition, mut warnings, restart) =
        (compiled.definition, compiled.warnings, options.restart.unwrap_or(false));
    warnings.extend(lacking(&app, &namespace, &definition).await?);
    let wanted = Wanted { spec, definition, warnings, condition, right, restart, touched: None };
    let Ok(permit) = Arc::clone(&app.deeds).acquire_owned().await else {
        return Err(Refusal::new(ErrorCode::ServerDraining, "the server is shutting down"));
    };
    // A caller that goes away must not leave components stopped that were to be started again.
    off_task(async move {
        let _permit = permit;
        let app = app;
        save(&app, &namespace, &name, wanted).await.map(Json)
    })
    .await
}

async fn save(app: &App, namespace: &str, name: &str, mut wanted: Wanted) -> Answer<api::Flow> {
    let _alone = keeping(namespace, name).lock().await;
    let there = app.control().store().flow_store().flow(namespace, name).await?;
    expected(wanted.condition, there.as_ref())?;
    let before: Option<Definition> = there.as_ref().and_then(|row| serde_json::from_str(&row.definition).ok());
    wanted.right.check_flow(before.as_ref(), &wanted.definition, name)?;
    let Some(row) = there else { return write(app, (namespace, name), wanted, None, "{}".to_owned()).await };
    let definition = serde_json::to_string(&wanted.definition).expect("a definition is plain data");
    if row.definition == definition {
        let states = row.states.clone();
        return write(app, (namespace, name), wanted, Some(row), states).await;
    }
    let states = states_in(&row.states, &wanted.definition);
    let now = view(app, namespace, name).await?;
    let touched = before.as_ref().map(|before| before.touched_by(&wanted.definition));
    let is_touched = |name: &str| touched.as_ref().is_none_or(|touched| touched.contains(name));
    let everywhere = |it: &Definition| it.on_every_node().filter(|name| is_touched(name)).map(str::to_owned).collect();
    wanted.touched = before.as_ref().map(everywhere);
    let busy = busy(&now, is_touched);
    may_lose_connections(&now, before.as_ref(), &wanted.definition)?;
    if busy.is_empty() {
        return write(app, (namespace, name), wanted, Some(row), states).await;
    }
    if !wanted.restart {
        return Err(not_stopped(&now, &busy));
    }
    let running: Vec<String> =
        busy.iter().filter(|it| it.why.state.as_str() == "running").map(|it| it.name.clone()).collect();
    let saved = async {
        let now = halt(app, (namespace, name), &running, is_touched, before.as_ref()).await?;
        may_lose_connections(&now, before.as_ref(), &wanted.definition)?;
        let there = app.control().store().flow_store().flow(namespace, name).await?;
        let row = there
            .filter(|it| it.definition == row.definition)
            .ok_or_else(|| Refusal::new(ErrorCode::ResourceConflict, "the flow was changed meanwhile"))?;
        write(app, (namespace, name), wanted, Some(row), states).await
    };
    match saved.await {
        Ok(saved) => Ok(saved),
        Err(refusal) => {
            start_again(app, namespace, name, running).await;
            Err(refusal)
        }
    }
}

async fn write(
    app: &App,
    (namespace, name): (&str, &str),
    wanted: Wanted,
    there: Option<FlowRow>,
    states: String,
) -> Answer<api::Flow> {
    let write = FlowWrite {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        definition: serde_json::to_string(&wanted.definition).expect("a definition is plain data"),
        source: serde_json::to_string(&wanted.spec).expect("a flow is plain data"),
        states,
        expect: there.map(|row| row.version),
        touched: wanted.touched,
        at: app.now(),
    };
    match app.control().store().flow_store().save_flow(write).await {
        Err(StoreError::Conflict { why, .. }) => {
            return Err(Refusal::new(ErrorCode::ResourceConflict, format!("the flow {why}")));
        }
        saved => saved?,
    };
    app.engine.flows().reload(Some((namespace, name))).await?;
    Ok(shown(app, view(app, namespace, name).await?, wanted.warnings))
}

/// Stops components, and waits until those that the edit touches have no bodies. That they are stopped is not kept, so that a server
/// that is killed meanwhile starts them again, unless other nodes have to hear of it.
async fn halt(
    app: &App,
    (namespace, name): (&str, &str),
    running: &[String],
    is_touched: impl Fn(&str) -> bool,
    before: Option<&Definition>,
) -> Answer<FlowView> {
    app.engine.flows().change(namespace, name, Some(running.to_vec()), Action::Stop).await?;
    let is_everywhere = |it: &mainspring_core::flow::Component| it.placement == Placement::EveryNode;
    let mut parts = before.iter().flat_map(|it| &it.parts).map(|part| &part.component);
    if parts.any(|it| is_everywhere(it) && running.contains(&it.name)) {
        keep(app, namespace, name).await?;
    }
    let until = Instant::now() + END_MAX;
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        let now = view(app, namespace, name).await?;
        let left = busy(&now, &is_touched);
        if left.is_empty() {
            return Ok(now);
        }
        if Instant::now() >= until {
            let names = listed(&left);
            let why = format!("bodies of {names} have not ended in {} s: nothing was saved", END_MAX.as_secs());
            let flow = named(namespace, name);
            let hint = format!("wait, or mainspring flow terminate {flow} {}; then apply again", spaced(&left));
            return Err(Refusal::new(ErrorCode::FlowState, why).hint(hint));
        }
        looks.tick().await;
    }
}

/// Starts what was stopped for an edit that came to nothing. What still has bodies stays stopped, and that is kept.
async fn start_again(app: &App, namespace: &str, name: &str, components: Vec<String>) {
    for component in components {
        if let Err(error) = app.engine.flows().change(namespace, name, Some(vec![component]), Action::Start).await {
            tracing::warn!(flow = name, %error, "a component was stopped for an edit and cannot be started again");
        }
    }
    if let Err(refusal) = keep(app, namespace, name).await {
        tracing::warn!(flow = name, error = refusal.0.detail, "the states of components could not be kept");
    }
}

/// Components that run or have bodies, of those that are asked for.
pub(super) fn busy(view: &FlowView, which: impl Fn(&str) -> bool) -> Vec<&ComponentView> {
    let is_busy = |it: &&ComponentView| it.why.active > 0 || matches!(it.why.state.as_str(), "running" | "run_once");
    view.components.iter().filter(|it| which(&it.name)).filter(is_busy).collect()
}

/// Says which components are in the way.
pub(super) fn not_stopped(view: &FlowView, busy: &[&ComponentView]) -> Refusal {
    let why = match busy {
        [only] => format!("component \"{}\" is not stopped: {}", only.name, sentence(&only.why)),
        several => format!("components {} are not stopped", listed(several)),
    };
    let flow = named(&view.row.namespace, &view.row.name);
    let hint =
        format!("mainspring flow stop {flow} {}; mainspring flow apply --restart stops and starts them", spaced(busy));
    Refusal::new(ErrorCode::FlowState, why).hint(hint)
}

fn listed(components: &[&ComponentView]) -> String {
    components.iter().map(|it| format!("\"{}\"", it.name)).collect::<Vec<_>>().join(", ")
}

fn spaced(components: &[&ComponentView]) -> String {
    components.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// What components that stay are meant to do.
fn states_in(states: &str, next: &Definition) -> String {
    let mut states: BTreeMap<String, String> = serde_json::from_str(states).unwrap_or_default();
    let names: BTreeSet<&String> = next.parts.iter().map(|part| &part.component.name).collect();
    states.retain(|name, _| names.contains(name));
    serde_json::to_string(&states).expect("texts are JSON")
}

/// Whether no connection goes that holds items.
fn may_lose_connections(now: &FlowView, before: Option<&Definition>, next: &Definition) -> Answer<()> {
    let Some(before) = before else { return Ok(()) };
    let stay = next.connection_numbers();
    let gone = before
        .connection_numbers()
        .into_iter()
        .zip(&now.connections)
        .find(|(number, it)| (it.items > 0 || has_more(now, &it.ends.0)) && !stay.contains(number));
    match gone {
        Some((_, it)) => {
            let why = match it.items {
                0 => format!("connection \"{}\" would go, and other nodes have items for it", it.name),
                items => format!("connection \"{}\" would go, and {items} items are in it", it.name),
            };
            let flow = named(&now.row.namespace, &now.row.name);
            let hint = format!("let them run out, or mainspring flow queue drop {flow} {}", it.name);
            Err(Refusal::new(ErrorCode::FlowState, why).hint(hint))
        }
        None => Ok(()),
    }
}

/// Whether other nodes have items that a component has made.
fn has_more(flow: &FlowView, component: &str) -> bool {
    flow.components.iter().filter(|it| it.name == component).flat_map(|it| &it.nodes).any(|it| it.waiting > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_components_that_go_are_forgotten() {
        let part = mainspring_core::flow::Part {
            component: mainspring_core::flow::Component::new("a"),
            body: mainspring_core::flow::Body::Funnel,
        };
        let next = Definition { parts: vec![part], connections: Vec::new() };
        assert_eq!(states_in(r#"{"a": "running", "b": "disabled"}"#, &next), r#"{"a":"running"}"#);
    }
}
