//! Queues: what waits in them, and what is set for them.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::{Extension, Json};
use mainspring_api::{
    self as api, ErrorCode, Problem, Queue, QueueAction, QueueHistory, QueueHistoryFilter, QueueRate, QueueSettings,
    is_valid_name, routes,
};
use mainspring_core::line::Line;
use mainspring_core::queue::{QueueRule, Rate, label_of};
use mainspring_core::run::RunState;
use mainspring_store::{Error as StoreError, QueueRow, RollupSpan};
use utoipa_axum::routes;

use super::Route;
use crate::access::Caller;
use crate::app::App;
use crate::extract::{Body, OptionalBody, PathOf, QueryOf};
use crate::pauses::{self, Pause, Paused};
use crate::queue_changes::{self, Note};
use crate::queue_history::{self, Wanted};
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

/// How often a change is tried again that meets another one.
const TRIES: u32 = 5;
const DAY_MS: u32 = 86_400_000;
/// The highest bound of a queue: as many runs are counted again and again.
const WAITING_MAX: u32 = 100_000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(list)),
        Route::view(routes!(get)),
        Route::view(routes!(history)),
        Route::edit(routes!(put)),
        Route::operate(routes!(pause)),
        Route::operate(routes!(resume)),
    ]
}

/// Lists the queues in which runs are or were in the last minutes, that workers take from, or for which something is set, by name.
#[utoipa::path(get, path = routes::QUEUES, tag = "queues", responses((status = 200, body = Vec<Queue>)))]
async fn list(State(app): State<App>) -> Answer<Json<Vec<Queue>>> {
    Ok(Json(known(&app).await?.into_values().collect()))
}

/// Returns a queue. Every name is one.
#[utoipa::path(get, path = routes::QUEUE, tag = "queues", params(("queue" = String, Path)), responses((status = 200, body = Queue)))]
async fn get(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<Json<Queue>> {
    must_be_name(&name)?;
    one(&app, name).await
}

/// Returns how many runs came into a queue, left it and waited in it over time, and for how long those that left had waited. Reads what is
/// counted already: minutes are kept for 2 days, quarters of an hour for 8 days, and three hours for 100 days. A server process keeps
/// figures of 100 queues at a time.
#[utoipa::path(get, path = routes::QUEUE_HISTORY, tag = "queues", params(("queue" = String, Path), QueueHistoryFilter),
    responses((status = 200, body = QueueHistory)))]
async fn history(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    QueryOf(filter): QueryOf<QueueHistoryFilter>,
) -> Answer<Json<QueueHistory>> {
    must_be_name(&name)?;
    let wanted = Wanted::of(filter, app.now())?;
    let rows = app.control().store().queue_rollups(Some(&name), wanted.span, wanted.from, wanted.to).await?;
    Ok(Json(wanted.history(name, &rows)))
}

/// Sets how runs leave a queue, from the next claim on.
#[utoipa::path(put, path = routes::QUEUE, tag = "queues", params(("queue" = String, Path), api::Reason), request_body = QueueSettings,
    responses((status = 200, body = Queue)))]
async fn put(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    Extension(caller): Extension<Caller>,
    QueryOf(asked): QueryOf<api::Reason>,
    Body(after): Body<QueueSettings>,
) -> Answer<Json<Queue>> {
    must_be_name(&name)?;
    check(&after)?;
    let by = pauses::by(&caller, &asked)?;
    let before = settings(set(&app, &name, |_| rule(after)).await?);
    match (before.paused, after.paused) {
        (false, true) => pauses::note(&app, Paused::Queue(&name), by.clone(), asked.reason.clone(), false).await?,
        (true, false) => pauses::forget(&app, Paused::Queue(&name)).await?,
        _ => {}
    }
    if before != after {
        let note = Note::new(QueueAction::Set, by, asked.reason).set(before, after);
        queue_changes::note(&app, &name, note).await?;
    }
    one(&app, name).await
}

/// Pauses a queue: nothing leaves it; what runs goes on.
#[utoipa::path(post, path = routes::QUEUE_PAUSE, tag = "queues", params(("queue" = String, Path)), request_body = Option<api::Reason>,
    responses((status = 200, body = Queue)))]
async fn pause(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    Extension(caller): Extension<Caller>,
    OptionalBody(asked): OptionalBody<api::Reason>,
) -> Answer<Json<Queue>> {
    must_be_name(&name)?;
    let by = pauses::by(&caller, &asked)?;
    tracing::info!(queue = name, by, reason = asked.reason, "a queue is paused");
    let was_paused = set(&app, &name, |rule| QueueRule { paused: true, ..rule }).await?.paused;
    if !was_paused || asked.reason.is_some() {
        queue_changes::note(&app, &name, Note::new(QueueAction::Pause, by.as_str(), asked.reason.clone())).await?;
    }
    pauses::note(&app, Paused::Queue(&name), by, asked.reason, was_paused).await?;
    one(&app, name).await
}

/// Ends the pause of a queue.
#[utoipa::path(post, path = routes::QUEUE_RESUME, tag = "queues", params(("queue" = String, Path)), request_body = Option<api::Reason>,
    responses((status = 200, body = Queue)))]
