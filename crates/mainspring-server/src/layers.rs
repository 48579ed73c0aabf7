//! What every request passes: its id, its measure, the catching of panics, and the writing of refusals.

mod heads;
pub(crate) mod strangers;

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use mainspring_api::ErrorCode;

use crate::access::{Asked, Caller, Permission, check_worker, session, to_hex};
use crate::app::App;
use crate::extract::{BodyLimits, shown_path};
use crate::refusal::{Answer, Refusal};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What a route wants.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) app: App,
    pub(crate) permission: Permission,
    pub(crate) limits: BodyLimits,
}

/// Puts a router under the base path, if there is one. Before it, because a router reads the path first.
pub(crate) fn under(app: &App, router: Router) -> Router {
    if app.access.site.base_path().is_empty() {
        return router;
    }
    Router::new().fallback_service(router).layer(from_fn_with_state(App::clone(app), strip_base_path))
}

async fn strip_base_path(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let stripped = app.access.site.strip(path);
    if stripped.len() < path.len() {
        let target = match request.uri().query() {
            Some(query) => format!("{stripped}?{query}"),
            None => stripped.to_owned(),
        };
        // The end of a path and its query are a path and a query.
        if let Ok(uri) = target.parse() {
            *request.uri_mut() = uri;
        }
    }
    next.run(request).await
}

/// The outermost layer: gives the request an id, writes refusals, and measures.
pub(crate) async fn outermost(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = id_of(&request);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let seat = strangers::seat(&request).cloned();
    if let Some(delay) = strangers::delay(&app, &request) {
        strangers::wait(&app, delay).await;
    }
    let checked = heads::check(&request);
    if let Ok(value) = HeaderValue::from_str(&id) {
        // For the node that the request may be passed on to.
        request.headers_mut().insert(REQUEST_ID, value);
    }
    let response = match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let route = response.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str).to_owned();
    let refusal = response.extensions().get::<Refusal>().cloned();
    let stops = refusal.as_ref().is_some_and(|refusal| refusal.0.error_code() == Some(ErrorCode::ServerDraining));
    if let Some(refusal) = &refusal {
        strangers::note(&app, seat.as_ref(), refusal, &path);
    }
    let mut response = match refusal {
        Some(refusal) => with_headers(response, refusal.written(&id)),
        None => response,
    };
    let status = response.status();
    app.figures.answered(&route, status.as_u16(), begun.elapsed());
    // That a server stops is said once, when it begins to, and not to each of its callers.
    let fails = status.is_server_error() && !stops && route != mainspring_api::routes::READYZ;
    let kind = (route, status.as_u16());
    if let Some(requests) = fails.then(|| app.failed.note(Instant::now(), kind)).flatten() {
        tracing::warn!(request.id = id, %method, path, status = status.as_u16(), requests, "requests failed");
    } else {
        tracing::debug!(request.id = id, %method, path, status = status.as_u16(), "answered");
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Keeps what the router said beside its refusal, such as `Allow`.
fn with_headers(before: Response, mut written: Response) -> Response {
    for name in [header::ALLOW, header::SET_COOKIE] {
        if let Some(value) = before.headers().get(&name) {
            written.headers_mut().insert(name, value.clone());
        }
    }
    written
}

/// Notes which route answers, for [`outermost`].
pub(crate) async fn note_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

/// Lets a request pass that may, before anything of it is read.
pub(crate) async fn admit(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let (access, now) = (&gate.app.access, gate.app.now());
    let seat = strangers::seat(&request).map(Arc::clone);
    if gate.permission != Permission::Public && seat.as_ref().is_some_and(|seat| seat.is_spare) {
        return Refusal::new(ErrorCode::ServerBusy, "there are as many connections as there may be").into_response();
    }
    let found = access.caller(gate.permission, Asked { method: request.method(), headers: request.headers(), now });
    let found = match found {
        Err(refusal) => worker(&gate, &refusal, request.headers()).await,
        found => found,
    };
    let caller = match found {
        Ok(caller) => caller,
        Err(refusal) => return signed_out(&gate, refusal, request.headers()),
    };
    let renewed = match &caller {
        Caller::Session(session) => session.renewed(now),
        _ => None,
    };
    let cookie = renewed.map(|session| access.key().cookie(&session, &access.site, request.headers()));
    if let Some(seat) = seat.filter(|_| caller != Caller::Anyone) {
        seat.is_admitted();
    }
    request.extensions_mut().insert(access.script_right(&caller));
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(gate.limits);
    let mut response = next.run(request).await;
    if let Some(cookie) = cookie {
        response.headers_mut().entry(header::SET_COOKIE).or_insert(cookie);
    }
    response
}

/// Answers a refusal, and takes a cookie away that opens nothing.
fn signed_out(gate: &Gate, refusal: Refusal, headers: &HeaderMap) -> Response {
    let is_over = refusal.0.error_code() == Some(ErrorCode::AuthSessionInvalid);
    let mut response = refusal.into_response();
    if is_over {
        response.headers_mut().insert(header::SET_COOKIE, session::no_cookie(&gate.app.access.site, headers));
    }
    response
}

/// Lets a worker with a token of its own pass, where that is enough, and tells it elsewhere that it is not.
async fn worker(gate: &Gate, refusal: &Refusal, headers: &HeaderMap) -> Answer<Caller> {
    if refusal.0.error_code() != Some(ErrorCode::AuthInvalid) {
        return Err(refusal.clone());
    }
    let tokens = gate.app.worker_tokens().await?;
    match check_worker(&tokens, headers, gate.app.now())? {
        caller if gate.permission == Permission::Work => Ok(caller),
        caller => {
            let name = caller.token_name().unwrap_or_default();
            let why = format!(
                "the token {name:?} is for workers: it lets them {}, and this needs the right to {}",
                Permission::Work,
                gate.permission
            );
            Err(Refusal::new(ErrorCode::AuthForbidden, why).hint("use the server's access token"))
        }
    }
}

/// Answers a panic of a handler. The panic itself was written by the process's panic hook.
#[expect(clippy::needless_pass_by_value, reason = "the layer's signature")]
pub(crate) fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    tracing::error!(panic = text.unwrap_or("of an unknown kind"), "a request panicked");
    Refusal::new(ErrorCode::ServerInternal, "the request met a bug").into_response()
}

