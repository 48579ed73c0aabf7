//! Tasks of workflow runs: where they stand, why, and what is asked of them.

mod read;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::{StreamExt, TryStreamExt, stream};
use mainspring_api::{self as api, ErrorCode, GraphFilter, Page, Reason, TaskFilter, Why, routes};
use mainspring_core::job::JobKey;
use mainspring_core::workflow::{Hold, TaskState};
use mainspring_core::{JobVersion, RunId};
use mainspring_engine::control;
use mainspring_store::{RunInfo, TaskRequest, TaskVerb, VersionRow};
use utoipa_axum::routes;

use super::{Route, jobs, runs, why};
use crate::access::Caller;
use crate::app::App;
use crate::extract::{Body, OptionalBody, PathOf, QueryOf, large_json, off_thread};
use crate::idempotency::Deed;
use crate::pages;
use crate::pauses;
use crate::refusal::{Answer, Refusal};
use crate::show;
use crate::tasks::{self, Place, Tasks};
pub(super) use read::tasks_of;

/// Runs of tasks that are read at the same time.
const READS: usize = 16;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(graph)),
        Route::view(routes!(list_tasks)),
        Route::view(routes!(get_task)),
        Route::operate(routes!(pause)).repeatable(),
        Route::operate(routes!(resume)).repeatable(),
        Route::operate(routes!(cancel_task)).repeatable(),
        Route::operate(routes!(skip_task)).repeatable(),
        Route::operate(routes!(mark_task)).repeatable(),
        Route::operate(routes!(approve_task)).repeatable(),
        Route::operate(routes!(reject_task)).repeatable(),
    ]
}

/// Returns the graph of a workflow: tasks, what they need, and in how many waves they can run.
#[utoipa::path(get, path = routes::JOB_GRAPH, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path), GraphFilter),
    responses((status = 200, body = api::JobGraph)))]
async fn graph(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    QueryOf(filter): QueryOf<GraphFilter>,
) -> Answer<Response> {
    let job = jobs::find(&app, &JobKey::new(namespace, name)).await?;
    let asked = filter.version.map(|version| JobVersion(i64::try_from(version).unwrap_or(i64::MAX)));
    let (version, definition) = match asked {
        Some(version) if version != job.version => {
            let missing = || {
                let detail = format!("{} has no version {}, or no more", job.definition.key, version.0);
                Refusal::new(ErrorCode::VersionNotFound, detail)
            };
            let before = JobVersion(version.0.saturating_add(1));
            let rows = app.control().store().versions(job.id, Some(before), 1).await?;
            let found = rows.into_iter().find(|row| row.version == version).ok_or_else(missing)?;
            let VersionRow { version, definition, .. } = found;
            (version, definition)
        }
        _ => (job.version, job.definition),
    };
    let drawn = off_thread(move || {
        tasks::graph(&definition, show::count(version.0)).ok_or_else(|| {
            let detail = format!("the work of {} is no graph of tasks", definition.key);
            Refusal::new(ErrorCode::JobNotWorkflow, detail)
        })
    });
    large_json(drawn.await?).await
}

/// Lists the tasks of a workflow run in the order of their names, or the items of one of them.
#[utoipa::path(get, path = routes::RUN_TASKS, tag = "runs", params(("run" = String, Path), TaskFilter), responses((status = 200, body = Page<api::RunTask>)))]
async fn list_tasks(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    QueryOf(filter): QueryOf<TaskFilter>,
) -> Answer<Response> {
    let limit = pages::limit(filter.limit)?;
    let from = match filter.cursor.as_deref() {
        Some(cursor) => cursor.parse::<u32>().map_err(|_| pages::bad_cursor(cursor))?,
        None => 0,
    };
    let (_, tasks) = load(&app, &run).await?;
    let places: Vec<(u32, Place)> = match &filter.items_of {
        None => (from..tasks.len()).map(|task| (task, Place::whole(task))).collect(),
        Some(name) => {
            let Place { task, .. } = find(&tasks, name)?;
            let items = tasks.items(task).iter().filter_map(|row| row.item).filter(|item| *item >= from);
            items.map(|item| (item, Place { task, item: Some(item) })).collect()
        }
    };
    let fits = |place: &Place| filter.state.is_none_or(|asked| Some(tasks.stands(*place)) == asked.known());
    let mut chosen = places.into_iter().filter(|(_, place)| fits(place));
    let page: Vec<Place> = chosen.by_ref().take(limit).map(|(_, place)| place).collect();
    let next_cursor = chosen.next().map(|(number, _)| number.to_string());
    let shown = page.into_iter().map(|place| shown(&app, &tasks, place));
    let items: Vec<api::RunTask> = stream::iter(shown).buffered(READS).try_collect().await?;
    large_json(Page { items, next_cursor }).await
}

