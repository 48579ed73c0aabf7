//! Versions of a job, and its job file.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use mainspring_api::{
    self as api, ErrorCode, Format, JobFileFilter, JobSpec, Page, PageFilter, did_you_mean, routes, write_text,
};
use mainspring_core::JobVersion;
use mainspring_core::job::JobKey;
use mainspring_store::{JobRow, VersionRow};
use utoipa_axum::routes;

use super::{Route, jobs};
use crate::app::App;
use crate::convert;
use crate::extract::{PathOf, QueryOf, large_json};
use crate::pages;
use crate::refusal::{Answer, Refusal};
use crate::saver::place_of;
use crate::show::{count, instant};

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(versions)), Route::view(routes!(version)), Route::view(routes!(file))]
}

/// Lists the versions of a job that are kept, newest first: those that a run or trigger refers to.
#[utoipa::path(get, path = routes::JOB_VERSIONS, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path), PageFilter),
    responses((status = 200, body = Page<api::JobVersion>)))]
async fn versions(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    QueryOf(filter): QueryOf<PageFilter>,
) -> Answer<Response> {
    let limit = pages::limit(filter.limit)?;
    let before = match filter.cursor.as_deref() {
        Some(cursor) => Some(JobVersion(cursor.parse().map_err(|_| pages::bad_cursor(cursor))?)),
        None => None,
    };
    let job = jobs::find(&app, &JobKey::new(namespace, name)).await?;
    let fetch = u32::try_from(limit + 1).unwrap_or(u32::MAX);
    let rows = app.control().store().versions(job.id, before, fetch).await?;
    let items = rows.iter().map(|row| show(&job, row)).collect();
    large_json(pages::page(items, limit, |version: &api::JobVersion| version.version.to_string())).await
}

/// Returns a version of a job, also as a job file.
#[utoipa::path(get, path = routes::JOB_VERSION, tag = "jobs",
    params(("namespace" = String, Path), ("job" = String, Path), ("version" = u64, Path)), responses((status = 200, body = api::JobVersion)))]
async fn version(
    State(app): State<App>,
    PathOf((namespace, name, text)): PathOf<(String, String, String)>,
) -> Answer<Json<api::JobVersion>> {
    let job = jobs::find(&app, &JobKey::new(namespace, name)).await?;
    let missing = || {
        let detail = format!("{} has no version {}, or no more", job.definition.key, text.escape_debug());
        Refusal::new(ErrorCode::VersionNotFound, detail)
    };
    let number: i64 = text.parse().map_err(|_| missing())?;
    let before = JobVersion(number.saturating_add(1));
    let rows = app.control().store().versions(job.id, Some(before), 1).await?;
    let row = rows.into_iter().find(|row| row.version == JobVersion(number)).ok_or_else(missing)?;
    let shown = show(&job, &row);
    let file = Some(written(&shown.spec, Format::Yaml)?);
    Ok(Json(api::JobVersion { file, ..shown }))
}

/// Returns a job as a job file that `apply` takes back.
#[utoipa::path(get, path = routes::JOB_FILE, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path), JobFileFilter),
    responses((status = 200, content((String = "application/yaml"), (String = "application/toml"), (JobSpec = "application/json")))))]
async fn file(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    QueryOf(filter): QueryOf<JobFileFilter>,
) -> Answer<Response> {
    let format = format(filter.format.as_deref())?;
    let job = jobs::find(&app, &JobKey::new(namespace, name)).await?;
    let media_type = match format {
        Format::Yaml => "application/yaml",
        Format::Toml => "application/toml",
        Format::Json => "application/json",
    };
    let text = written(&convert::job_spec(&job.definition), format)?;
    Ok(([(header::CONTENT_TYPE, media_type)], text).into_response())
}

/// Reads the name of a format.
pub(super) fn format(asked: Option<&str>) -> Answer<Format> {
    const WORDS: [&str; 3] = ["yaml", "toml", "json"];
    match asked.unwrap_or("yaml") {
        "yaml" => Ok(Format::Yaml),
        "toml" => Ok(Format::Toml),
        "json" => Ok(Format::Json),
        other => {
            let detail = format!("\"format\" takes {}, not \"{}\"", WORDS.join(", "), other.escape_debug());
            let refusal = Refusal::new(ErrorCode::RequestQuery, detail);
            Err(match did_you_mean(other, WORDS) {
                Some(hint) => refusal.hint(hint),
                None => refusal,
            })
        }
    }
}

fn written(spec: &JobSpec, format: Format) -> Answer<String> {
    write_text(spec, format).map_err(|error| Refusal::new(ErrorCode::DocumentUnsupported, error.to_string()))
}

fn show(job: &JobRow, row: &VersionRow) -> api::JobVersion {
    api::JobVersion {
        version: count(row.version.0),
        saved_at: instant(row.saved_at),
        saved_by: row.saved_by.as_ref().map(|saved| saved.by.clone()),
        saved_from: row.saved_by.as_ref().map(|saved| place_of(&saved.from)),
        current: row.version == job.version,
        spec: convert::job_spec(&row.definition),
        file: None,
    }
}
