//! Runs that wait get another place in their queue or are dropped, and what people have changed about a queue.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::{Extension, Json};
use mainspring_api::{
    self as api, ErrorCode, Page, PageFilter, Problem, QueueAction, QueueChange, QueueEnd, Reason, RunPlace, routes,
};
use mainspring_core::run::RunState;
use mainspring_store::Placing;
use utoipa_axum::routes;

use super::{Route, moves, queues, runs};
use crate::access::Caller;
use crate::app::App;
use crate::extract::{Body, OptionalBody, PathOf, QueryOf};
use crate::idempotency::Deed;
use crate::pages;
use crate::pauses;
use crate::queue_changes::{self, Note};
use crate::refusal::{Answer, Refusal};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::operate(routes!(place)).repeatable(),
        Route::operate(routes!(drop_run)).repeatable(),
        Route::view(routes!(changes)),
    ]
}

/// Gives a run that waits another place in its queue: before or behind all others that wait there, or where a priority puts it. It gets
/// the priority that puts it there. Namespaces take turns all the same, and limits hold.
#[utoipa::path(post, path = routes::RUN_PLACE, tag = "runs", params(("run" = String, Path)), request_body = RunPlace,
    responses((status = 200, body = api::Run)))]
async fn place(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    Extension(caller): Extension<Caller>,
    Body(RunPlace { to, priority, reason, by }): Body<RunPlace>,
) -> Answer<Response> {
    let by = pauses::by(&caller, &Reason { reason: reason.clone(), by })?;
    let placing = match (to, priority) {
        (Some(QueueEnd::First), None) => Placing::First,
        (Some(QueueEnd::Last), None) => Placing::Last,
        (None, Some(priority)) => Placing::Priority(priority),
        (None, None) => {
            let problem = Problem::new(ErrorCode::FieldMissing, "`to` or `priority` says where the run is to stand");
            return Err(Refusal::invalid(vec![problem.at("/to")]));
        }
        (Some(_), Some(_)) => {
            let problem = Problem::new(ErrorCode::FieldValue, "`to` or `priority`, and not both");
            return Err(Refusal::invalid(vec![problem.at("/priority")]));
        }
    };
    let run = app.control().run(runs::id(&run)?).await?;
    let queue = moves::queue_of(&run)?;
    let Some(change) = app.control().store().place_queued(&queue, run.id, placing).await? else {
        return Err(moves::has_left(&run, &queue));
    };
    tracing::info!(run = %run.id, queue, before = change.before, after = change.after, by, reason, "a run gets another place in its queue");
    app.engine.queues_changed();
    if change.before != change.after {
        let note = Note::new(QueueAction::Place, by, reason).run(&run).placed(to.map(|to| to.to_string()), change);
        queue_changes::note(&app, &queue, note).await?;
    }
    runs::shown(&app, run.id, StatusCode::OK).await
}

/// Cancels a run that waits in its queue; refused once it has started. One that starts in that very moment is ended as by `cancel`.
#[utoipa::path(post, path = routes::RUN_DROP, tag = "runs", params(("run" = String, Path)), request_body = Option<Reason>,
    responses((status = 200, body = api::Run)))]
async fn drop_run(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    deed: Option<Extension<Deed>>,
    Extension(caller): Extension<Caller>,
    OptionalBody(asked): OptionalBody<Reason>,
) -> Answer<Response> {
    let by = pauses::by(&caller, &asked)?;
    let run = app.control().run(runs::id(&run)?).await?;
    if run.state == RunState::Cancelled && deed.is_some_and(|deed| deed.again) {
        return runs::shown(&app, run.id, StatusCode::OK).await;
    }
    let queue = moves::queue_of(&run)?;
    app.control().cancel(run.id, asked.reason.as_deref().unwrap_or("dropped from its queue")).await?;
    tracing::info!(run = %run.id, queue, by, reason = asked.reason, "a run is dropped from its queue");
    queue_changes::note(&app, &queue, Note::new(QueueAction::Drop, by, asked.reason).run(&run)).await?;
    runs::shown(&app, run.id, StatusCode::OK).await
}

/// Lists what people have changed about a queue in the last 90 days, newest first: its limits and pauses, and runs that they have moved,
/// placed or dropped.
#[utoipa::path(get, path = routes::QUEUE_CHANGES, tag = "queues", params(("queue" = String, Path), PageFilter),
    responses((status = 200, body = Page<QueueChange>)))]
async fn changes(
    State(app): State<App>,
    PathOf(queue): PathOf<String>,
    QueryOf(filter): QueryOf<PageFilter>,
) -> Answer<Json<Page<QueueChange>>> {
    queues::must_be_name(&queue)?;
    let limit = pages::limit(filter.limit)?;
    let after = pages::names::<1>("changes", filter.cursor.as_deref())?.map(|[id]| id);
    let fetch = u32::try_from(limit + 1).unwrap_or(u32::MAX);
    let found = queue_changes::read(&app, &queue, after.as_deref(), fetch).await?;
    Ok(Json(pages::page(found, limit, |change: &QueueChange| pages::cursor("changes", &[&change.id]))))
}