/// Returns a task of a workflow run, or an item of one as `NAME[NUMBER]`, and what it waits for.
#[utoipa::path(get, path = routes::RUN_TASK, tag = "runs", params(("run" = String, Path), ("task" = String, Path)), responses((status = 200, body = api::RunTaskDetail)))]
async fn get_task(
    State(app): State<App>,
    PathOf((run, name)): PathOf<(String, String)>,
) -> Answer<Json<api::RunTaskDetail>> {
    let (run, tasks) = load(&app, &run).await?;
    let place = find(&tasks, &name)?;
    let task = shown(&app, &tasks, place).await?;
    let mut reasons = tasks.why(place);
    if tasks.stands(place) == TaskState::Running
        && tasks.definition(place.task).hold.is_none()
        && let Some(child) = child(&app, &tasks, place).await?
    {
        let of_run = why::reasons_of(&app, child).await?;
        reasons.extend(of_run.into_iter().map(|reason| api::WhyReason { task: Some(task.name.clone()), ..reason }));
    }
    Ok(Json(api::RunTaskDetail { why: Why { subject: format!("{}/{}", run.id, task.name), reasons }, task }))
}

/// Lets nothing new start in a workflow run until it is resumed. What runs goes on.
#[utoipa::path(post, path = routes::RUN_PAUSE, tag = "runs", params(("run" = String, Path)), request_body = Option<Reason>,
    responses((status = 202, body = api::Run)))]
async fn pause(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    Extension(caller): Extension<Caller>,
    deed: Option<Extension<Deed>>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    of_run(&app, &run, Asked { verb: TaskVerb::Pause, by: by(&caller, &reason)?, reason: reason.reason, deed }).await
}

/// Ends the pause of a workflow run.
#[utoipa::path(post, path = routes::RUN_RESUME, tag = "runs", params(("run" = String, Path)), request_body = Option<Reason>,
    responses((status = 202, body = api::Run)))]
async fn resume(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    Extension(caller): Extension<Caller>,
    deed: Option<Extension<Deed>>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    of_run(&app, &run, Asked { verb: TaskVerb::Resume, by: by(&caller, &reason)?, reason: reason.reason, deed }).await
}

/// Ends a task: at once if it has not started, else its worker does. What needs it follows its rule, or with `downstream` ends, too.
#[utoipa::path(post, path = routes::RUN_TASK_CANCEL, tag = "runs", params(("run" = String, Path), ("task" = String, Path)), request_body = Option<api::TaskCancel>,
    responses((status = 202, body = api::RunTask)))]
async fn cancel_task(
    State(app): State<App>,
    PathOf(of): PathOf<(String, String)>,
    Extension(caller): Extension<Caller>,
    deed: Option<Extension<Deed>>,
    OptionalBody(cancel): OptionalBody<api::TaskCancel>,
) -> Answer<Response> {
    let verb = if cancel.downstream { TaskVerb::CancelBranch } else { TaskVerb::Cancel };
    let reason = Reason { reason: cancel.reason, by: cancel.by };
    of_task(&app, of, Asked { verb, by: by(&caller, &reason)?, reason: reason.reason, deed }).await
}

/// Leaves a task out that has not started. What needs it follows its rule.
#[utoipa::path(post, path = routes::RUN_TASK_SKIP, tag = "runs", params(("run" = String, Path), ("task" = String, Path)), request_body = Option<Reason>,
    responses((status = 202, body = api::RunTask)))]
