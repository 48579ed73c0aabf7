//! Whether the server can serve: for those who start, route to and watch it.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use mainspring_api::{Health, HealthCheck, HealthFilter, HealthStatus, routes};
use mainspring_core::cluster::Standing;
use utoipa_axum::routes;

use super::Route;
use crate::app::{App, Inner};
use crate::extract::QueryOf;
use crate::refusal::Answer;

/// The engine looks for what is due at least this often.
const TICK_MAX_MS: u64 = 8_000;
const STORE_TIMEOUT: Duration = Duration::from_secs(2);

pub(super) fn routes() -> Vec<Route> {
    vec![Route::public(routes!(livez)), Route::public(routes!(readyz)), Route::view(routes!(metrics))]
}

/// Tells whether the process is alive and its timer loop ticks.
#[utoipa::path(get, path = routes::LIVEZ, tag = "server", params(HealthFilter),
    responses((status = 200, body = Health), (status = 503, body = Health, description = "The timer loop stands still")))]
async fn livez(State(app): State<App>, QueryOf(wish): QueryOf<HealthFilter>) -> Answer<(StatusCode, Json<Health>)> {
    Ok(answer(vec![engine(&app)], false, wish.verbose))
}

/// Tells whether the server takes work: store reachable, engine ticking, member of the cluster, not draining.
#[utoipa::path(get, path = routes::READYZ, tag = "server", params(HealthFilter),
    responses((status = 200, body = Health), (status = 503, body = Health, description = "Failing or draining")))]
async fn readyz(State(app): State<App>, QueryOf(wish): QueryOf<HealthFilter>) -> Answer<(StatusCode, Json<Health>)> {
    let mut checks = store(&app).await;
    checks.push(engine(&app));
    checks.extend(membership(&app));
    checks.extend(clock(&app));
    let status = app.engine.cluster_status();
    let handing_over = status.is_some_and(|status| status.standing == Standing::Draining);
    let draining = handing_over || app.engine.is_draining() || *app.closing.borrow();
    Ok(answer(checks, draining, wish.verbose))
}

/// Figures as `OpenMetrics` text.
#[utoipa::path(get, path = routes::METRICS, tag = "server",
    responses((status = 200, body = String, content_type = "application/openmetrics-text")))]
async fn metrics(State(app): State<App>) -> ([(HeaderName, &'static str); 1], String) {
    const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let offset = app.engine.cluster_status().and_then(|status| status.clock).map(|clock| clock.ms);
    let jump = || app.engine.clock_jump().map(|jump| i64::try_from(jump.ahead_ms).unwrap_or(i64::MAX));
    let offset = offset.or_else(jump);
    app.xxl.show_figures(&app.figures.xxl);
    ([(header::CONTENT_TYPE, TYPE)], app.figures.text(offset, app.control().store().connections()))
}

fn answer(checks: Vec<HealthCheck>, draining: bool, verbose: bool) -> (StatusCode, Json<Health>) {
    let status = match checks.iter().all(|check| check.ok) {
        false => HealthStatus::Failing,
        true if draining => HealthStatus::Draining,
        true => HealthStatus::Ok,
    };
    let code = if status == HealthStatus::Ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (code, Json(Health { status, checks: if verbose { checks } else { Vec::new() } }))
}

fn engine(app: &Inner) -> HealthCheck {
    let late_ms = app.engine.ticked_ms_ago();
    let message = match late_ms {
        None => Some("the engine has not looked for due triggers yet".to_owned()),
        Some(late_ms) if late_ms > TICK_MAX_MS => Some(format!("the engine has stood still for {late_ms} ms")),
        Some(_) => None,
    };
    HealthCheck { name: "engine".to_owned(), ok: message.is_none(), message }
}

/// Says of a jump of the clock that is not believed, and of what one that was believed has left. The server goes on, so it is ready.
fn clock(app: &Inner) -> Option<HealthCheck> {
    let jump = app.engine.clock_jump().map(crate::words::jump);
    let message = jump.or_else(|| crate::words::triggers_ahead(app.engine.triggers_ahead()));
    // Nodes of a cluster compare their clocks with the database's.
    let is_alone = app.control().store().cluster().is_none();
    (is_alone || message.is_some()).then(|| HealthCheck { name: "clock".to_owned(), ok: true, message })
}

/// Whether the others count with this node, where nodes share the store.
fn membership(app: &Inner) -> Option<HealthCheck> {
    app.control().store().cluster()?;
    let message = (!app.engine.is_ready())
        .then(|| "this node is not a member of the cluster now, or cannot renew its lease".to_owned());
    Some(HealthCheck { name: "cluster".to_owned(), ok: message.is_none(), message })
}

async fn store(app: &Inner) -> Vec<HealthCheck> {
    let check =
        |name: &str, message: Option<String>| HealthCheck { name: name.to_owned(), ok: message.is_none(), message };
    let asked = tokio::time::timeout(STORE_TIMEOUT, app.control().store().info()).await;
    match asked {
        Ok(Ok(_)) => vec![check("store", app.engine.store_trouble()), check("migrations", None)],
        // What went wrong is in the log: health is public.
        Ok(Err(error)) => {
            tracing::warn!(error = %mainspring_store::causes(&error), "the store fails its health check");
            vec![check("store", Some("the store could not answer".to_owned()))]
        }
        Err(_) => vec![check("store", Some("the store took longer than 2 s to answer".to_owned()))],
    }
}
