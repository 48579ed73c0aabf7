//! Workers of other machines: they join, ask what there is to do, and say what became of it.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use mainspring_api::{
    self as api, ErrorCode, Problem, Reason, WorkerEnd, WorkerHolding, WorkerLog, WorkerOrders, WorkerPoll,
    WorkerReceipt, WorkerReport, WorkerSpec, WorkerTerms, WorkerToken, WorkerTokenSpec, is_valid_name, routes,
};
use mainspring_core::batch::AttemptDetail;
use mainspring_core::job::Job;
use mainspring_core::routing::Shard;
use mainspring_core::workers::{GIVE_UP_MS, HOLD_MS, IDLE_HOLD_MS};
use mainspring_core::{Incarnation, RunId};
use mainspring_engine::{LogPiece, Poll, RemoteEnd, Report, Told, WorkerError};
use mainspring_schedule::Timestamp;
use mainspring_store::{Error as StoreError, WorkerInfo};
use mainspring_tasks::{JobData, LogLine, Stream};
use utoipa_axum::routes;

use super::Route;
use crate::access::{Caller, hash_of, new_token};
use crate::app::App;
use crate::extract::{Body, OptionalBody, PathOf, Plain};
use crate::layers::DONE;
use crate::refusal::{Answer, Refusal};
use crate::show::{self, from_wire, instant};

/// The longest line that is kept whole, in bytes.
const LINE_MAX: usize = 16 * 1024;
/// The longest error that is kept, in bytes.
const ERROR_MAX: usize = 4 * 1024;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::work(routes!(join)),
        Route::view(routes!(list)),
        Route::work(routes!(get, leave)),
        Route::operate(routes!(drain)).repeatable(),
        Route::operate(routes!(undrain)).repeatable(),
        Route::work(routes!(poll)).large(),
        Route::work(routes!(report)).large(),
        Route::edit(routes!(tokens, create_token)),
        Route::edit(routes!(revoke_token)),
    ]
}

/// Joins as a worker.
#[utoipa::path(post, path = routes::WORKERS, tag = "workers", request_body = WorkerSpec,
    responses((status = 201, body = WorkerTerms)))]
async fn join(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Body(spec): Body<WorkerSpec>,
) -> Answer<(StatusCode, Json<WorkerTerms>)> {
    check(&spec)?;
    if let Some(queue) = spec.queues.iter().find(|queue| !caller.opens(queue)) {
        return Err(Refusal::new(ErrorCode::WorkerQueue, format!("the token does not allow the queue {queue:?}")));
    }
    let about = WorkerInfo {
        id: Incarnation(0),
        name: spec.name,
        queues: spec.queues,
        labels: spec.labels,
        place: None,
        slots: spec.slots,
        version: spec.version,
        token: caller.token_name().map(str::to_owned),
        node: app.engine.incarnation(),
        joined_at: app.now(),
    };
    let id = app.engine.workers().join(about).await?;
    let terms = WorkerTerms {
        id: id.to_string(),
        hold_ms: HOLD_MS,
        idle_hold_ms: Some(IDLE_HOLD_MS),
        give_up_ms: GIVE_UP_MS,
        clock: true,
    };
    Ok((StatusCode::CREATED, Json(terms)))
}