async fn skip_task(
    State(app): State<App>,
    PathOf(of): PathOf<(String, String)>,
    Extension(caller): Extension<Caller>,
    deed: Option<Extension<Deed>>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    of_task(&app, of, Asked { verb: TaskVerb::Skip, by: by(&caller, &reason)?, reason: reason.reason, deed }).await
}

/// Takes a task for succeeded or failed, whatever it did. If it runs, its run is cancelled.
#[utoipa::path(post, path = routes::RUN_TASK_MARK, tag = "runs", params(("run" = String, Path), ("task" = String, Path)), request_body = api::TaskMark,
    responses((status = 202, body = api::RunTask)))]
async fn mark_task(
    State(app): State<App>,
    PathOf(of): PathOf<(String, String)>,
    Extension(caller): Extension<Caller>,
    deed: Option<Extension<Deed>>,
    Body(mark): Body<api::TaskMark>,
) -> Answer<Response> {
    let verb = match mark.state {
        api::Marked::Succeeded => TaskVerb::Succeed,
        api::Marked::Failed => TaskVerb::Fail,
    };
    let reason = Reason { reason: mark.reason, by: mark.by };
    of_task(&app, of, Asked { verb, by: by(&caller, &reason)?, reason: reason.reason, deed }).await
}

/// Approves what a task asks for: it succeeds.
#[utoipa::path(post, path = routes::RUN_TASK_APPROVE, tag = "runs", params(("run" = String, Path), ("task" = String, Path)), request_body = Option<Reason>,
    responses((status = 202, body = api::RunTask)))]
async fn approve_task(
    State(app): State<App>,
    PathOf(of): PathOf<(String, String)>,
    Extension(caller): Extension<Caller>,
    deed: Option<Extension<Deed>>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    let by = by(&caller, &reason)?;
    of_task(&app, of, Asked { verb: TaskVerb::Approve, by, reason: reason.reason, deed }).await
}

/// Rejects what a task asks for: it fails.
#[utoipa::path(post, path = routes::RUN_TASK_REJECT, tag = "runs", params(("run" = String, Path), ("task" = String, Path)), request_body = Option<Reason>,
    responses((status = 202, body = api::RunTask)))]
