//! Versions of the scripts that executors of XXL-JOB run.

use axum::extract::State;
use axum::{Extension, Json};
use mainspring_api::{
    ErrorCode, Problem, WriteOptions, XxlGlue, XxlGlueChange, XxlGlueHistory, XxlGlueOld, XxlGlueRollback,
    XxlGlueVersion, XxlLanguage, routes,
};
use mainspring_core::job::JobKey;
use utoipa_axum::routes;

use super::{Route, jobs};
use crate::access::Caller;
use crate::app::App;
use crate::convert;
use crate::extract::{Body, Condition, OptionalBody, PathOf};
use crate::refusal::{Answer, Refusal};
use crate::saver::Saver;
use crate::xxl::scripts;

/// Versions of XXL-JOB that one request brings.
const HISTORY_MAX: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(versions)),
        Route::edit(routes!(set)).conditional(),
        Route::view(routes!(version)),
        Route::edit(routes!(roll_back)).conditional(),
        Route::edit(routes!(add_history)).large(),
    ]
}

type Key = (String, String);

/// Lists the versions of a job's script without their sources, newest first.
#[utoipa::path(get, path = routes::XXL_GLUE, tag = "xxl", params(("namespace" = String, Path), ("job" = String, Path)),
    responses((status = 200, body = Vec<XxlGlueVersion>)))]
async fn versions(State(app): State<App>, PathOf((namespace, name)): PathOf<Key>) -> Answer<Json<Vec<XxlGlueVersion>>> {
    let row = jobs::find(&app, &JobKey::new(namespace, name)).await?;
    Ok(Json(scripts::list(&app, &row).await?))
}

/// Gives a job another script, which is kept as a version. A script that the job has already is not kept again.
#[utoipa::path(post, path = routes::XXL_GLUE, tag = "xxl", params(("namespace" = String, Path), ("job" = String, Path)),
    request_body = XxlGlueChange, responses((status = 200, body = XxlGlueVersion)))]
async fn set(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    Extension(caller): Extension<Caller>,
    condition: Condition,
    saver: Saver,
    Body(change): Body<XxlGlueChange>,
) -> Answer<Json<XxlGlueVersion>> {
    let saver = saver.named(&caller, change.by.as_deref())?;
    save(&app, JobKey::new(namespace, name), condition, saver, change).await.map(Json)
}

/// Returns a version of a job's script with its source.
#[utoipa::path(get, path = routes::XXL_GLUE_VERSION, tag = "xxl",
    params(("namespace" = String, Path), ("job" = String, Path), ("version" = u32, Path)), responses((status = 200, body = XxlGlueVersion)))]
async fn version(
    State(app): State<App>,
    PathOf((namespace, name, text)): PathOf<(String, String, String)>,
) -> Answer<Json<XxlGlueVersion>> {
    let row = jobs::find(&app, &JobKey::new(namespace, name)).await?;
    Ok(Json(scripts::one(&app, &row, number(&text)?).await?))
}

/// Makes an older version of a job's script the current one, as a new version.
#[utoipa::path(post, path = routes::XXL_GLUE_ROLLBACK, tag = "xxl",
    params(("namespace" = String, Path), ("job" = String, Path), ("version" = u32, Path)), request_body = XxlGlueRollback,
    responses((status = 200, body = XxlGlueVersion)))]
async fn roll_back(
    State(app): State<App>,
    PathOf((namespace, name, text)): PathOf<(String, String, String)>,
    Extension(caller): Extension<Caller>,
    condition: Condition,
    saver: Saver,
    OptionalBody(asked): OptionalBody<XxlGlueRollback>,
) -> Answer<Json<XxlGlueVersion>> {
    let saver = saver.named(&caller, asked.by.as_deref())?;
    let (key, number) = (JobKey::new(namespace, name), number(&text)?);
    let row = jobs::find(&app, &key).await?;
    let remark = asked.remark.unwrap_or_else(|| format!("back to version {number}"));
    let script = scripts::find(&app, &row, number).await?;
    if asked.glue_updatetime.is_some_and(|seen| seen != script.stamp()) {
        let why = format!("version {number} of the script of {key} is another script by now");
        return Err(
            Refusal::new(ErrorCode::ResourceStale, why).hint("mainspring xxl glue list tells the numbers of today")
        );
    }
    let glue = script.glue(remark);
    let change = XxlGlueChange {
        source: glue.source,
        language: XxlLanguage::parse(&glue.language),
        remark: glue.remark,
        by: None,
    };
    save(&app, key, condition, saver, change).await.map(Json)
}

