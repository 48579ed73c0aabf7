//! Signing a browser in and out.

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{AppendHeaders, IntoResponse};
use axum::{Extension, Json};
use mainspring_api::{ErrorCode, LoginLink, Problem, Session, SessionKind, SignIn, routes};
use utoipa_axum::routes;

use super::Route;
use crate::access::{Caller, session};
use crate::app::{App, Inner};
use crate::extract::Body;
use crate::layers::DONE;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::public(routes!(sign_in)), Route::view(routes!(get, sign_out)), Route::view(routes!(link))]
}

/// Signs a browser in, with the code of a login link or the access token. The answer sets the cookie of the session.
#[utoipa::path(post, path = routes::SESSION, tag = "session", request_body = SignIn,
    responses((status = 204, description = "Signed in", headers(("Set-Cookie" = String, description = "The session")))))]
async fn sign_in(State(app): State<App>, headers: HeaderMap, Body(with): Body<SignIn>) -> Answer<impl IntoResponse> {
    let now = app.now();
    match (&with.code, &with.token) {
        (Some(code), None) if app.access.redeem(code, now) => {}
        (None, Some(token)) if app.access.is_token(token) => {}
        (Some(_), None) => {
            let why = "the code was used before, is older than ten minutes, or was made by another node";
            return Err(Refusal::new(ErrorCode::AuthCode, why).hint("mainspring console makes another link"));
        }
        (None, Some(_)) => return Err(Refusal::new(ErrorCode::AuthInvalid, "the token is not valid")),
        _ => {
            let message = "signing in takes either `code` or `token`";
            return Err(Refusal::invalid(vec![Problem::new(ErrorCode::FieldMissing, message)]));
        }
    }
    let begun = session::Session::begin(now);
    tracing::info!(session.id = begun.id, by = if with.code.is_some() { "link" } else { "token" }, "signed in");
    let cookie = app.access.key().cookie(&begun, &app.access.site, &headers);
    Ok((DONE, AppendHeaders([(header::SET_COOKIE, cookie)])))
}

/// Says with what the request was let in, and until when that holds.
#[utoipa::path(get, path = routes::SESSION, tag = "session", responses((status = 200, body = Session)))]
async fn get(State(app): State<App>, Extension(caller): Extension<Caller>) -> Json<Session> {
    let (kind, expires_at) = match &caller {
        Caller::Session(session) => {
            let renewed = session.renewed(app.now());
            (SessionKind::Session, Some(instant(renewed.as_ref().unwrap_or(session).expires_at)))
        }
        _ => (SessionKind::Token, None),
    };
    let (node, version) = (app.node_name.clone(), env!("CARGO_PKG_VERSION").to_owned());
    Json(Session { kind, expires_at, node, version })
}

/// Signs the browser out. With a token, there is nothing to end.
#[utoipa::path(delete, path = routes::SESSION, tag = "session", responses((status = 204, description = "Signed out")))]
async fn sign_out(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Answer<impl IntoResponse> {
    if let Caller::Session(session) = &caller {
        app.access.end(&**app.control().store(), session, app.now()).await?;
        tracing::info!(session.id = session.id, "signed out");
    }
    Ok((DONE, AppendHeaders([(header::SET_COOKIE, session::no_cookie(&app.access.site, &headers))])))
}

/// Makes a link that signs one browser in, once, within ten minutes, on the node that answers.
#[utoipa::path(post, path = routes::SESSION_LINK, tag = "session", responses((status = 200, body = LoginLink)))]
async fn link(State(app): State<App>, headers: HeaderMap) -> Answer<Json<LoginLink>> {
    let origin = app.access.site.origin_of(&headers);
    let origin = origin.ok_or_else(|| Refusal::new(ErrorCode::RequestHeader, "the Host header names no host"))?;
    let (code, until) = app.access.make_code(app.now());
    Ok(Json(LoginLink { url: address(&app, &origin, &code), expires_at: instant(until) }))
}

fn address(app: &Inner, origin: &str, code: &str) -> String {
    format!("{origin}{}/login#{code}", app.access.site.base_path())
}
