//! Jobs: definitions, pauses, runs asked for, history.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use mainspring_api::{self as api, ErrorCode, JobSpec, Page, Problem, Reason, RunFilter, RunNow, WriteOptions, routes};
use mainspring_core::job::{Job, JobKey};
use mainspring_core::run::Origin;
use mainspring_core::{JobId, JobVersion};
use mainspring_engine::control::{self, Ask, JobSave, SaveMode};
use mainspring_schedule::Lang;
use mainspring_store::{Error as StoreError, Expect, JobQuery, JobRow};
use serde_json::{Map, Value};
use utoipa_axum::routes;

use super::{DEFAULT_NAMESPACE, Route, calendars, runs};
use crate::access::Caller;
use crate::afters;
use crate::app::App;
use crate::calls;
use crate::convert::after::Follower;
use crate::convert::calls::Calling;
use crate::convert::{self, Surroundings};
use crate::extract::{Body, Condition, OptionalBody, Patch, PathOf, QueryOf, etag, made, off_thread};
use crate::idempotency::Deed;
use crate::layers::DONE;
use crate::pauses::{self, Paused};
use crate::refusal::{Answer, Refusal};
use crate::saver::{self, Saver};
use crate::show::{self, JobView, Runs};
use crate::waits;
use crate::words::Reads;
use crate::xxl::scripts;

/// How often a write starts again that others keep overtaking.
const TRIES: usize = 10;
/// Names that are looked through for one that is spelled alike.
const SIMILAR_MAX: u32 = 1_000;

type Key = (String, String);

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(get)),
        Route::edit(routes!(put, patch, delete)),
        Route::operate(routes!(pause)).repeatable(),
        Route::operate(routes!(resume)).repeatable(),
        Route::operate(routes!(run)).repeatable(),
        Route::view(routes!(history)),
    ]
}

/// Returns a job.
#[utoipa::path(get, path = routes::JOB, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path)), responses((status = 200, body = api::Job)))]
async fn get(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    Reads(language): Reads,
) -> Answer<Response> {
    let row = find(&app, &JobKey::new(namespace, name)).await?;
    Ok((etag(show::count(row.version.0)), Json(view(&app, &row, language).await?)).into_response())
}

/// Makes or replaces a job.
#[utoipa::path(put, path = routes::JOB, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path), WriteOptions),
    request_body = JobSpec, responses((status = 200, body = api::Job), (status = 201, body = api::Job)))]
async fn put(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    condition: Condition,
    QueryOf(options): QueryOf<WriteOptions>,
    saver: Saver,
    Body(spec): Body<JobSpec>,
) -> Answer<Response> {
    let key = JobKey::new(namespace, name);
    let spec = named(spec, &key)?;
    save(&app, &key, condition, (options, saver), move |_| Ok(spec.clone())).await
}

/// Changes the parts of a job that a merge patch (RFC 7396) names; `null` removes a key.
#[utoipa::path(patch, path = routes::JOB, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path), WriteOptions),
    request_body(content = serde_json::Value, content_type = "application/merge-patch+json"), responses((status = 200, body = api::Job)))]
async fn patch(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    condition: Condition,
    QueryOf(options): QueryOf<WriteOptions>,
    saver: Saver,
    Patch(patch): Patch,
) -> Answer<Response> {
    let key = JobKey::new(namespace, name);
    find(&app, &key).await?;
    let of = key.clone();
    let spec = move |row: Option<&JobRow>| match row {
        Some(row) => patched(&row.definition, &patch, &of),
        None => Err(missing(&of)),
    };
    save(&app, &key, condition, (options, saver), spec).await
}

/// Deletes a job with its triggers; its history is kept.
#[utoipa::path(delete, path = routes::JOB, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path), WriteOptions),
    responses((status = 204, description = "Gone")))]
async fn delete(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    condition: Condition,
    QueryOf(options): QueryOf<WriteOptions>,
) -> Answer<StatusCode> {
    remove(&app, &JobKey::new(namespace, name), condition, options).await.map(|()| DONE)
}

