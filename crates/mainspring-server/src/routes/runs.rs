//! Runs and attempts.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use mainspring_api::{self as api, ErrorCode, Page, Reason, RunFilter, routes};
use mainspring_core::job::JobKey;
use mainspring_core::run::RunState;
use mainspring_core::{JobId, RunId};
use mainspring_store::RunQuery;
use utoipa_axum::routes;

use super::tasks::tasks_of;
use super::{Route, jobs, named_namespace, namespaces};
use crate::app::App;
use crate::extract::{OptionalBody, PathOf, QueryOf};
use crate::idempotency::Deed;
use crate::pages;
use crate::query::parse;
use crate::query::runs::{FIELDS, Walked, walk};
use crate::refusal::{Answer, Refusal};
use crate::show::{self, Runs};

/// Runs that are looked through for one of a deleted job: the store knows names of jobs that are there only.
const SCANNED_AT_ONCE: u32 = 1_000;
const SCANS_MAX: u32 = 10;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(list)),
        Route::view(routes!(get)),
        Route::operate(routes!(cancel)).repeatable(),
        Route::view(routes!(attempts)),
    ]
}

/// Which runs a list may show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    All,
    Final,
}

/// Lists runs of a namespace, or with `-` of all, newest first, live and final.
#[utoipa::path(get, path = routes::RUNS, tag = "runs", params(("namespace" = String, Path), RunFilter), responses((status = 200, body = Page<api::Run>)))]
async fn list(
    State(app): State<App>,
    PathOf(namespace): PathOf<String>,
    QueryOf(filter): QueryOf<RunFilter>,
) -> Answer<Json<Page<api::Run>>> {
    page(&app, namespace, filter, Which::All).await.map(Json)
}

/// Returns a run, live or final.
#[utoipa::path(get, path = routes::RUN, tag = "runs", params(("run" = String, Path)), responses((status = 200, body = api::Run)))]
async fn get(State(app): State<App>, PathOf(run): PathOf<String>) -> Answer<Response> {
    shown(&app, id(&run)?, StatusCode::OK).await
}

/// Asks for a run to be cancelled. It is final when its processes have ended.
#[utoipa::path(post, path = routes::RUN_CANCEL, tag = "runs", params(("run" = String, Path)), request_body = Reason,
    responses((status = 202, body = api::Run)))]
async fn cancel(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    deed: Option<Extension<Deed>>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    let id = id(&run)?;
    let cancelled = app.control().cancel(id, reason.reason.as_deref().unwrap_or("cancelled on request")).await;
    if let Err(refused) = cancelled
        && !(deed.is_some_and(|deed| deed.again) && is_cancelled(&app, id).await?)
    {
        return Err(refused.into());
    }
    shown(&app, id, StatusCode::ACCEPTED).await
}

/// Whether a run was cancelled: where the same request has done it before, there is nothing left to do.
async fn is_cancelled(app: &App, id: RunId) -> Answer<bool> {
    Ok(app.control().run(id).await?.state == RunState::Cancelled)
}

/// Lists the attempts of a run, first to last.
#[utoipa::path(get, path = routes::RUN_ATTEMPTS, tag = "runs", params(("run" = String, Path)), responses((status = 200, body = Vec<api::Attempt>)))]
async fn attempts(State(app): State<App>, PathOf(run): PathOf<String>) -> Answer<Json<Vec<api::Attempt>>> {
    let run = app.control().run(id(&run)?).await?;
    let attempts = app.control().store().attempts(run.id).await?;
    Ok(Json(attempts.into_iter().filter_map(|attempt| show::attempt(&run, attempt)).collect()))
}

/// Refuses to take a run that would not start before the server does again.
pub(crate) fn must_start(app: &App) -> Answer<()> {
    if app.engine.is_draining() {
        return Err(Refusal::new(ErrorCode::ServerDraining, "the server is shutting down, and starts no runs"));
    }
    Ok(())
}

