//! Running runs again, whole or in part: what would happen, and that it happens.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use mainspring_api::{self as api, ErrorCode, Problem, Rerun, routes};
use mainspring_core::JobVersion;
use mainspring_core::workflow::rerun::{Action, Change};
use mainspring_engine::control::{Asking, Reran, RerunAsk, RerunPlan, RerunTasks, RerunVersion};
use mainspring_store::RunInfo;
use utoipa_axum::routes;

use super::{Route, runs};
use crate::app::App;
use crate::extract::{OptionalBody, PathOf, large_json, off_thread};
use crate::idempotency::Deed;
use crate::plans::{self, Remembered};
use crate::refusal::{Answer, Refusal};
use crate::show;

/// Tasks that one request names at most.
const TASKS_MAX: usize = 10_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::operate(routes!(rerun)).repeatable(), Route::view(routes!(plan))]
}

/// Starts a new run with the same input, job version and fire time. Of a workflow run also with some tasks only: the others keep their
/// results. In a workflow run that goes on, the tasks run again in the run itself, which is then the answer.
#[utoipa::path(post, path = routes::RUN_RERUN, tag = "runs", params(("run" = String, Path)), request_body = Option<Rerun>,
    responses((status = 201, body = api::Run), (status = 200, description = "tasks run again in the run itself", body = api::Run)))]
async fn rerun(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    deed: Option<Extension<Deed>>,
    OptionalBody(asked): OptionalBody<Rerun>,
) -> Answer<Response> {
    runs::must_start(&app)?;
    let before = find(&app, &run).await?;
    let ask = ask(&asked)?;
    let asking = deed.as_ref().map(|deed| deed.asking());
    let known = match asking {
        Some(asking) => app.control().asked_before(&before, asking).await?,
        None => None,
    };
    let new = match known {
        Some(known) => known,
        None => {
            let again = deed.is_some_and(|deed| deed.again);
            let is_live = !before.state.is_final() && app.control().workflow(before.id).await?.is_some();
            if again && is_live && asked.plan.is_none() {
                // A new run has a name that tells whether it was made. Tasks that were set back have none.
                let detail = format!("the request may have been carried out before, and run {run} goes on");
                let hint = format!("look at `mainspring run rerun {run} … --dry-run`, and apply that plan");
                return Err(Refusal::new(ErrorCode::RunPlanStale, detail).hint(hint));
            }
            carried_out(&app, &before, &ask, &asked, asking).await?
        }
    };
    tracing::info!(run.id = %new.id, rerun.of = run, reason = asked.reason, by = asked.by, "rerun asked for");
    let status = if new.id == before.id { StatusCode::OK } else { StatusCode::CREATED };
    runs::shown(&app, new.id, status).await
}

/// Carries out what is asked for; refuses it if another plan was to be carried out.
async fn carried_out(
    app: &App,
    before: &RunInfo,
    ask: &RerunAsk,
    asked: &Rerun,
    asking: Option<Asking>,
) -> Answer<RunInfo> {
    if asked.plan.is_none() && ask.tasks == RerunTasks::All && ask.version == RerunVersion::Pinned {
        return Ok(app.control().rerun(before.id, ask.cancel_running, asking).await?);
    }
    match app.control().rerun_tasks(before.id, ask, asked.plan.as_deref(), asking).await? {
        Reran::Run(run) => Ok(*run),
        Reran::Stale(now) => {
            let hash = asked.plan.as_deref().unwrap_or_default();
            Err(plans::stale(hash, plans::find(app, hash).await?.as_ref(), &now))
        }
    }
}

/// Says what a rerun of a workflow run would do with each task. Nothing is changed.
#[utoipa::path(post, path = routes::RUN_RERUN_PLAN, tag = "runs", params(("run" = String, Path)), request_body = Option<Rerun>,
    responses((status = 200, body = api::RerunPlan)))]
async fn plan(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    OptionalBody(asked): OptionalBody<Rerun>,
) -> Answer<Response> {
    let run = find(&app, &run).await?;
    let ask = ask(&asked)?;
    let plan = app.control().plan_rerun(run.id, &ask).await?;
    if let Some(hash) = asked.plan.as_deref().filter(|hash| *hash != plan.hash) {
        return Err(plans::stale(hash, plans::find(&app, hash).await?.as_ref(), &plan));
    }
    let (shown, remembered) = off_thread(move || Ok((shown(&plan), Remembered::of(&plan)))).await?;
    plans::remember(&app, &shown.plan, remembered).await?;
    large_json(shown).await
}

