//! Backfills: what one would do, starting one, and what became of it.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use mainspring_api::{
    self as api, BackfillFilter, BackfillItemFilter, BackfillSpec, ErrorCode, Page, PageFilter, Problem, Reason, routes,
};
use mainspring_core::job::JobKey;
use mainspring_core::workflow::backfill::{Action, BackfillState, ItemState, Order, Part, Reprocess, Spec};
use mainspring_core::{RunId, Timestamp};
use mainspring_engine::control::{BackfillError, BackfillPlan, BackfillVerb, PlanRow, Wish};
use mainspring_store::{BackfillItem, BackfillQuery, BackfillRow};
use utoipa_axum::routes;

use super::{Route, jobs, named_namespace, runs};
use crate::access::Caller;
use crate::app::App;
use crate::extract::{Body, OptionalBody, PathOf, QueryOf, large_json};
use crate::pages;
use crate::pauses;
use crate::refusal::{Answer, Refusal};
use crate::show::{count, instant};

/// How many runs of a backfill are under way, unless that is set: jobs are written for one run after the other.
const ACTIVE: u32 = 1;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(plan)),
        Route::operate(routes!(start)).repeatable(),
        Route::view(routes!(list)),
        Route::view(routes!(get)),
        Route::view(routes!(items)),
        Route::operate(routes!(pause)),
        Route::operate(routes!(resume)),
        Route::operate(routes!(cancel)),
        Route::operate(routes!(retry_failed)).repeatable(),
    ]
}

impl From<BackfillError> for Refusal {
    fn from(error: BackfillError) -> Self {
        let text = error.to_string();
        match error {
            BackfillError::Control(error) => error.into(),
            BackfillError::Trigger(_) => Self::new(ErrorCode::BackfillTrigger, text),
            BackfillError::NoSchedule(_) => Self::new(ErrorCode::BackfillNoSchedule, text),
            BackfillError::Range(_) => Self::new(ErrorCode::BackfillRange, text),
            BackfillError::Future(_) => Self::new(ErrorCode::BackfillFuture, text),
            BackfillError::Zone(_) => Self::new(ErrorCode::ScheduleZone, text),
            BackfillError::Empty(_) => Self::new(ErrorCode::BackfillEmpty, text),
            BackfillError::TooMany(_) => Self::new(ErrorCode::BackfillTooMany, text),
            BackfillError::Circle(_) => Self::new(ErrorCode::WorkflowNeedCircle, text),
            BackfillError::Bound(_) => Self::new(ErrorCode::BackfillBound, text),
            BackfillError::Stale { now, .. } => {
                Self::new(ErrorCode::BackfillStale, text).hint(format!("look at plan {now}, and start that one"))
            }
            BackfillError::NotFound(_) => Self::new(ErrorCode::BackfillNotFound, text),
            BackfillError::State(_) => Self::new(ErrorCode::BackfillState, text),
        }
    }
}

/// Returns what a backfill would do, with a page of its fire times in the order of the backfill. Nothing changes.
#[utoipa::path(post, path = routes::BACKFILL_PLAN, tag = "backfills", params(("namespace" = String, Path), ("job" = String, Path), PageFilter),
    request_body = BackfillSpec, responses((status = 200, body = api::BackfillPlan)))]
async fn plan(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    QueryOf(page): QueryOf<PageFilter>,
    Body(spec): Body<BackfillSpec>,
) -> Answer<Response> {
    let limit = pages::limit(page.limit)?;
    let from = match page.cursor.as_deref() {
        Some(cursor) => cursor.parse::<usize>().map_err(|_| pages::bad_cursor(cursor))?,
        None => 0,
    };
    let plan = app.control().plan_backfill(&JobKey::new(namespace, name), &wish(&spec)?).await?;
    large_json(shown_plan(plan, from, limit)).await
}

/// Starts a backfill: keeps the list of what it will run, and runs it bit by bit.
#[utoipa::path(post, path = routes::JOB_BACKFILLS, tag = "backfills", params(("namespace" = String, Path), ("job" = String, Path)),
    request_body = BackfillSpec, responses((status = 201, body = api::Backfill)))]
async fn start(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    Extension(caller): Extension<Caller>,
    Body(spec): Body<BackfillSpec>,
) -> Answer<(StatusCode, Json<api::Backfill>)> {
    runs::must_start(&app)?;
    let by = by(&caller, spec.by.clone())?;
    let key = JobKey::new(namespace, name);
    let row = app.control().start_backfill(&key, &wish(&spec)?, spec.plan.as_deref(), Some(by)).await?;
    tracing::info!(backfill.id = row.id, job = %key, items = row.counts.open, "backfill started");
    Ok((StatusCode::CREATED, Json(shown(row))))
}