/// Answers paths that do not exist.
pub(crate) async fn unknown(request: Request) -> Refusal {
    Refusal::new(ErrorCode::RouteUnknown, format!("there is nothing at {}", shown_path(request.uri().path())))
}

/// Answers methods that a path does not take.
pub(crate) async fn wrong_method(request: Request) -> Refusal {
    let (method, path) = (request.method(), request.uri().path());
    Refusal::new(ErrorCode::RouteMethod, format!("{} does not take {method}", path.escape_debug()))
}

/// The id that the caller gave, if it is harmless, or a new one.
fn id_of(request: &Request) -> String {
    let harmless = |text: &&str| {
        (1..=64).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(harmless);
    given.map_or_else(new_id, str::to_owned)
}

fn new_id() -> String {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    to_hex(&bytes)
}

/// A status without a body.
pub(crate) const DONE: StatusCode = StatusCode::NO_CONTENT;

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_refusal_that_tells_nothing() {
        async fn bug() {
            panic!("secret detail");
        }
        let router = axum::Router::new().route("/", get(bug)).layer(CatchPanicLayer::custom(panicked));
        let answer = router.oneshot(Request::new(Body::empty())).await.unwrap();
        let refusal = answer.extensions().get::<Refusal>().cloned().unwrap();
        assert_eq!(refusal.code(), Some(ErrorCode::ServerInternal));
        let written = refusal.written("r-1");
        assert_eq!(written.status(), 500);
        let body = axum::body::to_bytes(written.into_body(), 10_000).await.unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(text.contains("\"request_id\":\"r-1\"") && !text.contains("secret"), "{text}");
    }

    #[test]
    fn ids_of_callers_are_taken_if_they_are_harmless() {
        for (given, taken) in
            [("trace-1.a_B", true), ("", false), ("a b", false), ("<x>", false), (&"x".repeat(65), false)]
        {
            let request = Request::builder().header(REQUEST_ID, given).body(Body::empty()).unwrap();
            assert_eq!(id_of(&request) == given, taken, "{given}");
        }
    }
}