/// Finds a run that may run again as such.
pub(super) async fn find(app: &App, run: &str) -> Answer<RunInfo> {
    let found = app.control().run(runs::id(run)?).await?;
    if let (Some(parent), Some(task)) = (found.parent, &found.task) {
        let detail = format!("run {run} is of task \"{task}\" of another run");
        let task = task.split('[').next().unwrap_or(task);
        return Err(Refusal::new(ErrorCode::RunIsTask, detail)
            .hint(format!("mainspring run rerun {parent} --task {task} --downstream")));
    }
    Ok(found)
}

/// Reads what is asked for.
pub(super) fn ask(asked: &Rerun) -> Answer<RerunAsk> {
    let wrong = |pointer: &str, why: String| {
        Refusal::invalid(vec![Problem::new(ErrorCode::FieldValue, why).at(format!("/{pointer}"))])
    };
    if asked.tasks.len() > TASKS_MAX {
        return Err(wrong("tasks", format!("more than {TASKS_MAX} tasks are named: leave them out to run all")));
    }
    let tasks = match (asked.tasks.is_empty(), asked.failed, asked.missing) {
        (false, false, false) => {
            RerunTasks::Named { tasks: asked.tasks.clone(), downstream: asked.downstream, upstream: asked.upstream }
        }
        (true, true, false) => RerunTasks::Failed,
        (true, false, true) => RerunTasks::Missing,
        (true, false, false) => RerunTasks::All,
        _ => return Err(wrong("tasks", "only one of tasks, failed and missing can be given".to_owned())),
    };
    let goes_with_tasks = [("downstream", asked.downstream), ("upstream", asked.upstream)];
    if let Some((word, _)) = goes_with_tasks.iter().find(|(_, given)| *given && asked.tasks.is_empty()) {
        return Err(wrong(word, format!("{word} goes with tasks: name one at least")));
    }
    let version = match asked.version.as_deref() {
        None | Some("pinned") => RerunVersion::Pinned,
        Some("latest") => RerunVersion::Latest,
        Some(text) => match text.parse::<i64>() {
            Ok(number) if number > 0 => RerunVersion::Number(JobVersion(number)),
            _ => {
                let text: String = text.chars().take(64).collect();
                let why = format!("version \"{}\" is none: it takes pinned, latest or a number", text.escape_debug());
                return Err(wrong("version", why));
            }
        },
    };
    Ok(RerunAsk { tasks, version, cancel_running: asked.cancel_running })
}

pub(super) fn shown(plan: &RerunPlan) -> api::RerunPlan {
    let count = |action| plan.count(action) as u64;
    let rows = plan.rows.iter().zip(&plan.estimates).filter(|(row, _)| !row.is_group);
    let tasks = rows.map(|(row, estimate)| api::RerunTask {
        name: row.name.clone(),
        action: action(row.action),
        state: row.state.map(Into::into),
        reason: row.reason.clone(),
        change: row.change.map(|change| match change {
            Change::New => api::RerunChange::New,
            Change::Changed => api::RerunChange::Changed,
        }),
        estimate_ms: *estimate,
    });
    api::RerunPlan {
        plan: plan.hash.clone(),
        run: plan.run.id.to_string(),
        namespace: plan.run.key.namespace.clone(),
        job: plan.run.key.name.clone(),
        state: plan.run.state.into(),
        job_version: show::count(plan.run.job_version.0),
        version: show::count(plan.version.0),
        latest_version: show::count(plan.latest.0),
        rerun_as: plan.rerun_as.map(|run| run.to_string()),
        reruns: count(Action::Rerun),
        keeps: count(Action::Keep),
        goes_on: count(Action::GoesOn),
        cancels: plan.cancels() as u64,
        in_place: plan.is_in_place(),
        cannot_run: count(Action::CannotRun),
        gone: count(Action::Gone),
        estimate_ms: plan.estimate_ms,
        tasks: tasks.collect(),
        below: None,
        dependants: Vec::new(),
    }
}

const fn action(action: Action) -> api::RerunAction {
    match action {
        Action::Rerun => api::RerunAction::Rerun,
        Action::Keep => api::RerunAction::Keep,
        Action::GoesOn => api::RerunAction::GoesOn,
        Action::CannotRun => api::RerunAction::CannotRun,
        Action::Gone => api::RerunAction::Gone,
    }
}
