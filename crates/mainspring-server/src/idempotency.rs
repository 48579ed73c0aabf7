//! POSTs that may be repeated: the answer of the first one is kept under its key, and given again.
//!
//! Answers of success are kept. A request that was refused has changed nothing, so its repetition is tried anew.

use std::sync::{Arc, PoisonError};

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use mainspring_api::ErrorCode;
use mainspring_store::KeptAnswer;
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::extract::{BodyLimits, INLINE_BYTES_MAX, collect, off_thread};
use crate::refusal::{Answer, Refusal};

const HEADER: &str = "idempotency-key";
/// The longest answer that is kept: that of an apply of tens of thousands of jobs.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// Answers a repetition, or lets the request pass and keeps its answer.
pub(crate) async fn once(State(app): State<App>, request: Request, next: Next) -> Response {
    // A task of its own: a caller that goes away must not part the deed from the keeping of its answer.
    let Ok(permit) = Arc::clone(&app.deeds).acquire_owned().await else {
        return Refusal::new(ErrorCode::ServerDraining, "the server is shutting down").into_response();
    };
    let done = off_task(async move {
        // Let go of in the reverse order: who gets the permit may count on the engine being free.
        let _permit = permit;
        let app = app;
        answer(&app, request, next).await
    });
    done.await.unwrap_or_else(IntoResponse::into_response)
}

async fn off_task(work: impl Future<Output = Answer<Response>> + Send + 'static) -> Answer<Response> {
    match tokio::spawn(work).await {
        Ok(answer) => answer,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Refusal::new(ErrorCode::ServerDraining, "the server is shutting down")),
        },
    }
}

async fn answer(app: &App, request: Request, next: Next) -> Answer<Response> {
    let Some(key) = key_of(request.headers())? else { return Ok(next.run(request).await) };
    let _first = Pending::begin(app, &key)?;
    let limit = request.extensions().get::<BodyLimits>().map_or(0, |limits| limits.0.bytes);
    let (parts, body) = request.into_parts();
    let body = collect(body, limit).await?;
    let target = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let request_hash = request_hash(parts.method.to_string(), target, body.clone()).await?;
    let store = app.control().store();
    if let Some(kept) = store.kept_answer(&key).await? {
        return repeated(&key, kept, request_hash);
    }
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    if !response.status().is_success() {
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let broken = |_| Refusal::new(ErrorCode::ServerInternal, "the answer is too large to be kept");
    let bytes = to_bytes(body, ANSWER_BYTES_MAX).await.map_err(broken)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let kept = KeptAnswer { request_hash, status: parts.status.as_u16(), body: text };
    store.keep_answer(&key, kept, app.now()).await?;
    Ok(Response::from_parts(parts, Body::from(bytes)))
}

fn repeated(key: &str, kept: KeptAnswer, request_hash: [u8; 32]) -> Answer<Response> {
    if kept.request_hash != request_hash {
        let detail = format!("the idempotency key \"{key}\" was used for another request");
        return Err(Refusal::new(ErrorCode::IdempotencyReused, detail));
    }
    let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::OK);
    let mut response = (status, kept.body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
    Ok(response)
}

/// The key of a request, if it has one.
pub(crate) fn key_of(headers: &HeaderMap) -> Answer<Option<String>> {
    let mut given = headers.get_all(HEADER).iter();
    let (first, second) = (given.next(), given.next());
    let Some(value) = first else { return Ok(None) };
    match value.to_str() {
        Ok(key) if second.is_none() && (1..=128).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()) => {
            Ok(Some(key.to_owned()))
        }
        _ => Err(Refusal::new(ErrorCode::RequestHeader, "Idempotency-Key takes 1 to 128 visible ASCII characters")),
    }
}

async fn request_hash(method: String, target: String, body: Bytes) -> Answer<[u8; 32]> {
    if body.len() <= INLINE_BYTES_MAX {
        return Ok(hash_of(&method, &target, &body));
    }
    off_thread(move || Ok(hash_of(&method, &target, &body))).await
}

fn hash_of(method: &str, target: &str, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    // No method and no target holds a NUL, so parts cannot run into each other.
    for part in [method.as_bytes(), b"\0", target.as_bytes(), b"\0", body] {
        hash.update(part);
    }
    hash.finalize().into()
}

/// Marks a key whose request is at work.
struct Pending<'a> {
    app: &'a App,
    key: &'a str,
}

impl<'a> Pending<'a> {
    fn begin(app: &'a App, key: &'a str) -> Answer<Self> {
        if app.pending.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned()) {
            return Ok(Self { app, key });
        }
        let detail = format!("the first request with the idempotency key \"{key}\" is still at work");
        Err(Refusal::new(ErrorCode::IdempotencyPending, detail))
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.app.pending.lock().unwrap_or_else(PoisonError::into_inner).remove(self.key);
    }
}