/// Everything that is wrong with what a worker says of itself.
fn check(spec: &WorkerSpec) -> Answer<()> {
    let mut problems = Vec::new();
    let mut wrong = |pointer: String, message: String| {
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(pointer));
    };
    if !is_valid_name(&spec.name) {
        wrong("/name".into(), format!("{:?} cannot be a name", spec.name));
    }
    if spec.queues.is_empty() || spec.queues.len() > 100 {
        wrong("/queues".into(), "a worker takes runs from 1 to 100 queues".into());
    }
    for (index, queue) in spec.queues.iter().enumerate() {
        if !is_valid_name(queue) {
            wrong(format!("/queues/{index}"), format!("{queue:?} cannot be the name of a queue"));
        } else if spec.queues[..index].contains(queue) {
            wrong(format!("/queues/{index}"), format!("the queue {queue:?} is named twice"));
        }
    }
    if !(1..=10_000).contains(&spec.slots) {
        wrong("/slots".into(), format!("a worker has 1 to 10000 slots, not {}", spec.slots));
    }
    if spec.labels.len() > 100 || spec.labels.iter().any(|(name, value)| !is_valid_name(name) || value.len() > 255) {
        wrong("/labels".into(), "at most 100 labels, each a name with a value of at most 255 bytes".into());
    }
    if spec.version.as_ref().is_some_and(|version| version.len() > 255) {
        wrong("/version".into(), "at most 255 bytes".into());
    }
    if problems.is_empty() { Ok(()) } else { Err(Refusal::invalid(problems)) }
}

/// Lists the workers that have joined, by name.
#[utoipa::path(get, path = routes::WORKERS, tag = "workers", responses((status = 200, body = Vec<api::Worker>)))]
async fn list(State(app): State<App>) -> Answer<Json<Vec<api::Worker>>> {
    let rows = app.control().store().workers().await?;
    Ok(Json(show::workers(&app, rows)))
}

/// Returns a worker.
#[utoipa::path(get, path = routes::WORKER, tag = "workers", params(("worker" = String, Path)), responses((status = 200, body = api::Worker)))]
async fn get(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathOf(id): PathOf<String>,
) -> Answer<Json<api::Worker>> {
    let worker = parse(&id)?;
    must_be_own(&caller, app.engine.workers().worker(worker).await?.token.as_deref(), &id)?;
    shown_worker(&app, worker, &id).await
}

async fn shown_worker(app: &App, worker: Incarnation, id: &str) -> Answer<Json<api::Worker>> {
    let mut rows = app.control().store().workers().await?;
    rows.retain(|row| row.info.id == worker);
    show::workers(app, rows).pop().map(Json).ok_or_else(|| not_found(id))
}

/// Leaves as a worker: what it still executes is lost.
#[utoipa::path(delete, path = routes::WORKER, tag = "workers", params(("worker" = String, Path)), responses((status = 204)))]
async fn leave(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathOf(id): PathOf<String>,
) -> Answer<StatusCode> {
    let worker = parse(&id)?;
    must_be_own(&caller, app.engine.workers().worker(worker).await?.token.as_deref(), &id)?;
    app.engine.workers().leave(worker).await?;
    Ok(DONE)
}

/// Has a worker be given nothing new. It finishes what it has, and what waits for it alone goes to others. That holds until it is taken
/// back, or until the worker's process joins anew.
#[utoipa::path(post, path = routes::WORKER_DRAIN, tag = "workers", params(("worker" = String, Path)), request_body = Reason,
    responses((status = 200, body = api::Worker)))]
async fn drain(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Json<api::Worker>> {
    set_draining(&app, &id, true, reason).await
}

/// Lets a worker be given runs again.
#[utoipa::path(post, path = routes::WORKER_UNDRAIN, tag = "workers", params(("worker" = String, Path)), request_body = Reason,
    responses((status = 200, body = api::Worker)))]
async fn undrain(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer<Json<api::Worker>> {
    set_draining(&app, &id, false, reason).await
}

async fn set_draining(app: &App, id: &str, draining: bool, reason: Reason) -> Answer<Json<api::Worker>> {
    let worker = parse(id)?;
    app.engine.workers().set_draining(worker, draining).await?;
    tracing::info!(worker.id = id, draining, reason = reason.reason, "drain of a worker asked for");
    shown_worker(app, worker, id).await
}

/// Asks what there is to do. Answered at once if there is something, and else after a while.
#[utoipa::path(post, path = routes::WORKER_POLL, tag = "workers", params(("worker" = String, Path)), request_body = WorkerPoll,
    responses((status = 200, body = WorkerOrders)))]
