//! POSTs that may be repeated, through any node: a key is claimed before the deed, and the answer of the first request is
//! kept under it and given again.
//!
//! Answers of success are kept. A request that was refused has changed nothing, so its repetition is tried anew. Where
//! nobody can tell (the node died, the database did not answer), a repetition does it again as the same [`Deed`], and it
//! has one effect: a run has an id that follows from the deed, and whatever else is asked for here is so or becomes so.

use std::sync::{Arc, PoisonError};

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use mainspring_api::ErrorCode;
use mainspring_engine::control::Asking;
use mainspring_schedule::Timestamp;
use mainspring_store::{Claimed, KeptAnswer, KeyClaim, KeyHold, Release, causes};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::extract::{BodyLimits, INLINE_BYTES_MAX, collect, off_thread};
use crate::refusal::{Answer, Refusal};

const HEADER: &str = "idempotency-key";
/// The longest answer that is kept: that of an apply of tens of thousands of jobs.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// When a claim counts for nothing that nobody has given up: longer than a client waits, or than a node that is up
/// takes to write an answer.
const LAPSE_MS: i64 = 60_000;

/// What a request under a key stands for: the same again is the same deed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deed {
    /// When the key was claimed first.
    since: Timestamp,
    /// A number that follows from the key.
    number: u64,
    /// Whether it may have been done before.
    pub(crate) again: bool,
}

impl Deed {
    /// What names the run that it asks for.
    pub(crate) const fn asking(self) -> Asking {
        Asking { at: self.since, number: self.number }
    }
}

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

/// Does something to its end, also for a caller that goes away.
pub(crate) async fn off_task<T: Send + 'static>(work: impl Future<Output = Answer<T>> + Send + 'static) -> Answer<T> {
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
    let _first = AtWork::begin(app, &key)?;
    let limit = request.extensions().get::<BodyLimits>().map_or(0, |limits| limits.0.bytes);
    let (mut parts, body) = request.into_parts();
    let body = collect(body, limit).await?;
    let target = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let request_hash = request_hash(parts.method.to_string(), target, body.clone()).await?;
    let (by, at) = (app.engine.incarnation(), app.now());
    let claim = KeyClaim { key, request_hash, by, at, lapse_ms: LAPSE_MS };
    let deed = match app.control().store().claim_key(claim.clone()).await? {
        Claimed::Yours { since, again } => Deed { since, number: number_of(&claim.key), again },
        Claimed::Pending => return Err(pending(&claim.key)),
        Claimed::Answered(kept) => return Ok(repeated(kept)),
        Claimed::Reused => {
            let detail = format!("the idempotency key \"{}\" was used for another request", claim.key);
            return Err(Refusal::new(ErrorCode::IdempotencyReused, detail));
        }
    };
    parts.extensions.insert(deed);
    let hold = KeyHold { key: claim.key.clone(), by: claim.by };
    let response = hold.scope(next.run(Request::from_parts(parts, Body::from(body)))).await;
    let status = response.status();
    let kept = if status.is_success() { keep(app, &claim.key, response).await } else { Ok(response) };
    if !status.is_success() || kept.is_err() {
        let untouched = status.is_client_error() && !deed.again;
        release(app, &claim, if untouched { Release::Forget } else { Release::LetGo }).await;
    }
    kept
}

/// Keeps an answer of success.
async fn keep(app: &App, key: &str, response: Response) -> Answer<Response> {
    let (parts, body) = response.into_parts();
    let broken = |_| Refusal::new(ErrorCode::ServerInternal, "the answer is too large to be kept");
    let bytes = to_bytes(body, ANSWER_BYTES_MAX).await.map_err(broken)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let kept = KeptAnswer { status: parts.status.as_u16(), body: text };
    app.control().store().keep_answer(key, kept, app.now()).await?;
    Ok(Response::from_parts(parts, Body::from(bytes)))
}

/// Gives a claim up, so that a repetition need not wait until it lapses.
async fn release(app: &App, claim: &KeyClaim, how: Release) {
    if let Err(error) = app.control().store().release_key(&claim.key, claim.by, how).await {
        tracing::warn!(error = %causes(&error), "an idempotency key could not be given up; other nodes wait until it lapses");
    }
}

fn repeated(kept: KeptAnswer) -> Response {
    let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::OK);
    let mut response = (status, kept.body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
    response
}

fn pending(key: &str) -> Refusal {
    let detail = format!("the first request with the idempotency key \"{key}\" is still at work");
    Refusal::new(ErrorCode::IdempotencyPending, detail)
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

/// A number that follows from the key.
fn number_of(key: &str) -> u64 {
    let hash = Sha256::digest(key.as_bytes());
    u64::from_be_bytes(hash[..8].try_into().expect("a hash has 32 bytes"))
}

/// Marks a key whose request is at work here: of its own claims a node cannot tell those that are over.
struct AtWork<'a> {
    app: &'a App,
    key: String,
}

impl<'a> AtWork<'a> {
    fn begin(app: &'a App, key: &str) -> Answer<Self> {
        if app.at_work.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned()) {
            return Ok(Self { app, key: key.to_owned() });
        }
        Err(pending(key))
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.app.at_work.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use mainspring_core::job::JobKey;
    use mainspring_store::Expect;
    use tokio::sync::watch;
    use tower::ServiceExt;

    use super::*;
    use crate::app::Inner;

    /// Deletes a job that is not there.
    async fn delete(app: &App) -> Response {
        let key = JobKey::new("default", "a");
        let deleted = app.control().store().delete_job(&key, Expect::Anything, Vec::new(), app.now()).await;
        deleted.map_or_else(|error| Refusal::from(error).into_response(), IntoResponse::into_response)
    }

    #[tokio::test]
    async fn what_a_request_asks_for_once_its_claim_has_passed_on_is_refused() {
        let app = Inner::in_memory(watch::channel(false).1).await;
        let held = |State(app): State<App>| async move { delete(&app).await };
        let lost = |State(app): State<App>| async move {
            let (store, me) = (app.control().store(), app.engine.incarnation());
            store.release_key("k", me, Release::LetGo).await.unwrap();
            delete(&app).await
        };
        let router = Router::new().route("/held", post(held)).route("/lost", post(lost));
        let router = router.layer(from_fn_with_state(Arc::clone(&app), once)).with_state(app);
        for (path, key, status) in [("/held", "k", 404), ("/lost", "k", 409), ("/lost", "", 404)] {
            let request = Request::post(path);
            let request = if key.is_empty() { request } else { request.header(HEADER, key) };
            let answer = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
            assert_eq!(answer.status(), status, "{path}, key {key:?}");
        }
    }
}