async fn resume(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    Extension(caller): Extension<Caller>,
    OptionalBody(asked): OptionalBody<api::Reason>,
) -> Answer<Json<Queue>> {
    must_be_name(&name)?;
    let by = pauses::by(&caller, &asked)?;
    tracing::info!(queue = name, by, reason = asked.reason, "the pause of a queue ends");
    let was_paused = set(&app, &name, |rule| QueueRule { paused: false, ..rule }).await?.paused;
    pauses::forget(&app, Paused::Queue(&name)).await?;
    if was_paused {
        queue_changes::note(&app, &name, Note::new(QueueAction::Resume, by, asked.reason)).await?;
    }
    one(&app, name).await
}

pub(super) fn must_be_name(name: &str) -> Answer<()> {
    match is_valid_name(name) {
        true => Ok(()),
        false => Err(Refusal::new(ErrorCode::NameInvalid, format!("{name:?} cannot be the name of a queue"))),
    }
}

/// Everything that is wrong with settings.
pub(super) fn check(settings: &QueueSettings) -> Answer<()> {
    let mut problems = Vec::new();
    let mut wrong = |pointer: &str, message: &str| {
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(pointer));
    };
    if settings.max_running == Some(0) {
        wrong("/max_running", "at least 1; a queue that nothing is to leave is paused");
    }
    if settings.max_waiting.is_some_and(|max| !(1..=WAITING_MAX).contains(&max)) {
        wrong("/max_waiting", "1 to 100000; none at all lets any number wait");
    }
    if let Some(QueueRate { count, per_ms }) = settings.rate {
        if count == 0 {
            wrong("/rate/count", "at least 1; a queue that nothing is to leave is paused");
        }
        if !(1..=DAY_MS).contains(&per_ms) {
            wrong("/rate/per_ms", "1 ms to one day");
        } else if u64::from(count) > u64::from(per_ms) * 1_000 {
            wrong("/rate/count", "at most a million a second");
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Refusal::invalid(problems)) }
}

pub(super) fn rule(settings: QueueSettings) -> QueueRule {
    let rate = settings.rate.map(|rate| Rate { count: rate.count, per_ms: rate.per_ms.into() });
    QueueRule { paused: settings.paused, max_running: settings.max_running, rate, max_waiting: settings.max_waiting }
}

pub(super) fn settings(rule: QueueRule) -> QueueSettings {
    let rate = |rate: Rate| QueueRate { count: rate.count, per_ms: u32::try_from(rate.per_ms).unwrap_or(DAY_MS) };
    QueueSettings {
        paused: rule.paused,
        max_running: rule.max_running,
        rate: rule.rate.map(rate),
        max_waiting: rule.max_waiting,
    }
}

/// Changes what is set for a queue or a label, whatever others set meanwhile. Returns what was set before.
pub(super) async fn set(app: &App, name: &str, change: impl Fn(QueueRule) -> QueueRule) -> Answer<QueueRule> {
    let store = app.control().store();
    for _ in 0..TRIES {
        let row = store.queues().await?.into_iter().find(|row| row.name == name);
        let (before, revision) = row.map_or_else(Default::default, |row: QueueRow| (row.rule, row.revision));
        match store.set_queue(name, change(before), revision, app.now()).await {
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => {
                app.engine.queues_changed();
                return Ok(before);
            }
        }
    }
    let why = format!("what is set for {name} was changed by others at the same time");
    Err(Refusal::new(ErrorCode::ResourceConflict, why))
}

async fn one(app: &App, name: String) -> Answer<Json<Queue>> {
    Ok(Json(known(app).await?.remove(&name).unwrap_or_else(|| empty(&name))))
}

fn empty(name: &str) -> Queue {
    Queue {
        name: name.to_owned(),
        settings: QueueSettings::default(),
        pause_reason: None,
        paused_at: None,
        paused_by: None,
        queued: 0,
        running: 0,
        oldest_due_at: None,
        workers: 0,
        lately: None,
    }
}

/// Every queue that is known of.
async fn known(app: &App) -> Answer<BTreeMap<String, Queue>> {
    let store = app.control().store();
    let mut queues: BTreeMap<String, Queue> = BTreeMap::new();
    let mut queue = |name: &str, note: &mut dyn FnMut(&mut Queue)| {
        note(queues.entry(name.to_owned()).or_insert_with(|| empty(name)));
    };
    for row in store.queues().await?.into_iter().filter(|row| label_of(&row.name).is_none()) {
        queue(&row.name, &mut |queue| queue.settings = settings(row.rule));
    }
    for count in store.figures().await?.runs {
        queue(Line::parse(&count.queue).queue(), &mut |queue| match count.state {
            RunState::Queued => {
                queue.queued += count.count;
                let oldest = queue.oldest_due_at.into_iter().chain([instant(count.oldest_due_at)]).min();
                queue.oldest_due_at = oldest;
            }
            RunState::Running => queue.running += count.count,
            _ => {}
        });
    }
    for worker in store.workers().await?.into_iter().filter(|worker| !worker.draining) {
        for name in &worker.info.queues {
            queue(name, &mut |queue| queue.workers += 1);
        }
    }
    let now = app.now();
    let from = queue_history::lately_from(now);
    let minutes = store.queue_rollups(None, RollupSpan::Minute, from, now + 1).await?;
    for (name, lately) in queue_history::lately(&minutes, now) {
        queue(&name, &mut |queue| queue.lately = Some(lately.clone()));
    }
    for queue in queues.values_mut().filter(|queue| queue.settings.paused) {
        let Pause { at, by, reason } = pauses::find(app, Paused::Queue(&queue.name)).await?.unwrap_or_default();
        (queue.paused_at, queue.paused_by, queue.pause_reason) = (at, by, reason);
    }
    Ok(queues)
}