async fn poll(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathOf(id): PathOf<String>,
    Plain(poll): Plain<WorkerPoll>,
) -> Answer<Json<WorkerOrders>> {
    let worker = own(&app, &caller, &id).await?;
    let offset_ms = poll.now.map(|now| from_wire(now).since(app.now()));
    let holds = poll.runs.iter().map(|held| Ok((run_id(&held.run)?, held.attempt))).collect::<Answer<Vec<_>>>()?;
    let poll = Poll { number: poll.number, free: poll.free, holds, wait_ms: poll.wait_ms };
    let told = app.engine.workers().poll(worker, poll).await?;
    // Now there is a session that can note it.
    offset_ms.into_iter().for_each(|offset_ms| app.engine.workers().note_clock(worker, offset_ms));
    Ok(Json(orders(told, app.now())))
}

fn orders(told: Told, now: Timestamp) -> WorkerOrders {
    let run = |given: mainspring_engine::Given| {
        let (input, shared) = (given.input(), given.is_shared());
        let (start, job) = (&given.start, &given.definition);
        api::WorkerRun {
            run: start.run.to_string(),
            attempt: start.attempt,
            namespace: job.key.namespace.clone(),
            job: job.key.name.clone(),
            fire_at: instant(start.fire_time),
            due_at: instant(start.due_at),
            task: show::worker_task(&job.task),
            input,
            shard: given.shard.map(show::shard),
            env: environment(job, given.shard),
            working_dir: job.working_dir.clone(),
            data: given.data.clone(),
            timeout_ms: given.timeout_ms(now),
            leftovers: job.leftovers,
            shared,
        }
    };
    WorkerOrders {
        runs: told.runs.into_iter().map(run).collect(),
        cancel: told.end.iter().map(ToString::to_string).collect(),
        held_ms: Some(told.held_ms),
        draining: told.draining,
    }
}

/// What a job's processes get, and which shard they are: so a worker has nothing to do for that.
fn environment(job: &Job, shard: Option<Shard>) -> BTreeMap<String, String> {
    let shard = shard.map(|shard| [("MS_SHARD_INDEX", shard.index), ("MS_SHARD_TOTAL", shard.total)]);
    let shard = shard.into_iter().flatten().map(|(name, number)| (name.to_owned(), number.to_string()));
    job.env.clone().into_iter().chain(shard).collect()
}

/// Says what became of runs. All of it is recorded when this is answered.
#[utoipa::path(post, path = routes::WORKER_REPORT, tag = "workers", params(("worker" = String, Path)), request_body = WorkerReport,
    responses((status = 200, body = WorkerReceipt)))]
async fn report(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathOf(id): PathOf<String>,
    Plain(report): Plain<WorkerReport>,
) -> Answer<Json<WorkerReceipt>> {
    let worker = own(&app, &caller, &id).await?;
    let offset_ms = app.now().since(from_wire(report.now));
    // Workers of earlier versions tell their time in reports alone.
    app.engine.workers().note_clock(worker, offset_ms.saturating_neg());
    let logs = report.logs.into_iter().map(piece).collect::<Answer<Vec<_>>>()?;
    let ends = report.ends.into_iter().map(end).collect::<Answer<Vec<_>>>()?;
    let refused = app.engine.workers().report(worker, Report { offset_ms, logs, ends }).await?;
    let holding = |(run, attempt): (RunId, u32)| WorkerHolding { run: run.to_string(), attempt };
    Ok(Json(WorkerReceipt { refused: refused.into_iter().map(holding).collect() }))
}

fn piece(log: WorkerLog) -> Answer<LogPiece> {
    let line = |line: api::WorkerLine| LogLine {
        at_ms: line.at.as_millis(),
        stream: line.stream.known().unwrap_or(Stream::System),
        partial: line.partial || line.text.len() > LINE_MAX,
        text: cut(line.text, LINE_MAX),
    };
    if log.lines.is_empty() {
        return Err(invalid("/logs", "a piece of a log has at least one line"));
    }
    let lines = log.lines.into_iter().map(line).collect();
    Ok(LogPiece { run: run_id(&log.run)?, attempt: log.attempt, first_line: log.first_line, lines })
}