/// Lists runs.
pub(super) async fn page(app: &App, namespace: String, filter: RunFilter, which: Which) -> Answer<Page<api::Run>> {
    let limit = pages::limit(filter.limit)?;
    let before =
        filter.cursor.as_deref().map(|cursor| cursor.parse().map_err(|_| pages::bad_cursor(cursor))).transpose()?;
    let mut query = parse(filter.q.as_deref().unwrap_or_default(), FIELDS)?;
    if let Some(label) = &filter.label {
        query.and("label", label);
    }
    let job = match (&filter.job, named_namespace(&namespace)) {
        (Some(name), Some(namespace)) => Some(job_id(app, &JobKey::new(namespace, name)).await?),
        (Some(name), None) => {
            query.and("job", name);
            None
        }
        (None, _) => None,
    };
    let walked = match states(filter.state, which)? {
        // No run that is not final is in a history.
        Some(states) if states.is_empty() => Walked { found: Vec::new(), rest: None },
        states => {
            let asked = RunQuery {
                namespace: named_namespace(&namespace).map(str::to_owned),
                job,
                states: states.unwrap_or_default(),
                from: filter.from.map(show::from_wire),
                to: filter.to.map(show::from_wire),
                before,
                parent: filter.parent.as_deref().map(id).transpose()?,
                with_calls: filter.parent.is_some(),
                line: None,
                with_tasks: filter.tasks.unwrap_or(false),
                limit: 0,
            };
            walk(app, asked, &query, limit).await?
        }
    };
    if walked.found.is_empty() && job.is_none() && filter.cursor.is_none() && named_namespace(&namespace).is_some() {
        namespaces::must_exist(app, &namespace).await?;
    }
    let items = Runs::new(app.control()).show_all(walked.found).await?;
    Ok(Page { items, next_cursor: walked.rest.map(|run| run.to_string()) })
}

/// The id of a job; of one that is deleted, that of its newest run.
async fn job_id(app: &App, key: &JobKey) -> Answer<JobId> {
    let missing = match jobs::find(app, key).await {
        Ok(row) => return Ok(row.id),
        Err(refusal) => refusal,
    };
    let namespace = Some(key.namespace.clone());
    let mut query = RunQuery { namespace, limit: SCANNED_AT_ONCE, ..RunQuery::default() };
    for _ in 0..SCANS_MAX {
        let runs = app.control().store().runs(query.clone()).await?;
        if let Some(run) = runs.iter().find(|run| run.key == *key) {
            return Ok(run.job);
        }
        match runs.last() {
            Some(last) if runs.len() == SCANNED_AT_ONCE as usize => query.before = Some(last.id),
            _ => break,
        }
    }
    Err(missing)
}

/// The states to look for; all if `None`.
fn states(asked: Option<api::RunState>, which: Which) -> Answer<Option<Vec<RunState>>> {
    let asked = match asked {
        None => None,
        Some(word) => Some(word.known().ok_or_else(|| {
            let known: Vec<_> = RunState::ALL.iter().map(|state| state.as_str()).collect();
            Refusal::new(ErrorCode::RequestQuery, format!("state takes one of {}", known.join(", ")))
        })?),
    };
    Ok(match (asked, which) {
        (None, Which::All) => None,
        (Some(state), Which::All) => Some(vec![state]),
        (None, Which::Final) => Some(RunState::ALL.iter().copied().filter(|state| state.is_final()).collect()),
        (Some(state), Which::Final) => Some(Some(state).into_iter().filter(|state| state.is_final()).collect()),
    })
}

/// Reads a run's id. What is no id names no run.
pub(super) fn id(text: &str) -> Answer<RunId> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(64).collect();
        Refusal::new(ErrorCode::RunNotFound, format!("\"{}\" is not the id of a run", shown.escape_debug()))
    })
}

/// Answers with a run, and how far its tasks are if it is a workflow.
pub(super) async fn shown(app: &App, id: RunId, status: StatusCode) -> Answer<Response> {
    let run = app.control().run(id).await?;
    let tasks = tasks_of(app, &run).await?;
    let missed = app.control().store().has_missed_deadline(id).await?;
    let mut shown = Runs::new(app.control()).show(run).await?;
    if let Some(tasks) = tasks {
        (shown.tasks, shown.paused) = (Some(tasks.counts()), tasks.paused);
        shown.rerun_as = tasks.rerun_as.map(|run| run.to_string());
    }
    shown.deadline_missed = missed;
    Ok((status, Json(shown)).into_response())
}
