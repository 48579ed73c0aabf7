//! Runs that wait move to other queues.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::{Extension, Json};
use mainspring_api::{self as api, ErrorCode, Problem, QueueAction, QueueMove, QueueMoved, RunMove, routes};
use mainspring_core::job::JobKey;
use mainspring_core::line::Line;
use mainspring_core::run::RunState;
use mainspring_store::{Moving, QueueMove as StoreMove, RunInfo};
use utoipa_axum::routes;

use super::{
    DEFAULT_NAMESPACE,
    runs::{self, id},
};
use super::{Route, jobs, queues};
use crate::access::Caller;
use crate::app::App;
use crate::extract::{Body, PathOf};
use crate::pauses;
use crate::queue_changes::{self, Note};
use crate::refusal::{Answer, Refusal};

/// Runs that one transaction moves.
const SLICE: u32 = 500;
/// Runs that one request moves at most.
const MOVED_MAX: u32 = 10_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::operate(routes!(move_queue)).repeatable(), Route::operate(routes!(move_run))]
}

/// Puts runs that wait in a queue into another one. Runs that have been claimed meanwhile stay.
#[utoipa::path(post, path = routes::QUEUE_MOVE, tag = "queues", params(("queue" = String, Path)), request_body = QueueMove,
    responses((status = 200, body = QueueMoved)))]
async fn move_queue(
    State(app): State<App>,
    PathOf(from): PathOf<String>,
    Extension(caller): Extension<Caller>,
    Body(asked): Body<QueueMove>,
) -> Answer<Json<QueueMoved>> {
    queues::must_be_name(&from)?;
    let by = may_move(&caller, &from, ("/to", &asked.to), asked.reason.as_ref())?;
    let limit = asked.limit.unwrap_or(MOVED_MAX);
    if !(1..=MOVED_MAX).contains(&limit) {
        let problem =
            Problem::new(ErrorCode::FieldValue, "1 to 10000; ask again while the answer says more").at("/limit");
        return Err(Refusal::invalid(vec![problem]));
    }
    let which = match &asked.job {
        None => Moving::All,
        Some(name) => {
            let namespace = asked.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE);
            Moving::Job(jobs::find(&app, &JobKey::new(namespace, name)).await?.id)
        }
    };
    let change = StoreMove { from, to: asked.to, which };
    let (mut moved, mut more) = (0, true);
    while more && moved < limit {
        let runs = app.control().store().move_queued(&change, SLICE.min(limit - moved)).await?;
        // Fewer than asked for are not the last ones: some of those that were found may have been claimed meanwhile.
        more = !runs.is_empty();
        moved += u32::try_from(runs.len()).unwrap_or(SLICE);
    }
    tracing::info!(from = change.from, to = change.to, moved, by, reason = asked.reason, "runs moved to another queue");
    app.engine.queues_changed();
    if moved > 0 {
        let note = Note::new(QueueAction::Move, by, asked.reason).moved(moved, &change.to);
        queue_changes::note(&app, &change.from, note).await?;
    }
    Ok(Json(QueueMoved { moved, more }))
}

/// Puts a run that waits into another queue.
#[utoipa::path(post, path = routes::RUN_MOVE, tag = "runs", params(("run" = String, Path)), request_body = RunMove,
    responses((status = 200, body = api::Run)))]
async fn move_run(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    Extension(caller): Extension<Caller>,
    Body(asked): Body<RunMove>,
) -> Answer<Response> {
    let run = app.control().run(id(&run)?).await?;
    let from = queue_of(&run)?;
    let by = may_move(&caller, &from, ("/queue", &asked.queue), asked.reason.as_ref())?;
    let change = StoreMove { from, to: asked.queue, which: Moving::Run(run.id) };
    if app.control().store().move_queued(&change, 1).await?.is_empty() {
        return Err(has_left(&run, &change.from));
    }
    tracing::info!(run = %run.id, from = change.from, to = change.to, by, reason = asked.reason, "a run moved to another queue");
    app.engine.queues_changed();
    let note = Note::new(QueueAction::Move, by, asked.reason).run(&run).moved(1, &change.to);
    queue_changes::note(&app, &change.from, note).await?;
    runs::shown(&app, run.id, StatusCode::OK).await
}

/// The queue in which a run waits.
pub(super) fn queue_of(run: &RunInfo) -> Answer<String> {
    let line = Line::parse(&run.queue);
    if run.state != RunState::Queued || line.is_of_workflows() {
        let why = format!("run {} is {} and waits in no queue", run.id, run.state);
        return Err(Refusal::new(ErrorCode::RunNotQueued, why));
    }
    Ok(line.queue().to_owned())
}

/// Says that a run does not wait any more in the queue in which it was found.
pub(super) fn has_left(run: &RunInfo, queue: &str) -> Refusal {
    Refusal::new(ErrorCode::RunNotQueued, format!("run {} has left the queue {queue} meanwhile", run.id))
}

/// Checks where runs are to go, and answers who asks.
fn may_move(caller: &Caller, from: &str, (pointer, to): (&str, &str), reason: Option<&String>) -> Answer<String> {
    let by = pauses::by(caller, &api::Reason { reason: reason.cloned(), by: None })?;
    // Nobody else takes runs from the queues of executors.
    let executors = api::XxlTask::queue("");
    let problem = if !api::is_valid_name(to) {
        Some((ErrorCode::NameInvalid, format!("{to:?} cannot be the name of a queue")))
    } else if from == to {
        Some((ErrorCode::FieldValue, format!("the runs wait in the queue {to} already")))
    } else if let Some(app) = [from, to].iter().find_map(|queue| queue.strip_prefix(&*executors)) {
        let why = format!("only the executors of the app {app} take runs from its queue, and no other runs");
        Some((ErrorCode::FieldValue, why))
    } else {
        None
    };
    match problem {
        Some((code, why)) => Err(Refusal::invalid(vec![Problem::new(code, why).at(pointer)])),
        None => Ok(by),
    }
}