fn end(end: WorkerEnd) -> Answer<RemoteEnd> {
    let outcome = end
        .outcome
        .outcome()
        .ok_or_else(|| invalid("/ends", "an attempt ends as succeeded, failed, timed_out, cancelled or lost"))?;
    let output = end.output.map(|output| output.to_string());
    let most = mainspring_tasks::Settings::OUTPUT_BYTES_MAX;
    if let Some(output) = output.as_ref().filter(|output| output.len() > most) {
        let why = format!("the output of {} has {} bytes, and {most} are kept", end.run, output.len());
        return Err(Refusal::new(ErrorCode::WorkerOutput, why));
    }
    let data = end.data.as_ref().map(JobData::check).transpose().map_err(|error| {
        Refusal::new(ErrorCode::WorkerData, format!("what {} leaves cannot be the data of its job: {error}", end.run))
    })?;
    let plain = |text: String| cut(text.replace('\0', "\u{fffd}"), ERROR_MAX);
    let detail = AttemptDetail {
        exit_code: end.exit_code,
        signal: end.signal,
        error_code: end.error_code.map(plain),
        error: end.error.map(plain),
        output,
        data,
    };
    Ok(RemoteEnd {
        run: run_id(&end.run)?,
        attempt: end.attempt,
        outcome,
        started_at: end.started_at.map(from_wire),
        ended_at: from_wire(end.ended_at),
        detail: (detail != AttemptDetail::default()).then(|| Box::new(detail)),
    })
}

/// Lists the tokens of workers, by name.
#[utoipa::path(get, path = routes::WORKER_TOKENS, tag = "workers", responses((status = 200, body = Vec<WorkerToken>)))]
async fn tokens(State(app): State<App>) -> Answer<Json<Vec<WorkerToken>>> {
    let tokens = app.control().store().worker_tokens().await?;
    Ok(Json(tokens.into_iter().map(|token| shown(token, None)).collect()))
}

/// Makes a token for workers.
#[utoipa::path(post, path = routes::WORKER_TOKENS, tag = "workers", request_body = WorkerTokenSpec,
    responses((status = 201, body = WorkerToken)))]
async fn create_token(
    State(app): State<App>,
    Body(spec): Body<WorkerTokenSpec>,
) -> Answer<(StatusCode, Json<WorkerToken>)> {
    let names = std::iter::once(("/name".to_owned(), &spec.name));
    let queues = spec.queues.iter().enumerate().map(|(index, queue)| (format!("/queues/{index}"), queue));
    let bad = names.chain(queues).filter(|(_, name)| !is_valid_name(name));
    let mut problems: Vec<Problem> = bad
        .map(|(at, name)| Problem::new(ErrorCode::NameInvalid, format!("{name:?} cannot be a name")).at(at))
        .collect();
    if let Some(at) = spec.expires_at.filter(|at| from_wire(*at) <= app.now()) {
        let message = format!("the token would have expired already, at {at}");
        problems.push(Problem::new(ErrorCode::FieldValue, message).at("/expires_at"));
    }
    if !problems.is_empty() {
        return Err(Refusal::invalid(problems));
    }
    let text = new_token();
    let token = mainspring_store::WorkerToken {
        name: spec.name,
        hash: hash_of(&text),
        queues: spec.queues,
        created_at: app.now(),
        expires_at: spec.expires_at.map(from_wire),
    };
    match app.control().store().add_worker_token(token.clone()).await {
        Err(StoreError::Conflict { .. }) => {
            let why = format!("there is a token of workers called {:?}", token.name);
            Err(Refusal::new(ErrorCode::ResourceExists, why).hint("revoke it first, or take another name"))
        }
        done => done.map(|()| (StatusCode::CREATED, Json(shown(token, Some(text))))).map_err(Refusal::from),
    }
}

