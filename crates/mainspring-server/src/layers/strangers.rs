//! Tokens that open nothing: those who send many wait, and leave a trace.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::{Method, header};
use mainspring_api::{ErrorCode, routes};
use mainspring_xxl::Credentials;

use crate::app::App;
use crate::closing::closed;
use crate::refusal::Refusal;
use crate::seats::Seat;
use crate::xxl::forms;

/// The connection of a request. Routers in tests have none.
pub(crate) fn seat(request: &Request) -> Option<&Arc<Seat>> {
    request.extensions().get()
}

/// How long a request waits before its token is looked at: over a connection that has shown no valid one, from where many were refused.
pub(super) fn delay(app: &App, request: &Request) -> Option<Duration> {
    let seat = seat(request).filter(|seat| seat.is_stranger())?;
    let has_secret = request.headers().contains_key(header::AUTHORIZATION)
        || request.headers().contains_key(header::COOKIE)
        || request.uri().path() == routes::SESSION
        || (request.method() == Method::POST && forms::signs_in(request.uri().path()))
        || Credentials::of(request.headers()).token.is_some();
    app.guesses.delay(Instant::now(), seat.source).filter(|_| has_secret)
}

/// Waits, unless the server closes.
pub(super) async fn wait(app: &App, delay: Duration) {
    let _ = tokio::time::timeout(delay, closed(&mut app.closing.clone())).await;
}

/// Leaves a trace of a token that is not there, or opens nothing.
pub(crate) fn note(app: &App, seat: Option<&Arc<Seat>>, refusal: &Refusal, path: &str) {
    match refusal.0.error_code() {
        Some(ErrorCode::AuthMissing) => app.figures.refused("missing"),
        Some(
            ErrorCode::AuthInvalid
            | ErrorCode::AuthCode
            | ErrorCode::AuthSessionInvalid
            | ErrorCode::WorkerTokenExpired,
        ) => {
            app.figures.refused("invalid");
            let (Some(seat), now) = (seat, Instant::now()) else { return };
            app.guesses.note(now, seat.source);
            if let Some(requests) = app.refused.note(now, seat.source) {
                tracing::warn!(from = %seat.source, requests, path, "requests with a token that opens nothing were refused");
            }
        }
        _ => {}
    }
}