/// Adds versions that XXL-JOB kept of a job's script, before those that are there.
#[utoipa::path(post, path = routes::XXL_GLUE_HISTORY, tag = "xxl", params(("namespace" = String, Path), ("job" = String, Path)),
    request_body = XxlGlueHistory, responses((status = 200, body = Vec<XxlGlueVersion>)))]
async fn add_history(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    Body(history): Body<XxlGlueHistory>,
) -> Answer<Json<Vec<XxlGlueVersion>>> {
    let mut problems: Vec<Problem> =
        history.versions.iter().enumerate().flat_map(|(index, old)| check(index, old)).collect();
    if history.versions.len() > HISTORY_MAX {
        let message = format!("{} versions, and {HISTORY_MAX} are allowed at a time", history.versions.len());
        problems.push(Problem::new(ErrorCode::FieldTooMany, message).at("/versions"));
    }
    if !problems.is_empty() {
        return Err(Refusal::invalid(problems));
    }
    let row = jobs::find(&app, &JobKey::new(namespace, name)).await?;
    scripts::add_history(&app, &row, history.versions).await?;
    tracing::info!(job = %row.definition.key, "versions of a script are brought from XXL-JOB");
    Ok(Json(scripts::list(&app, &row).await?))
}

/// Saves the job with another script. Answers the version that it has then.
pub(crate) async fn save(
    app: &App,
    key: JobKey,
    condition: Condition,
    saver: Saver,
    change: XxlGlueChange,
) -> Answer<XxlGlueVersion> {
    let before = jobs::find(app, &key).await?;
    scripts::glue_of(&before.definition).ok_or_else(|| scripts::no_script(&key))?;
    let of = key.clone();
    let spec = move |row: Option<&mainspring_store::JobRow>| {
        let mut spec = row.map(|row| convert::job_spec(&row.definition)).ok_or_else(|| scripts::no_script(&of))?;
        let glue = spec.xxl.as_mut().and_then(|xxl| xxl.glue.as_mut()).ok_or_else(|| scripts::no_script(&of))?;
        let is_same = glue.source == change.source && change.language.is_none_or(|language| language == glue.language);
        let remark = change.remark.clone().or_else(|| glue.remark.clone().filter(|_| is_same));
        let language = change.language.unwrap_or(glue.language);
        *glue = XxlGlue { language, source: change.source.clone(), remark };
        Ok(spec)
    };
    tracing::info!(job = %key, by = saver.0.by, "the script of a job changes");
    jobs::save(app, &key, condition, (WriteOptions::default(), saver), spec).await?;
    let row = jobs::find(app, &key).await?;
    let mut versions = scripts::list(app, &row).await?;
    let current = versions.iter().position(|version| version.current);
    current.map(|index| versions.swap_remove(index)).ok_or_else(|| scripts::no_script(&key))
}

fn check(index: usize, old: &XxlGlueOld) -> Vec<Problem> {
    let wrong = |message: String, member: &str| {
        Problem::new(ErrorCode::FieldValue, message).at(format!("/versions/{index}/{member}"))
    };
    let mut problems = Vec::new();
    if old.source.len() > XxlGlue::SOURCE_MAX {
        problems.push(wrong(format!("a script has at most {} KiB", XxlGlue::SOURCE_MAX / 1024), "source"));
    }
    if old.remark.as_ref().is_some_and(|remark| remark.chars().count() > XxlGlue::REMARK_MAX) {
        problems.push(wrong(format!("a remark has at most {} characters", XxlGlue::REMARK_MAX), "remark"));
    }
    problems
}

fn number(text: &str) -> Answer<u32> {
    text.parse().map_err(|_| {
        let why = format!("\"{}\" is no number of a version", text.escape_debug());
        Refusal::new(ErrorCode::VersionNotFound, why)
    })
}