/// Ends a token of workers: it opens nothing any more.
#[utoipa::path(delete, path = routes::WORKER_TOKEN, tag = "workers", params(("token" = String, Path)), responses((status = 204)))]
async fn revoke_token(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<StatusCode> {
    if !app.control().store().remove_worker_token(&name).await? {
        let why = format!("there is no token of workers called {name:?}");
        return Err(Refusal::new(ErrorCode::WorkerTokenNotFound, why));
    }
    app.forget_tokens();
    Ok(DONE)
}

fn shown(token: mainspring_store::WorkerToken, text: Option<String>) -> WorkerToken {
    WorkerToken {
        name: token.name,
        queues: token.queues,
        created_at: instant(token.created_at),
        expires_at: token.expires_at.map(instant),
        token: text,
    }
}

/// The worker of a path, if the token of the request is its own.
async fn own(app: &App, caller: &Caller, id: &str) -> Answer<Incarnation> {
    let worker = parse(id)?;
    must_be_own(caller, app.engine.workers().token_of(worker).await?.as_deref(), id)?;
    Ok(worker)
}

/// Workers of other tokens are not to be told from those that are not there.
fn must_be_own(caller: &Caller, token: Option<&str>, id: &str) -> Answer<()> {
    if caller.token_name().is_none_or(|name| token == Some(name)) { Ok(()) } else { Err(not_found(id)) }
}

fn parse(id: &str) -> Answer<Incarnation> {
    let digits = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u128::from_str_radix(id, 16).ok().filter(|_| digits);
    number.map(Incarnation).ok_or_else(|| not_found(id))
}

fn not_found(id: &str) -> Refusal {
    Refusal::new(ErrorCode::WorkerNotFound, format!("there is no worker {id:?}"))
}

fn run_id(text: &str) -> Answer<RunId> {
    text.parse().map_err(|_| invalid("", &format!("{text:?} is not the id of a run")))
}

fn invalid(pointer: &str, message: &str) -> Refusal {
    Refusal::invalid(vec![Problem::new(ErrorCode::FieldValue, message).at(pointer)])
}

/// Cuts a text between characters.
fn cut(mut text: String, max: usize) -> String {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
    }
    text
}

impl From<WorkerError> for Refusal {
    fn from(error: WorkerError) -> Self {
        let text = error.to_string();
        match error {
            WorkerError::NotFound(id) => not_found(&id.to_string()),
            WorkerError::Stale => Self::new(ErrorCode::WorkerStalePoll, text),
            WorkerError::Unheard => Self::new(ErrorCode::StoreUnavailable, text),
            WorkerError::Draining => Self::new(ErrorCode::ServerDraining, text),
            WorkerError::LogGap { .. } => invalid("/logs", &text),
            WorkerError::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worker_that_says_nonsense_hears_all_of_it() {
        let spec = WorkerSpec {
            name: "-".into(),
            queues: vec!["a".into(), "a".into(), "b c".into()],
            slots: 0,
            labels: [("x y".to_owned(), String::new())].into(),
            version: None,
        };
        let refusal = check(&spec).unwrap_err();
        let places: Vec<_> = refusal.0.errors.iter().map(|problem| problem.pointer.as_str()).collect();
        assert_eq!(places, ["/name", "/queues/1", "/queues/2", "/slots", "/labels"]);
        let none = WorkerSpec { queues: Vec::new(), ..spec };
        assert!(check(&none).is_err());
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("aüb".into(), 2), "a");
        assert_eq!(cut("aüb".into(), 3), "aü");
        assert_eq!(cut("aüb".into(), 4), "aüb");
    }

    #[test]
    fn only_ids_as_they_are_written_name_a_worker() {
        let id = Incarnation(0xfe).to_string();
        assert_eq!(parse(&id).unwrap(), Incarnation(0xfe));
        for bad in ["", "fe", &id[1..], &format!("+{}", &id[1..]), &id.replace('0', "g")] {
            assert_eq!(parse(bad).unwrap_err().code(), Some(ErrorCode::WorkerNotFound), "{bad}");
        }
    }
}