/// Deletes a job, if a condition holds.
pub(crate) async fn remove(app: &App, key: &JobKey, condition: Condition, options: WriteOptions) -> Answer<()> {
    for _ in 0..TRIES {
        let row = find(app, key).await?;
        condition.check(&what(key), Some(show::count(row.version.0)), || missing(key))?;
        if options.dry_run {
            return Ok(());
        }
        let removal = scripts::removal(app, key).await?;
        match app.control().delete_job(key, Expect::Change(row.change)).await {
            Err(control::Error::Store(StoreError::Conflict { .. })) => {}
            done => {
                done?;
                scripts::forget(app, key, removal).await;
                return pauses::forget(app, Paused::Job(row.id)).await;
            }
        }
    }
    Err(overtaken(key))
}

/// Pauses a job: once this is answered, none of its triggers fires.
#[utoipa::path(post, path = routes::JOB_PAUSE, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path)),
    request_body = Reason, responses((status = 200, body = api::Job)))]
async fn pause(
    state: State<App>,
    path: PathOf<Key>,
    caller: Extension<Caller>,
    reason: OptionalBody<Reason>,
) -> Answer<Response> {
    set_paused(state, path, caller, reason, true).await
}

/// Ends the pause of a job.
#[utoipa::path(post, path = routes::JOB_RESUME, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path)),
    request_body = Reason, responses((status = 200, body = api::Job)))]
async fn resume(
    state: State<App>,
    path: PathOf<Key>,
    caller: Extension<Caller>,
    reason: OptionalBody<Reason>,
) -> Answer<Response> {
    set_paused(state, path, caller, reason, false).await
}

async fn set_paused(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    Extension(caller): Extension<Caller>,
    OptionalBody(asked): OptionalBody<Reason>,
    paused: bool,
) -> Answer<Response> {
    let key = JobKey::new(namespace, name);
    find(&app, &key).await?;
    let by = pauses::by(&caller, &asked)?;
    tracing::info!(job = %key, paused, by, reason = asked.reason, "the pause of a job changes");
    let row = match paused {
        true => pause_one(&app, &key, by, asked.reason).await?,
        false => resume_one(&app, &key).await?,
    };
    shown(&app, &row).await
}

/// Pauses a job, and notes who did so.
pub(crate) async fn pause_one(app: &App, key: &JobKey, by: String, reason: Option<String>) -> Answer<JobRow> {
    let before = find(app, key).await?;
    let row = app.control().pause_job(key).await?;
    pauses::note(app, Paused::Job(row.id), by, reason, before.paused).await?;
    Ok(row)
}

/// Ends the pause of a job.
pub(crate) async fn resume_one(app: &App, key: &JobKey) -> Answer<JobRow> {
    let row = app.control().resume_job(key).await?;
    pauses::forget(app, Paused::Job(row.id)).await?;
    Ok(row)
}

/// Starts a run of a job now.
#[utoipa::path(post, path = routes::JOB_RUN, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path)),
    request_body = RunNow, responses((status = 201, body = api::Run)))]
async fn run(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    deed: Option<Extension<Deed>>,
    headers: HeaderMap,
    OptionalBody(asked): OptionalBody<RunNow>,
) -> Answer<(StatusCode, Json<api::Run>)> {
    runs::must_start(&app)?;
    let key = JobKey::new(namespace, name);
    let row = find(&app, &key).await?;
    let asked = checked(&row, asked).await?;
    let ask = Ask {
        input: input(asked.input, asked.params),
        priority: asked.priority,
        origin: origin(&headers),
        worker: None,
        asking: deed.map(|deed| deed.asking()),
    };
    let run = app.control().run_now(&key, ask).await?;
    tracing::info!(job = %key, run.id = %run.id, reason = asked.reason, "run asked for");
    let shown = Runs::new(app.control()).show(run).await?;
    Ok((StatusCode::CREATED, Json(shown)))
}

/// Checks what a run is given against what its job declares.
async fn checked(row: &JobRow, asked: RunNow) -> Answer<RunNow> {
    let job = Arc::clone(&row.definition);
    let given = asked.input.is_some() || !asked.params.is_empty();
    if job.params.is_empty() && !given {
        return Ok(asked);
    }
    off_thread(move || {
        let problems = convert::job_spec(&job).check_input(asked.input.as_ref(), &asked.params);
        if problems.is_empty() { Ok(asked) } else { Err(Refusal::invalid(problems)) }
    })
    .await
}

/// Lists final runs of a job, newest first.
#[utoipa::path(get, path = routes::JOB_HISTORY, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path), RunFilter),
    responses((status = 200, body = Page<api::Run>)))]