/// Lists backfills of a namespace, or with `-` of all, newest first.
#[utoipa::path(get, path = routes::BACKFILLS, tag = "backfills", params(("namespace" = String, Path), BackfillFilter),
    responses((status = 200, body = Page<api::Backfill>)))]
async fn list(
    State(app): State<App>,
    PathOf(namespace): PathOf<String>,
    QueryOf(filter): QueryOf<BackfillFilter>,
) -> Answer<Json<Page<api::Backfill>>> {
    let limit = pages::limit(filter.limit)?;
    let job = match filter.job {
        Some(name) => Some(jobs::find(&app, &JobKey::new(namespace.clone(), name)).await?.id),
        None => None,
    };
    let query = BackfillQuery {
        namespace: named_namespace(&namespace).map(str::to_owned),
        job,
        state: filter.state.map(|state| word("state", state.as_str(), BackfillState::from_word)).transpose()?,
        cascade_of: filter.cascade_of.as_deref().map(number).transpose()?,
        before: filter
            .cursor
            .as_deref()
            .map(|cursor| cursor.parse().map_err(|_| pages::bad_cursor(cursor)))
            .transpose()?,
        limit: u32::try_from(limit + 1).unwrap_or(u32::MAX),
    };
    let rows = app.control().store().backfill_store().backfills(query).await?;
    Ok(Json(pages::page(rows.into_iter().map(shown).collect(), limit, |row: &api::Backfill| row.id.clone())))
}

/// Returns a backfill.
#[utoipa::path(get, path = routes::BACKFILL, tag = "backfills", params(("backfill" = String, Path)), responses((status = 200, body = api::Backfill)))]
async fn get(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Json<api::Backfill>> {
    Ok(Json(shown(app.control().backfill(number(&id)?).await?)))
}

/// Lists the items of a backfill in their order.
#[utoipa::path(get, path = routes::BACKFILL_ITEMS, tag = "backfills", params(("backfill" = String, Path), BackfillItemFilter),
    responses((status = 200, body = Page<api::BackfillItem>)))]
async fn items(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    QueryOf(filter): QueryOf<BackfillItemFilter>,
) -> Answer<Response> {
    let limit = pages::limit(filter.limit)?;
    let after = match filter.cursor.as_deref() {
        Some(cursor) => cursor.parse::<i64>().map_err(|_| pages::bad_cursor(cursor))?,
        None => 0,
    };
    let state = filter.state.map(|state| word("state", state.as_str(), ItemState::from_word)).transpose()?;
    let row = app.control().backfill(number(&id)?).await?;
    let most = u32::try_from(limit + 1).unwrap_or(u32::MAX);
    let items = app.control().store().backfill_store().backfill_items(row.id, state, after, most).await?;
    let fires: Vec<Timestamp> = items.iter().map(|item| item.fire_time).collect();
    let dates = app.control().logical_dates(&row, &fires).await?;
    let items: Vec<api::BackfillItem> = items.iter().zip(dates).map(|(item, date)| shown_item(item, date)).collect();
    large_json(pages::page(items, limit, |item| item.number.to_string())).await
}

/// Starts no more runs of a backfill until it is resumed. What is under way goes on.
#[utoipa::path(post, path = routes::BACKFILL_PAUSE, tag = "backfills", params(("backfill" = String, Path)), request_body = Option<Reason>,
    responses((status = 202, body = api::Backfill)))]
async fn pause(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    Extension(caller): Extension<Caller>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    steer(&app, &caller, &id, BackfillVerb::Pause, reason).await
}

/// Ends the pause of a backfill.
#[utoipa::path(post, path = routes::BACKFILL_RESUME, tag = "backfills", params(("backfill" = String, Path)), request_body = Option<Reason>,
    responses((status = 202, body = api::Backfill)))]
async fn resume(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    Extension(caller): Extension<Caller>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    steer(&app, &caller, &id, BackfillVerb::Resume, reason).await
}

/// Ends a backfill: what has no run yet is cancelled, and so are the runs that are under way.
#[utoipa::path(post, path = routes::BACKFILL_CANCEL, tag = "backfills", params(("backfill" = String, Path)), request_body = Option<Reason>,
    responses((status = 202, body = api::Backfill)))]
async fn cancel(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    Extension(caller): Extension<Caller>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    steer(&app, &caller, &id, BackfillVerb::Cancel, reason).await
}

/// Runs what failed or was cancelled again, each as a new run.
#[utoipa::path(post, path = routes::BACKFILL_RETRY, tag = "backfills", params(("backfill" = String, Path)), request_body = Option<Reason>,
    responses((status = 202, body = api::Backfill)))]
async fn retry_failed(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    Extension(caller): Extension<Caller>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    steer(&app, &caller, &id, BackfillVerb::RetryFailed, reason).await
}

