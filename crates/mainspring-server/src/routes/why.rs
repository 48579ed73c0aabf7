//! Why something is not running.

use axum::Json;
use axum::extract::State;
use mainspring_api::{self as api, Why, WhyCode, WhyReason, routes};
use mainspring_core::JobId;
use mainspring_core::batch::Queues;
use mainspring_core::job::JobKey;
use mainspring_core::lane::Lane;
use mainspring_core::line::Line;
use mainspring_core::routing::Routing;
use mainspring_core::run::RunState;
use mainspring_store::{RunInfo, RunQuery};
use rustc_hash::FxHashMap;
use utoipa_axum::routes;

use super::tasks::tasks_of;
use super::triggers::Show;
use super::{Route, jobs, labels, runs, triggers};
use crate::app::App;
use crate::extract::PathOf;
use crate::pauses::{self, Paused};
use crate::refusal::Answer;
use crate::show;
use crate::why::{self, Pool, QueueUse, RunFacts};
use crate::words::Reads;

/// Runs that are looked at.
const RUNS_MAX: u32 = 1_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(of_job)), Route::view(routes!(of_trigger)), Route::view(routes!(of_run))]
}

/// Says why a run does not run now, or that it does.
#[utoipa::path(get, path = routes::RUN_WHY, tag = "runs", params(("run" = String, Path)), responses((status = 200, body = Why)))]
async fn of_run(State(app): State<App>, PathOf(run): PathOf<String>) -> Answer<Json<Why>> {
    let run = app.control().run(runs::id(&run)?).await?;
    let subject = run.id.to_string();
    let cause = match run.cause {
        Some(cause) => why::cause(&run, app.control().store().run(cause).await?.as_ref()),
        None => None,
    };
    let caller = why::caller(&run);
    let mut reasons = reasons_of(&app, run).await?;
    reasons.extend(cause);
    reasons.extend(caller);
    Ok(answer(subject, reasons))
}

/// Why a run is where it is; of a workflow run, also why those of its tasks are that do not run.
pub(super) async fn reasons_of(app: &App, run: RunInfo) -> Answer<Vec<WhyReason>> {
    let waits = matches!(run.state, RunState::Held | RunState::Scheduled);
    if !waits && let Some(tasks) = tasks_of(app, &run).await? {
        let mut reasons = vec![why::workflow(&run, &tasks.counts(), tasks.rerun_as)];
        reasons.extend(run.cancel_requested_at.filter(|_| !run.state.is_final()).map(|at| why::asked_to_end(&run, at)));
        match run.state {
            RunState::Running => reasons.extend(tasks.why_waiting()),
            state if state.is_final() => reasons.extend(tasks.why_ended()),
            _ => {}
        }
        return Ok(reasons);
    }
    if run.state == RunState::Queued && run.task.is_some() && run.queue == Line::Hold.queue() {
        return Ok(vec![why::hold(&run)]);
    }
    let job = app.control().store().job(&run.key).await?;
    let routing = routing(app, &run).await?;
    let queued = unfinished(app, None, &[RunState::Queued]).await?;
    let labels = match &job {
        Some(row) if run.state == RunState::Queued => {
            // As claims see them: those that the job has now, and those that the task has in the version that the run executes.
            let mut labels = row.definition.labels.clone();
            labels.extend(show::own_labels(&**app.control().store(), &run).await?);
            labels::full(app, &labels).await?
        }
        _ => Vec::new(),
    };
    let facts = RunFacts {
        run: &run,
        labels: &labels,
        limit: job.and_then(|row| row.definition.gate()),
        unfinished: &unfinished(app, Some(run.job), UNFINISHED).await?,
        queued: &queued.into_iter().filter(|other| same_line(other, &run, &routing)).collect::<Vec<_>>(),
        pool: pool(app, &run, &routing).await?,
        queue: queue(app, &run.queue).await?,
        queue_pause: pauses::find(app, Paused::Queue(&run.queue)).await?,
        routing: &routing,
        now: app.now(),
    };
    Ok(why::run(&facts))
}

/// Says why a trigger does not fire now.
#[utoipa::path(get, path = routes::TRIGGER_WHY, tag = "triggers", params(("namespace" = String, Path), ("job" = String, Path), ("trigger" = String, Path)),
    responses((status = 200, body = Why)))]
async fn of_trigger(
    State(app): State<App>,
    PathOf(key): PathOf<(String, String, String)>,
    Reads(language): Reads,
) -> Answer<Json<Why>> {
    let job = jobs::find(&app, &JobKey::new(&key.0, &key.1)).await?;
    let trigger = triggers::find(&app, key, language).await?;
    let runs = unfinished(&app, Some(job.id), UNFINISHED).await?;
    let pause = if job.paused { pauses::find(&app, Paused::Job(job.id)).await? } else { None };
    let mut reasons = why::trigger(&trigger, pause.as_ref(), job.definition.gate(), &runs, app.now());
    let jump = app.engine.clock_jump();
    reasons.extend(jump.map(|jump| WhyReason::new(WhyCode::NotDue, crate::words::jump(jump))));
    Ok(answer(trigger.key.clone(), reasons))
}

