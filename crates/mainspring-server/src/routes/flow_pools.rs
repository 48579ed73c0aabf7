//! Pools of permits of flows: named, of every node, and as large as somebody says while they are used.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use mainspring_api::{ErrorCode, FlowPool, FlowPoolSize, Problem, did_you_mean, is_valid_name, routes};
use mainspring_core::flow::Definition;
use mainspring_engine::flow::POOLS_SETTING;
use tokio::sync::Mutex;
use utoipa_axum::routes;

use super::Route;
use crate::app::App;
use crate::extract::{Body, PathOf};
use crate::refusal::{Answer, Refusal};

/// Pools at most.
const POOLS_MAX: usize = 100;
/// Pools that are not there for which the nearest name is looked for.
const HINTS_MAX: usize = 5;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(pools)), Route::operate(routes!(set_pool))]
}

/// Lists the pools of the node that answers.
#[utoipa::path(get, path = routes::FLOW_POOLS, tag = "flows", responses((status = 200, body = Vec<FlowPool>)))]
async fn pools(State(app): State<App>) -> Answer<Json<Vec<FlowPool>>> {
    let pools = app.engine.flows().pools().await?;
    Ok(Json(pools.into_iter().map(|(name, size, active)| FlowPool { name, size, active }).collect()))
}

/// Sets how many bodies may run at once in a pool on every node, or adds a pool. Holds at once on the node that answers, and within
/// seconds on others; bodies that run go on.
#[utoipa::path(put, path = routes::FLOW_POOL, tag = "flows", params(("pool" = String, Path)), request_body = FlowPoolSize,
    responses((status = 200, body = FlowPool)))]
async fn set_pool(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    Body(asked): Body<FlowPoolSize>,
) -> Answer<Json<FlowPool>> {
    /// One at a time, so that none overwrites another.
    static SETTING: Mutex<()> = Mutex::const_new(());
    if !is_valid_name(&name) {
        return Err(Refusal::new(ErrorCode::FieldValue, format!("\"{}\" is no name of a pool", name.escape_debug())));
    }
    let _alone = SETTING.lock().await;
    let store = app.control().store();
    let kept = store.setting(POOLS_SETTING).await?;
    let mut sizes: BTreeMap<String, u32> = kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    sizes.insert(name.clone(), asked.size);
    if sizes.len() > POOLS_MAX {
        return Err(Refusal::new(ErrorCode::FieldValue, format!("there are {POOLS_MAX} pools at most")));
    }
    store.set_setting(POOLS_SETTING, &serde_json::to_string(&sizes).expect("numbers are JSON")).await?;
    app.engine.flows().resize(sizes).await?;
    let pools = app.engine.flows().pools().await?;
    let active = pools.iter().find(|pool| pool.0 == name).map_or(0, |pool| pool.2);
    Ok(Json(FlowPool { name, size: asked.size, active }))
}

/// Components that take permits of pools that do not exist.
pub(super) async fn unknown(app: &App, definition: &Definition) -> Answer<Vec<Problem>> {
    let named = definition.parts.iter().filter_map(|part| Some((&part.component.name, part.component.pool.as_ref()?)));
    let named: Vec<(&String, &String)> = named.collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let pools = app.engine.flows().pools().await?;
    let missing = named.into_iter().filter(|(_, pool)| !pools.iter().any(|it| it.0 == **pool));
    let problem = |(index, (component, pool)): (usize, (&String, &String))| {
        let message = format!("component \"{component}\" takes permits of \"{pool}\", and there is no such pool");
        let problem = Problem::new(ErrorCode::FlowPool, message).at(format!("/components/{component}/pool"));
        // Each is compared with all pools: the first few are advice enough.
        let is_advised = index < HINTS_MAX;
        match is_advised.then(|| did_you_mean(pool, pools.iter().map(|it| it.0.as_str()))).flatten() {
            Some(near) => problem.hint(near),
            None => problem.hint(format!("mainspring flow pool set {pool} SIZE makes it")),
        }
    };
    Ok(missing.enumerate().map(problem).collect())
}