async fn history(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    QueryOf(filter): QueryOf<RunFilter>,
) -> Answer<Json<Page<api::Run>>> {
    let filter = RunFilter { job: Some(name), ..filter };
    runs::page(&app, namespace, filter, runs::Which::Final).await.map(Json)
}

/// Finds a job, or says that there is none and which name is spelled alike.
pub(crate) async fn find(app: &App, key: &JobKey) -> Answer<JobRow> {
    let store = app.control().store();
    if let Some(row) = store.job(key).await? {
        return Ok(row);
    }
    let query = JobQuery { namespace: Some(key.namespace.clone()), limit: SIMILAR_MAX, ..JobQuery::default() };
    let others = store.jobs(query).await?;
    let names = others.iter().map(|row| row.definition.key.name.as_str());
    Err(match api::did_you_mean(&key.name, names) {
        Some(hint) => missing(key).hint(hint),
        None => missing(key),
    })
}

/// Shows a job with what the store knows about it.
pub(super) async fn view(app: &App, row: &JobRow, language: Lang) -> Answer<api::Job> {
    Ok(show::job(row, JobView::read(app, row).await?, language))
}

/// Compiles a job, with the calendars of the store, and says what it probably does not mean.
async fn compile(app: &App, spec: JobSpec) -> Answer<(Job, Vec<Problem>)> {
    let bundle = api::Bundle { jobs: vec![spec], ..api::Bundle::default() };
    let (names, bundle) = off_thread(move || Ok((convert::calendars_of(&bundle, DEFAULT_NAMESPACE), bundle))).await?;
    let known = calendars::known(app, names).await?;
    let (now, timezone) = (app.now(), app.default_timezone.clone());
    let (job, mut warnings, places) = off_thread(move || {
        let find = |namespace: &str, name: &str| known.find(namespace, name);
        let around = Surroundings {
            namespace: DEFAULT_NAMESPACE,
            timezone: &timezone,
            now,
            calendars: &find,
            line: convert::NO_LINES,
        };
        let spec = &bundle.jobs[0];
        let job = convert::job(spec, &around).map_err(Refusal::invalid)?;
        let warnings = convert::warnings(spec, &job, now);
        let places = convert::after::places(spec, &job, "");
        Ok((job, warnings, places))
    })
    .await?;
    let follower = Follower { job: &job, places: &places };
    warnings.extend(afters::check(app, &[follower], &BTreeSet::new()).await?);
    let calling = [Calling { job: &job, place: String::new() }];
    warnings.extend(calls::check(app, &calling, &BTreeSet::new()).await?);
    warnings.extend(waits::check(app, &calling, &BTreeSet::new()).await?);
    Ok((job, warnings))
}

