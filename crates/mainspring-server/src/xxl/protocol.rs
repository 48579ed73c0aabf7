//! What executors ask: `registry`, `registryRemove` and `callback`, under `/api/` and under the path that XXL-JOB's own server has.
//!
//! Every answer has status 200, and JSON of one form, in which the code says what came of it. Nothing here is ever redirected: clients
//! follow with a GET, and take its answer for the one to what they have said.

use std::time::Instant;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Path, Request, State};
use axum::http::{Method as HttpMethod, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use mainspring_api::ErrorCode;
use mainspring_schedule::Timestamp;
use mainspring_store::causes;
use mainspring_xxl::{CONTENT_TYPE, Call, Credentials, Method, Registration, answer, refusal};

use super::apps::{self, AppRow, Apps};
use super::told::WRONG_TOKEN;
use super::{callback, open};
use crate::app::App;
use crate::closing::rest;
use crate::layers::{self, strangers};
use crate::refusal::Refusal;

/// Longest body, in bytes: a whole queue of callbacks comes at a time.
const BODY_MAX: usize = 32 << 20;
/// Longest address, in bytes: with the name of a queue it is the name of a line.
const ADDRESS_MAX: usize = 180;

/// The routes of the protocol.
pub(crate) fn router() -> Router<App> {
    let paths = ["/api/{method}", "/xxl-job-admin/api/{method}"];
    paths
        .into_iter()
        .fold(Router::new(), |router, path| router.route(path, any(serve)))
        .layer(from_fn(layers::note_route))
}

async fn serve(State(app): State<App>, Path(name): Path<String>, request: Request) -> Response {
    if let Some(asked) = open::Asked::of_name(&name) {
        let answer = open::serve(&app, asked, request).await;
        return ([(header::CONTENT_TYPE, CONTENT_TYPE)], answer).into_response();
    }
    let Some(method) = Method::of_name(&name) else { return layers::unknown(request).await.into_response() };
    let body = match hear(&app, method, request).await {
        Ok(()) => answer(),
        Err(why) => refusal(&why),
    };
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], body).into_response()
}

/// Does what an executor says. Says why not, in words for its log.
async fn hear(app: &App, method: Method, request: Request) -> Result<(), String> {
    if request.method() != HttpMethod::POST {
        return Err("invalid request, HttpMethod not support.".to_owned());
    }
    let (credentials, now, begun) = (Credentials::of(request.headers()), app.now(), Instant::now());
    let apps = match method {
        Method::Callback => apps_of(app, begun).await?,
        // What they say of themselves is kept in memory.
        Method::Registry | Method::RegistryRemove => match apps::lately(app).await {
            Ok(apps) => apps,
            Err(_) => apps_of(app, begun).await?,
        },
    };
    // Before a byte of the body is read.
    if !apps.values().any(|one| one.tokens(now).accept(&credentials)) {
        let named = credentials.app.as_deref().unwrap_or("an app that it does not name");
        app.xxl.note_refused(&format!("its token opens no app (it is of {})", shown(named)));
        note_guess(app, &credentials, &request);
        return Err(WRONG_TOKEN.to_owned());
    }
    if let Some(seat) = strangers::seat(&request) {
        seat.is_admitted();
    }
    let body = to_bytes(request.into_body(), BODY_MAX).await;
    let body = body.map_err(|_| format!("the body could not be read, or has more than {BODY_MAX} bytes"))?;
    let call = Call::parse(method, &body).map_err(|error| {
        app.xxl.note_refused(&format!("its request cannot be read: {error}"));
        error.to_string()
    })?;
    match call {
        Call::Registry(registration) => registry(app, &apps, &credentials, &registration, now),
        Call::RegistryRemove(registration) => {
            opened(app, &apps, &credentials, &registration.app, now)?;
            let key = (registration.app, registration.address);
            if app.xxl.executors().leave(&key) {
                tracing::info!(app = key.0, address = %key.1, "an executor goes");
                app.xxl.changed.notify_one();
            }
            Ok(())
        }
        Call::Callback { items, unreadable, evidence } => {
            if unreadable > 0 {
                app.xxl.note_refused("a callback has items that name no run; they are passed over");
            }
            callback::settle_all(app, &apps, &credentials, (items, evidence), begun).await
        }
    }
}

/// Leaves the trace that a refused token leaves on every route: who sends many is slowed down.
pub(super) fn note_guess(app: &App, credentials: &Credentials, request: &Request) {
    let code = if credentials.token.is_some() { ErrorCode::AuthInvalid } else { ErrorCode::AuthMissing };
    let refusal = Refusal::new(code, WRONG_TOKEN);
    strangers::note(app, strangers::seat(request), &refusal, request.uri().path());
}

/// The apps. A refusal costs some executors a result, so the store is asked again for as long as clients wait.
pub(super) async fn apps_of(app: &App, begun: Instant) -> Result<Apps, String> {
    loop {
        match app.xxl.apps.read(&**app.control().store(), app.now()).await {
            Ok(apps) => return Ok(apps),
            Err(error) if begun.elapsed() > callback::PATIENCE || !rest(&app.closing, callback::AGAIN).await => {
                let why = causes(&error).to_string();
                app.xxl.note_refused(&format!("the database is away: {why}"));
                return Err("the database is away; try again".to_owned());
            }
            Err(_) => {}
        }
    }
}

fn registry(
    app: &App,
    apps: &Apps,
    credentials: &Credentials,
    registration: &Registration,
    now: Timestamp,
) -> Result<(), String> {
    let row = opened(app, apps, credentials, &registration.app, now)?;
    let refused = |why: String| {
        app.xxl.note_refused(&format!("app {}: {why}", shown(&registration.app)));
        format!("Illegal Argument: {why}")
    };
    if registration.written.len() > ADDRESS_MAX {
        return Err(refused(format!("registryValue has more than {ADDRESS_MAX} bytes")));
    }
    app.xxl.is_within(&registration.address).map_err(refused)?;
    let key = (registration.app.clone(), registration.address.clone());
    let (moment, most) = (app.xxl.moment(now), row.kept.instances_max());
    if !app.xxl.executors().has_room(&key, most, moment.ms) {
        return Err(refused(format!("there are {most} executors of the app already, and no more may register")));
    }
    if let Some(hand) = super::sync::lock(&app.xxl.hands).get(&key) {
        hand.heard(moment.ms);
    }
    if app.xxl.executors().beat(&key, &registration.written, credentials, moment) {
        tracing::info!(app = key.0, address = %key.1, "an executor has registered");
        app.xxl.changed.notify_one();
    }
    Ok(())
}

/// The app that a request may speak for.
fn opened<'a>(
    app: &App,
    apps: &'a Apps,
    credentials: &Credentials,
    name: &str,
    now: Timestamp,
) -> Result<&'a AppRow, String> {
    let is_other = credentials.app.as_deref().is_some_and(|said| said != name);
    let found = apps.get(name).filter(|one| !is_other && one.tokens(now).accept(credentials));
    // Whoever has no token of an app does not learn whether there is one.
    found.ok_or_else(|| {
        let why = if is_other {
            "its header names another app than its body"
        } else if apps.contains_key(name) {
            "its token is that of another app"
        } else {
            "there is no such app; mainspring xxl app create makes it"
        };
        app.xxl.note_refused(&format!("app {}: {why}", shown(name)));
        WRONG_TOKEN.to_owned()
    })
}

/// A name as it may stand in a log.
fn shown(name: &str) -> String {
    let short: String = name.chars().take(64).collect();
    format!("{short:?}")
}