/// Says why a job does not run now, or that it does.
#[utoipa::path(get, path = routes::JOB_WHY, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path)), responses((status = 200, body = Why)))]
async fn of_job(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    Reads(language): Reads,
) -> Answer<Json<Why>> {
    let key = JobKey::new(namespace, name);
    let row = jobs::find(&app, &key).await?;
    let prior = app.control().store().prior(&key).await?;
    let mut shown = Show { app: &app, language, active: FxHashMap::default() };
    let mut triggers = Vec::new();
    for trigger in &prior.triggers {
        triggers.extend(shown.show(&row, trigger).await?);
    }
    let runs = unfinished(&app, Some(row.id), UNFINISHED).await?;
    let job = jobs::view(&app, &row, language).await?;
    let labels = labels::full(&app, &row.definition.labels).await?;
    Ok(answer(key.to_string(), why::job(&job, &triggers, row.definition.gate(), (&runs, &labels), app.now())))
}

const UNFINISHED: &[RunState] =
    &[RunState::Waiting, RunState::Held, RunState::Scheduled, RunState::Queued, RunState::Running];

async fn unfinished(app: &App, job: Option<JobId>, states: &[RunState]) -> Answer<Vec<RunInfo>> {
    let query = RunQuery { job, states: states.to_vec(), limit: RUNS_MAX, ..RunQuery::default() };
    Ok(app.control().store().runs(query).await?)
}

/// What is set for a queue, and what of it is executed where that is limited.
pub(super) async fn queue(app: &App, name: &str) -> Answer<QueueUse> {
    let store = app.control().store();
    let rule = store.queues().await?.into_iter().find(|row| row.name == name).map(|row| row.rule).unwrap_or_default();
    if rule.max_running.is_none() {
        return Ok(QueueUse { rule, ..QueueUse::default() });
    }
    let counts = store.figures().await?.runs.into_iter();
    let running = counts.filter(|count| Line::parse(&count.queue).queue() == name && count.state == RunState::Running);
    let running = running.map(|count| count.count).sum();
    Ok(QueueUse { rule, running, holders: store.holders(name, labels::HOLDERS_MAX).await? })
}

/// Whether another run waits for the same workers, and in the order of a run. Namespaces share a queue; what is routed is not shared out.
fn same_line(other: &RunInfo, run: &RunInfo, routing: &Routing) -> bool {
    let same_share = !routing.is_none() || other.key.namespace == run.key.namespace;
    (&other.queue, &other.worker) == (&run.queue, &run.worker) && same_share
}

/// What its job said of workers when the run was made; nothing, if retention has deleted that.
async fn routing(app: &App, run: &RunInfo) -> Answer<Routing> {
    let definition = show::definition_of(&**app.control().store(), run).await?;
    Ok(definition.map(|definition| definition.routing.clone()).unwrap_or_default())
}

/// Who may have a run.
async fn pool(app: &App, run: &RunInfo, routing: &Routing) -> Answer<Pool> {
    let used = u32::try_from(app.engine.metrics().busy_slots()).unwrap_or(0);
    let mut workers = app.control().store().workers().await?;
    workers.retain(|worker| {
        worker.info.queues.contains(&run.queue)
            && routing.fits(&worker.info.labels)
            && run.worker.as_ref().is_none_or(|name| *name == worker.info.name)
    });
    let here = workers.len();
    workers.retain(|worker| !worker.draining);
    let draining_workers = u32::try_from(here - workers.len()).unwrap_or(u32::MAX);
    let serves = routing.is_none() && app.engine.queues().serves(&run.queue);
    let has_room = |max: &dyn Fn(&Queues, u32) -> u32| {
        let roomy = workers.iter().filter(|worker| {
            let queues = Queues::named(worker.info.queues.iter().map(String::as_str));
            worker.running < max(&queues, worker.info.slots)
        });
        (serves && used < max(app.engine.queues(), app.slots), u32::try_from(roomy.count()).unwrap_or(u32::MAX))
    };
    let (here, free_workers) = has_room(&|_, slots| slots);
    let lane = app.engine.lane(run.job);
    let is_kept = routing.is_none() && lane != Some(Lane::Short) && (here || free_workers > 0);
    let is_kept = is_kept && has_room(&|queues, slots| app.engine.slow_max(queues, slots)) == (false, 0);
    Ok(Pool {
        slots: app.slots,
        used,
        draining: app.engine.is_draining(),
        serves,
        free_workers,
        draining_workers,
        kept_from: is_kept.then_some(lane),
        workers: u32::try_from(workers.len()).unwrap_or(u32::MAX),
    })
}

fn answer(subject: String, reasons: Vec<WhyReason>) -> Json<api::Why> {
    Json(Why { subject, reasons })
}
