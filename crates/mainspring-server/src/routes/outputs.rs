//! What runs leave: whole, whether it stands in the row of the run or apart.

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use mainspring_api::{ErrorCode, routes};
use mainspring_core::RunId;
use mainspring_core::output::OutputRef;
use mainspring_store::{Error as StoreError, RunInfo};
use utoipa_axum::routes;

use super::{Route, runs};
use crate::app::App;
use crate::extract::PathOf;
use crate::refusal::{Answer, Refusal};

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(output))]
}

/// Returns what a run has left, however large it is.
#[utoipa::path(get, path = routes::RUN_OUTPUT, tag = "runs", params(("run" = String, Path)),
    responses((status = 200, body = serde_json::Value, content_type = "application/json")))]
async fn output(State(app): State<App>, PathOf(run): PathOf<String>) -> Answer<Response> {
    let id = runs::id(&run)?;
    let RunInfo { output, attempt, .. } = app.control().run(id).await?;
    let missing = || Refusal::new(ErrorCode::OutputNotFound, format!("the run {run} has no output"));
    let text = output.ok_or_else(missing)?;
    let json = [(header::CONTENT_TYPE, "application/json")];
    let Some(apart) = OutputRef::from_text(&text) else { return Ok((json, text).into_response()) };
    // Retention may have taken it since the run was read; once it is being sent, that breaks the answer off.
    let first = part(&app, id, attempt, 0).await.map_err(Refusal::from)?.ok_or_else(missing)?;
    let headers = [(header::CONTENT_LENGTH, apart.bytes.to_string()), (header::ETAG, format!("\"{}\"", apart.sha256))];
    let rest = stream::iter(1..u32::try_from(apart.parts()).unwrap_or(u32::MAX)).then(move |number| {
        let app = App::clone(&app);
        async move { part(&app, id, attempt, number).await?.ok_or(StoreError::Closed) }
    });
    let body = Body::from_stream(stream::once(std::future::ready(Ok(first))).chain(rest));
    Ok((json, headers, body).into_response())
}

async fn part(app: &App, run: RunId, attempt: u32, number: u32) -> Result<Option<Vec<u8>>, StoreError> {
    app.control().store().output(run, attempt, number).await
}