/// Makes or replaces a job, if a condition holds. Who saves it is noted with the version, and with that of a script that is new.
pub(crate) async fn save(
    app: &App,
    key: &JobKey,
    condition: Condition,
    (options, saver): (WriteOptions, Saver),
    spec_of: impl Fn(Option<&JobRow>) -> Answer<JobSpec> + Clone + Send + 'static,
) -> Answer<Response> {
    for _ in 0..TRIES {
        let row = app.control().store().job(key).await?;
        let version = row.as_ref().map(|row| show::count(row.version.0));
        condition.check(&what(key), version, || missing(key))?;
        let spec = spec_of.clone();
        let before = row.clone();
        let (job, warnings) = compile(app, off_thread(move || spec(before.as_ref())).await?).await?;
        let job = Arc::new(job);
        crate::alerts::check_jobs(app, std::slice::from_ref(&job), |_| String::new()).await?;
        saver.1.check_job(row.as_ref().map(|row| &*row.definition), &job)?;
        if options.dry_run {
            let planned = planned(app, row, job);
            let shown = api::Job { warnings, ..show::job(&planned, JobView::default(), Lang::English) };
            return Ok((etag(show::count(planned.version.0)), Json(shown)).into_response());
        }
        let expect = row.as_ref().map_or(Expect::Absent, |row| Expect::Change(row.change));
        let documents = scripts::changes(app, row.as_ref(), &job, &saver.0.by).await?;
        let wanted = JobSave { job, expect, documents, resume: false, saved_by: Some(saver.0.clone()) };
        match app.control().save(vec![wanted], SaveMode::Commit).await {
            Ok(plans) => {
                let saved = plans.into_iter().next().and_then(|plan| plan.saved);
                let saved = saved.ok_or_else(|| missing(key))?;
                let shown = api::Job { warnings, ..view(app, &saved, Lang::English).await? };
                return Ok((made(row.is_none()), etag(shown.version), Json(shown)).into_response());
            }
            Err(control::Error::Store(StoreError::Conflict { .. })) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(overtaken(key))
}

async fn shown(app: &App, row: &JobRow) -> Answer<Response> {
    Ok((etag(show::count(row.version.0)), Json(view(app, row, Lang::English).await?)).into_response())
}

/// The row that a save would make.
fn planned(app: &App, row: Option<JobRow>, job: Arc<Job>) -> JobRow {
    match row {
        Some(row) if *row.definition == *job => row,
        Some(row) => JobRow { version: JobVersion(row.version.0 + 1), definition: job, ..row },
        None => JobRow {
            id: JobId(0),
            version: JobVersion(1),
            change: 0,
            paused: job.paused,
            definition: job,
            created_at: app.now(),
            updated_at: app.now(),
        },
    }
}

/// Refuses a body that names another job than its path.
fn named(mut spec: JobSpec, key: &JobKey) -> Answer<JobSpec> {
    let namespace = spec.namespace.get_or_insert_with(|| key.namespace.clone());
    let parts = [("/namespace", &*namespace, &key.namespace), ("/name", &spec.name, &key.name)];
    let differ = parts.into_iter().filter(|(_, body, path)| body != path);
    let problems: Vec<_> = differ
        .map(|(pointer, body, path)| {
            let message = format!("the path says \"{}\", the body \"{}\"", path.escape_debug(), body.escape_debug());
            Problem::new(ErrorCode::FieldValue, message).at(pointer)
        })
        .collect();
    if problems.is_empty() { Ok(spec) } else { Err(Refusal::invalid(problems)) }
}

fn patched(job: &Job, patch: &Value, key: &JobKey) -> Answer<JobSpec> {
    let mut value = serde_json::to_value(convert::job_spec(job)).expect("a spec is plain JSON");
    merge(&mut value, patch);
    let text = serde_json::to_vec(&value).expect("a value is plain JSON");
    let spec = api::read_body::<JobSpec>(&text, api::Limits::FILE).map_err(|problems| {
        // Places are of a text that the caller has never seen.
        Refusal::invalid(problems.into_iter().map(|problem| Problem { position: None, ..problem }).collect())
    })?;
    named(spec, key)
}

/// RFC 7396.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else { return };
    for (key, value) in patch {
        if value.is_null() {
            members.remove(key);
        } else {
            merge(members.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

/// What is given with a run: members set over an object. Anything else is given without members.
fn input(input: Option<Value>, params: BTreeMap<String, Value>) -> Option<Value> {
    if params.is_empty() {
        return input;
    }
    let mut members = match input {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    members.extend(params);
    Some(Value::Object(members))
}

/// People come through our command line, programs through whatever they are written with.
fn origin(headers: &HeaderMap) -> Origin {
    if saver::is_command_line(headers) { Origin::Manual } else { Origin::Api }
}

fn what(key: &JobKey) -> String {
    format!("job \"{}\" in namespace \"{}\"", key.name, key.namespace)
}

pub(super) fn missing(key: &JobKey) -> Refusal {
    let (name, namespace) = (key.name.escape_debug(), key.namespace.escape_debug());
    Refusal::new(ErrorCode::JobNotFound, format!("no job \"{name}\" in namespace \"{namespace}\""))
}

fn overtaken(key: &JobKey) -> Refusal {
    Refusal::new(ErrorCode::ResourceConflict, format!("{} was changed by others all the time", what(key)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn merge_patches_follow_rfc_7396() {
        // The cases of its appendix A.
        for (target, patch, expected) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
            (json!({"a": "b"}), json!(["c"]), json!(["c"])),
            (json!({"a": "foo"}), json!(null), json!(null)),
            (json!({"a": "foo"}), json!("bar"), json!("bar")),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            let mut merged = target.clone();
            merge(&mut merged, &patch);
            assert_eq!(merged, expected, "{target} + {patch}");
        }
    }
}
