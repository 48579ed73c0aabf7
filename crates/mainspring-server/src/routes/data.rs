//! What jobs keep between their runs.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use mainspring_api::{self as api, ErrorCode, routes};
use mainspring_core::job::JobKey;
use mainspring_engine::control;
use mainspring_store::{Error as StoreError, JobData};
use serde_json::{Map, Value};
use utoipa_axum::routes;

use super::{Route, jobs};
use crate::app::App;
use crate::extract::{Condition, PathOf, Plain, etag};
use crate::layers::DONE;
use crate::refusal::{Answer, Refusal};
use crate::show::{count, instant};

type Key = (String, String);

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(get_data)), Route::edit(routes!(put_data, clear_data))]
}

/// Returns what a job keeps between its runs.
#[utoipa::path(get, path = routes::JOB_DATA, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path)), responses((status = 200, body = api::JobData)))]
async fn get_data(State(app): State<App>, PathOf((namespace, name)): PathOf<Key>) -> Answer<Response> {
    let key = JobKey::new(namespace, name);
    jobs::find(&app, &key).await?;
    Ok(shown(app.control().data(&key).await?))
}

/// Sets what the next runs of a job are given: a JSON object of at most 64 KiB.
#[utoipa::path(put, path = routes::JOB_DATA, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path)),
    request_body = serde_json::Value, responses((status = 200, body = api::JobData)))]
async fn put_data(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    condition: Condition,
    Plain(data): Plain<Value>,
) -> Answer<Response> {
    set(&app, &JobKey::new(namespace, name), condition, &data).await.map(|kept| shown(Some(kept)))
}

/// Sets what the next runs of a job are given to `{}`.
#[utoipa::path(delete, path = routes::JOB_DATA, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path)),
    responses((status = 204, description = "Done")))]
async fn clear_data(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<Key>,
    condition: Condition,
) -> Answer<StatusCode> {
    let nothing = Value::Object(Map::new());
    set(&app, &JobKey::new(namespace, name), condition, &nothing).await.map(|_| DONE)
}

async fn set(app: &App, key: &JobKey, condition: Condition, data: &Value) -> Answer<JobData> {
    let expect = match condition {
        Condition::Always | Condition::Present => None,
        Condition::Absent => Some(0),
        Condition::Version(revision) => Some(i64::try_from(revision).unwrap_or(i64::MAX)),
    };
    let row = jobs::find(app, key).await?;
    if !row.definition.keep_data {
        let why = format!("job \"{key}\" keeps no data between its runs");
        return Err(Refusal::new(ErrorCode::JobDataNotKept, why).hint("set keep_data: true in its definition"));
    }
    match app.control().set_data(key, data, expect).await {
        Err(control::Error::Store(StoreError::Conflict { why, .. })) => {
            Err(Refusal::new(ErrorCode::ResourceStale, format!("the data of job \"{key}\" {why}")))
        }
        done => Ok(done?),
    }
}

fn shown(kept: Option<JobData>) -> Response {
    let nothing = || Value::Object(Map::new());
    let revision = kept.as_ref().map_or(0, |kept| count(kept.revision));
    let data = api::JobData {
        data: kept.as_ref().and_then(|kept| serde_json::from_str(&kept.data).ok()).unwrap_or_else(nothing),
        revision,
        run: kept.as_ref().and_then(|kept| kept.run).map(|run| run.to_string()),
        changed_at: kept.map(|kept| instant(kept.changed_at)),
    };
    (etag(revision), Json(data)).into_response()
}