async fn reject_task(
    State(app): State<App>,
    PathOf(of): PathOf<(String, String)>,
    Extension(caller): Extension<Caller>,
    deed: Option<Extension<Deed>>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Response> {
    let by = by(&caller, &reason)?;
    of_task(&app, of, Asked { verb: TaskVerb::Reject, by, reason: reason.reason, deed }).await
}

/// What is asked of a run or task.
struct Asked {
    verb: TaskVerb,
    by: String,
    reason: Option<String>,
    deed: Option<Extension<Deed>>,
}

impl Asked {
    /// Whether the same request may have been carried out before.
    fn again(&self) -> bool {
        self.deed.as_ref().is_some_and(|deed| deed.again)
    }
}

/// Who asks: the name that the caller gives, or how it was let in.
fn by(caller: &Caller, reason: &Reason) -> Answer<String> {
    let told = pauses::by(caller, reason)?;
    Ok(reason.by.clone().unwrap_or(told))
}

async fn of_run(app: &App, run: &str, asked: Asked) -> Answer<Response> {
    let (info, _) = load(app, run).await?;
    ask(app, &info, None, asked).await?;
    runs::shown(app, info.id, StatusCode::ACCEPTED).await
}

async fn of_task(app: &App, (run, name): (String, String), asked: Asked) -> Answer<Response> {
    let (info, tasks) = load(app, &run).await?;
    let place = find(&tasks, &name)?;
    let state = tasks.stands(place);
    // Of a branch, what is still to end may lie further down.
    let is_over = match asked.verb {
        TaskVerb::CancelBranch => tasks.is_branch_over(place.task),
        _ => state.is_final(),
    };
    if !asked.again() && is_over && !info.state.is_final() {
        return Err(Refusal::new(ErrorCode::TaskFinal, format!("task \"{name}\" is {state} already")));
    }
    // Of a group, those of its tasks are skipped that have not started.
    let is_group = tasks.definition(place.task).joins.is_some();
    if !asked.again() && asked.verb == TaskVerb::Skip && state == TaskState::Running && !is_group {
        let detail = format!("task \"{name}\" is {state}: only what has not started can be skipped");
        return Err(Refusal::new(ErrorCode::TaskStarted, detail).hint("cancel it, or mark it"));
    }
    if !asked.again() && matches!(asked.verb, TaskVerb::Approve | TaskVerb::Reject) {
        may_decide(&tasks, place, &name, &asked.by)?;
    }
    ask(app, &info, Some(place), asked).await?;
    let (_, tasks) = load(app, &run).await?;
    let task = shown(app, &tasks, place).await?;
    Ok((StatusCode::ACCEPTED, Json(task)).into_response())
}

/// Whether a task waits for an approval, and somebody may give it.
fn may_decide(tasks: &Tasks, place: Place, name: &str, by: &str) -> Answer<()> {
    let approval = tasks.definition(place.task).hold.as_ref().and_then(Hold::approval);
    let state = tasks.stands(place);
    match approval.filter(|_| state == TaskState::Running) {
        None => {
            let detail = format!("task \"{name}\" is {state}, and waits for no approval");
            Err(Refusal::new(ErrorCode::TaskNoApproval, detail))
        }
        Some(approval) if !approval.admits(Some(by)) => {
            let detail = format!("\"{by}\" is not to decide about task \"{name}\"");
            Err(Refusal::new(ErrorCode::TaskApprover, detail).hint(format!("who may: {}", approval.from.join(", "))))
        }
        Some(_) => Ok(()),
    }
}

/// Leaves a request in the inbox of a run.
async fn ask(app: &App, run: &RunInfo, place: Option<Place>, asked: Asked) -> Answer<()> {
    let again = asked.again();
    let request = TaskRequest {
        verb: asked.verb,
        task: place.map(|place| place.task),
        item: place.and_then(|place| place.item),
        by: Some(asked.by),
        reason: asked.reason,
        at: app.now(),
    };
    match app.control().steer(run.id, request).await {
        Ok(()) => return Ok(()),
        Err(control::Error::Refused(_)) if again => return Ok(()),
        Err(control::Error::Refused(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let run = app.control().run(run.id).await?;
    if run.state.is_final() {
        return Err(Refusal::new(ErrorCode::RunFinal, format!("run {} is {} already", run.id, run.state)));
    }
    let detail = format!("run {} is {}: its tasks are there once it has begun", run.id, run.state);
    Err(Refusal::new(ErrorCode::RunNotBegun, detail))
}

/// Reads a run with its tasks.
async fn load(app: &App, run: &str) -> Answer<(RunInfo, Tasks)> {
    let run = app.control().run(runs::id(run)?).await?;
    match tasks_of(app, &run).await? {
        Some(tasks) => Ok((run, tasks)),
        None => {
            let detail = format!("run {} of {} is no workflow: it has no tasks", run.id, run.key);
            Err(Refusal::new(ErrorCode::RunNotWorkflow, detail))
        }
    }
}

fn find(tasks: &Tasks, name: &str) -> Answer<Place> {
    tasks.find(name).map_err(|hint| {
        let name: String = name.chars().take(160).collect();
        let refusal = Refusal::new(ErrorCode::TaskNotFound, format!("the run has no task \"{}\"", name.escape_debug()));
        match hint {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    })
}

async fn shown(app: &App, tasks: &Tasks, place: Place) -> Answer<api::RunTask> {
    let child = child(app, tasks, place).await?;
    Ok(tasks.show(place, child.as_ref()))
}

/// The newest run of a task; nothing if it has none, or retention has deleted it.
async fn child(app: &App, tasks: &Tasks, place: Place) -> Answer<Option<RunInfo>> {
    let child: Option<RunId> = tasks.row(place).and_then(|row| row.child);
    match child {
        Some(child) => Ok(app.control().store().run(child).await?),
        None => Ok(None),
    }
}
