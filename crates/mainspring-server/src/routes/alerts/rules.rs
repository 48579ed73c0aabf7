//! What is told to whom, for many jobs.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use mainspring_api::{AlertRule, AlertRuleSpec, ErrorCode, Problem, routes};
use mainspring_core::alert::Scope;
use mainspring_core::job::JobKey;
use mainspring_store::{Document, JobQuery};
use utoipa_axum::routes;

use super::{Route, needs_calls, number, written};
use crate::alerts::{self, KeptRule, RULE};
use crate::app::App;
use crate::convert;
use crate::extract::{Body, Condition, PathOf, etag, made};
use crate::layers::DONE;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

/// Jobs that are compared with a rule at once, and at most, to see whether one fits.
const JOBS_PAGE: u32 = 500;
const JOBS_MAX: usize = 20_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(rules)), Route::view(routes!(rule)), Route::edit(routes!(put_rule, delete_rule))]
}

/// Lists the rules, by name. Those of job files are not among them.
#[utoipa::path(get, path = routes::ALERT_RULES, tag = "alerts", responses((status = 200, body = Vec<AlertRule>)))]
async fn rules(State(app): State<App>) -> Answer<Json<Vec<AlertRule>>> {
    let found = app.control().store().documents(RULE, None, app.now(), super::DOCUMENTS_MAX).await?;
    Ok(Json(found.iter().filter_map(shown).collect()))
}

/// Returns a rule.
#[utoipa::path(get, path = routes::ALERT_RULE, tag = "alerts", params(("rule" = String, Path)), responses((status = 200, body = AlertRule)))]
async fn rule(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<impl IntoResponse> {
    let found = app.control().store().document(RULE, &name, app.now()).await?;
    let rule = found.as_ref().and_then(shown).ok_or_else(|| missing(&name))?;
    Ok((etag(rule.version), Json(rule)))
}

/// Saves a rule: it holds for what happens from now on.
#[utoipa::path(put, path = routes::ALERT_RULE, tag = "alerts", params(("rule" = String, Path)), request_body = AlertRuleSpec,
    responses((status = 200, body = AlertRule), (status = 201, body = AlertRule)))]
async fn put_rule(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    condition: Condition,
    Body(spec): Body<AlertRuleSpec>,
) -> Answer<impl IntoResponse> {
    needs_calls(&app)?;
    if spec.name != name {
        let problem = Problem::new(ErrorCode::NameInvalid, format!("the path names \"{name}\"")).at("/name");
        return Err(Refusal::invalid(vec![problem]));
    }
    let alerts = convert::alert_rule(&spec).map_err(Refusal::invalid)?;
    alerts::check_channels(&app, &spec.alerts).await?;
    let before = app.control().store().document(RULE, &name, app.now()).await?.map(|it| it.version);
    condition.check(&what(&name), before.map(number), || missing(&name))?;
    let scope = Scope { namespace: spec.namespace.clone(), job: spec.job.clone(), labels: spec.labels.clone() };
    let warnings = fits(&app, &scope).await?;
    let body = serde_json::to_string(&KeptRule { name: name.clone(), scope, alerts }).expect("plain data has a text");
    alerts::begin(&app).await?;
    let kept = written(&app, RULE, name.clone(), body, before).await?;
    app.alerts.changed.notify_one();
    tracing::info!(rule = name, "a rule of alerts was saved");
    let rule = AlertRule { warnings, ..shown(&kept).ok_or_else(|| missing(&name))? };
    Ok((made(before.is_none()), etag(rule.version), Json(rule)))
}

/// Deletes a rule. What it alone wanted to know is over, and nobody is told.
#[utoipa::path(delete, path = routes::ALERT_RULE, tag = "alerts", params(("rule" = String, Path)), responses((status = 204)))]
async fn delete_rule(State(app): State<App>, PathOf(name): PathOf<String>, condition: Condition) -> Answer<StatusCode> {
    let store = app.control().store();
    let there = store.document(RULE, &name, app.now()).await?.map(|it| number(it.version));
    condition.check(&what(&name), there, || missing(&name))?;
    if !store.remove_document(RULE, &name).await? {
        return Err(missing(&name));
    }
    app.alerts.changed.notify_one();
    tracing::info!(rule = name, "a rule of alerts was deleted");
    Ok(DONE)
}

/// Warns of a rule that no job fits.
pub(super) async fn fits(app: &App, scope: &Scope) -> Answer<Vec<Problem>> {
    let store = app.control().store();
    if let (Some(namespace), Some(job)) = (&scope.namespace, &scope.job) {
        let found = store.job(&JobKey::new(namespace, job)).await?;
        return Ok(if found.is_some_and(|row| scope.covers(&row.definition)) { Vec::new() } else { vec![unfit()] });
    }
    let (mut after, mut seen) = (None, 0);
    loop {
        let query = JobQuery { namespace: scope.namespace.clone(), after, limit: JOBS_PAGE, ..JobQuery::default() };
        let page = store.jobs(query).await?;
        if page.iter().any(|row| scope.covers(&row.definition)) {
            return Ok(Vec::new());
        }
        seen += page.len();
        after = page.last().map(|row| row.definition.key.clone());
        if page.len() < JOBS_PAGE as usize || seen >= JOBS_MAX {
            return Ok(vec![unfit()]);
        }
    }
}

fn unfit() -> Problem {
    Problem::new(ErrorCode::AlertNothingMatches, "no job fits it now").hint("it holds for jobs that come later")
}

fn shown(document: &Document) -> Option<AlertRule> {
    let kept: KeptRule = serde_json::from_str(&document.body).ok()?;
    Some(AlertRule {
        name: document.name.clone(),
        version: number(document.version),
        updated_at: instant(document.at),
        spec: AlertRuleSpec {
            name: document.name.clone(),
            namespace: kept.scope.namespace,
            job: kept.scope.job,
            labels: kept.scope.labels,
            alerts: convert::alert_specs(&kept.alerts),
        },
        warnings: Vec::new(),
    })
}

fn what(name: &str) -> String {
    format!("rule \"{}\"", name.escape_debug())
}

fn missing(name: &str) -> Refusal {
    Refusal::new(ErrorCode::AlertRuleNotFound, format!("there is no {}", what(name)))
}