/// Who starts a backfill: who says so, else how the caller was let in.
pub(super) fn by(caller: &Caller, by: Option<String>) -> Answer<String> {
    let asked = Reason { by, reason: None };
    let told = pauses::by(caller, &asked)?;
    Ok(asked.by.unwrap_or(told))
}

async fn steer(app: &App, caller: &Caller, id: &str, verb: BackfillVerb, reason: Reason) -> Answer<Response> {
    pauses::by(caller, &reason)?;
    let row = app.control().steer_backfill(number(id)?, verb, reason.reason.as_deref()).await?;
    tracing::info!(backfill.id = row.id, verb = ?verb, by = reason.by, reason = reason.reason, "backfill changed");
    Ok((StatusCode::ACCEPTED, Json(shown(row))).into_response())
}

/// Reads the number of a backfill. What is no number names none.
fn number(text: &str) -> Answer<i64> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(64).collect();
        Refusal::new(ErrorCode::BackfillNotFound, format!("no backfill \"{}\"", shown.escape_debug()))
    })
}

/// Reads a state of a filter. One that a newer client knows is none here.
fn word<T>(name: &str, word: &str, read: impl Fn(&str) -> Option<T>) -> Answer<T> {
    let refused = || Refusal::new(ErrorCode::RequestQuery, format!("query parameter \"{name}\" does not take {word}"));
    read(word).ok_or_else(refused)
}

/// Tasks that one request names at most.
const TASKS_MAX: usize = 1_000;

/// Reads which tasks run again. Nothing: whole runs do.
fn part(spec: &BackfillSpec) -> Answer<Option<Part>> {
    let wrong = |pointer: &str, why: &str| {
        Err(Refusal::invalid(vec![Problem::new(ErrorCode::FieldValue, why.to_owned()).at(format!("/{pointer}"))]))
    };
    let BackfillSpec { downstream, upstream, failed, create_missing, .. } = *spec;
    match (spec.tasks.is_empty(), failed) {
        (false, true) => return wrong("failed", "only one of tasks and failed can be given"),
        (true, _) if downstream || upstream => {
            return wrong("tasks", "downstream and upstream go with tasks: name one at least");
        }
        (true, false) if create_missing => return wrong("create_missing", "create_missing goes with tasks or failed"),
        (true, false) => return Ok(None),
        _ if spec.reprocess != api::Reprocess::Missing => {
            return wrong("reprocess", "reprocess is for whole runs: leave it out with tasks and failed");
        }
        _ if spec.tasks.len() > TASKS_MAX => return wrong("tasks", "more than 1,000 tasks are named"),
        _ => {}
    }
    let mut tasks = spec.tasks.clone();
    tasks.sort_unstable();
    tasks.dedup();
    Ok(Some(Part { tasks, downstream, upstream, create_missing }))
}

fn shown_part(part: Part) -> api::BackfillPart {
    let Part { tasks, downstream, upstream, create_missing } = part;
    api::BackfillPart { tasks, downstream, upstream, create_missing }
}

fn wish(spec: &BackfillSpec) -> Answer<Wish> {
    Ok(Wish {
        part: part(spec)?,
        cascade: spec.cascade,
        trigger: spec.trigger.clone(),
        zone: spec.timezone.clone(),
        from: spec.from.clone(),
        to: spec.to.clone(),
        reprocess: match spec.reprocess {
            api::Reprocess::Missing => Reprocess::Missing,
            api::Reprocess::Failed => Reprocess::Failed,
            api::Reprocess::All => Reprocess::All,
        },
        order: match spec.order {
            api::BackfillOrder::Asc => Order::Ascending,
            api::BackfillOrder::Desc => Order::Descending,
        },
        max_active: spec.max_active.unwrap_or(ACTIVE),
        stop_on_failure: spec.stop_on_failure,
        priority: spec.priority,
    })
}

const fn reprocess(of: Reprocess) -> api::Reprocess {
    match of {
        Reprocess::Missing => api::Reprocess::Missing,
        Reprocess::Failed => api::Reprocess::Failed,
        Reprocess::All => api::Reprocess::All,
    }
}

const fn order(of: Order) -> api::BackfillOrder {
    match of {
        Order::Ascending => api::BackfillOrder::Asc,
        Order::Descending => api::BackfillOrder::Desc,
    }
}

const fn action(of: Action) -> api::BackfillAction {
    match of {
        Action::Create => api::BackfillAction::Create,
        Action::Rerun => api::BackfillAction::Rerun,
        Action::Keep => api::BackfillAction::Keep,
        Action::Active => api::BackfillAction::Active,
        Action::Absent => api::BackfillAction::Absent,
    }
}

pub(super) fn actions(specs: &[&Spec]) -> api::BackfillActions {
    let of = |action| specs.iter().filter_map(|spec| spec.actions.get(&action)).sum();
    api::BackfillActions {
        create: of(Action::Create),
        rerun: of(Action::Rerun),
        keep: of(Action::Keep),
        active: of(Action::Active),
        absent: of(Action::Absent),
    }
}

fn id(run: Option<RunId>) -> Option<String> {
    run.map(|run| run.to_string())
}

fn shown_plan(plan: BackfillPlan, from: usize, limit: usize) -> api::BackfillPlan {
    let below: Vec<_> = plan.rows_below();
    let own = plan.rows.iter().map(|row| (None, row));
    let rows: Vec<(Option<(&JobKey, &str)>, &PlanRow)> =
        own.chain(below.into_iter().map(|(key, trigger, row)| (Some((key, trigger)), row))).collect();
    let end = from.saturating_add(limit).min(rows.len());
    let items = rows.get(from..end).unwrap_or_default().iter().map(|(of, row)| shown_row(*of, row)).collect();
    let next_cursor = (end < rows.len()).then(|| end.to_string());
    let BackfillPlan { key, job_version, spec, below, .. } = plan;
    api::BackfillPlan {
        hash: spec.plan.clone(),
        namespace: key.namespace,
        job: key.name,
        job_version: count(job_version.0),
        actions: actions(&[&spec]),
        below: spec.cascade.then(|| actions(&below.iter().map(|plan| &plan.spec).collect::<Vec<_>>())),
        trigger: spec.trigger,
        timezone: spec.zone,
        from: instant(spec.from),
        to: instant(spec.to),
        reprocess: reprocess(spec.reprocess),
        part: spec.part.map(shown_part),
        cascade: spec.cascade,
        order: order(spec.order),
        max_active: spec.max_active,
        stop_on_failure: spec.stop_on_failure,
        priority: spec.priority,
        items,
        next_cursor,
    }
}

/// A fire time of a plan; of which job and trigger, if it is not one of what was chosen.
pub(super) fn shown_row(of: Option<(&JobKey, &str)>, row: &PlanRow) -> api::BackfillPlanItem {
    api::BackfillPlanItem {
        fire_at: instant(row.fire_time),
        logical_date: (row.logical_date != row.fire_time).then(|| instant(row.logical_date)),
        action: action(row.action),
        run: id(row.run),
        tasks: row.tasks,
        reason: row.reason.clone(),
        level: of.map(|_| row.level),
        job: of.map(|(key, _)| key.name.clone()),
        trigger: of.map(|(_, trigger)| trigger.to_owned()),
        why: row.why.clone(),
    }
}

pub(super) fn shown(row: BackfillRow) -> api::Backfill {
    let counts = row.counts;
    api::Backfill {
        id: row.id.to_string(),
        namespace: row.key.namespace,
        job: row.key.name,
        job_version: count(row.job_version.0),
        actions: actions(&[&row.spec]),
        trigger: row.spec.trigger,
        timezone: row.spec.zone,
        from: instant(row.spec.from),
        to: instant(row.spec.to),
        reprocess: reprocess(row.spec.reprocess),
        part: row.spec.part.map(shown_part),
        cascade: row.spec.cascade,
        cascade_of: row.cascade_of.map(|id| id.to_string()),
        order: order(row.spec.order),
        max_active: row.spec.max_active,
        stop_on_failure: row.spec.stop_on_failure,
        priority: row.spec.priority,
        plan: row.spec.plan,
        state: match row.state {
            BackfillState::Active => api::BackfillState::Active,
            BackfillState::Paused => api::BackfillState::Paused,
            BackfillState::Cancelled => api::BackfillState::Cancelled,
            BackfillState::Completed => api::BackfillState::Completed,
        },
        reason: row.reason,
        items: api::BackfillItems {
            total: counts.total(),
            open: counts.open,
            running: counts.running,
            succeeded: counts.succeeded,
            failed: counts.failed,
            cancelled: counts.cancelled,
            skipped: counts.skipped,
        },
        created_at: instant(row.created_at),
        created_by: row.created_by,
        ended_at: row.ended_at.map(instant),
    }
}

fn shown_item(item: &BackfillItem, logical_date: Option<Timestamp>) -> api::BackfillItem {
    api::BackfillItem {
        number: count(item.seq),
        fire_at: instant(item.fire_time),
        logical_date: logical_date.map(instant),
        action: action(item.action),
        state: match item.state {
            ItemState::Open => api::BackfillItemState::Open,
            ItemState::Running => api::BackfillItemState::Running,
            ItemState::Succeeded => api::BackfillItemState::Succeeded,
            ItemState::Failed => api::BackfillItemState::Failed,
            ItemState::Cancelled => api::BackfillItemState::Cancelled,
            ItemState::Skipped => api::BackfillItemState::Skipped,
        },
        run: id(item.run),
        rerun_of: id(item.rerun_of),
    }
}
