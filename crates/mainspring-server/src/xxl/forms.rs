//! The form endpoints of XXL-JOB's console, which people's scripts call: `/jobinfo/…`, `/joblog/…`, `/jobgroup/…`,
//! `/jobcode/save`, `/login`.
//!
//! They are there only where the operator wants them (`--xxl-forms`). Names, parameters and answers are those of XXL-JOB; what is done is
//! what the API does. Answers carry what they say under both names that releases have for it.

mod code;
mod group;
mod info;
mod log;
mod time;

use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Form, Router};
use mainspring_api::ErrorCode;
use mainspring_store::causes;
use mainspring_xxl::{CONTENT_TYPE, Fields};
use serde_json::{Value, json};

use super::told::Told;
use crate::access::{Asked, Permission, session};
use crate::app::App;
use crate::console;
use crate::layers::{self, strangers};
use crate::refusal::Refusal;

/// The cookie that XXL-JOB's scripts look for.
const COOKIE: &str = "XXL_JOB_LOGIN_IDENTITY";

/// The routes, under both paths that XXL-JOB has had.
pub(crate) fn router() -> Router<App> {
    let places = ["/jobinfo/{action}", "/joblog/{action}", "/jobgroup/{action}", "/jobcode/{action}", "/auth/{action}"];
    let both = places.iter().flat_map(|place| [(*place).to_owned(), format!("/xxl-job-admin{place}")]);
    let router = both.fold(Router::new(), |router, place| router.route(&place, any(serve)));
    let router = ["/xxl-job-admin/login", "/xxl-job-admin/logout"]
        .into_iter()
        .fold(router, |router, place| router.route(place, any(serve)));
    // The console has a page there.
    router.route("/login", axum::routing::post(serve).fallback(console::fallback)).layer(from_fn(layers::note_route))
}

/// What an answer holds.
enum Content {
    /// Something under both names.
    Value(Value, Vec<String>),
    /// A page of a list: rows, and how many there are.
    Page(Vec<Value>, usize),
}

async fn serve(State(app): State<App>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let path = path.strip_prefix("/xxl-job-admin").unwrap_or(&path).to_owned();
    let (area, action) = path.trim_start_matches('/').split_once('/').unwrap_or((path.trim_start_matches('/'), ""));
    if signs_in(&path) {
        return login(&app, request).await;
    }
    if matches!((area, action), ("logout", _) | ("auth", "logout")) {
        return logout(&app, request.headers()).await;
    }
    let Some(permission) = permission(area, action) else { return layers::unknown(request).await.into_response() };
    if let Err(refusal) = admitted(&app, permission, request.method(), request.headers()) {
        strangers::note(&app, strangers::seat(&request), &refusal, &path);
        // XXL-JOB's own answer to those that are not signed in.
        return said(json!({"code": 501, "msg": format!("not login: {}", super::told::said(refusal))}));
    }
    if let Some(seat) = strangers::seat(&request) {
        seat.is_admitted();
    }
    let fields = match fields(request).await {
        Ok(fields) => fields,
        Err(why) => return said(json!({"code": 500, "msg": why})),
    };
    let told = match area {
        "jobinfo" => info::serve(&app, action, &fields).await,
        "joblog" => log::serve(&app, action, &fields).await,
        "jobcode" => code::save(&app, &fields).await,
        _ => group::serve(&app, action, &fields).await,
    };
    said(match told {
        Ok(Content::Value(value, notes)) => {
            let message = if notes.is_empty() { Value::Null } else { notes.join("; ").into() };
            json!({"code": 200, "msg": message, "content": value, "data": value})
        }
        // From 3.3 on, lists are asked for by other names, and answered in the envelope.
        Ok(Content::Page(rows, total)) if fields.get("pagesize").is_some() => {
            let offset = fields.number("offset").unwrap_or(0);
            let page = json!({"offset": offset, "pagesize": rows.len(), "data": rows, "total": total});
            json!({"code": 200, "msg": null, "data": page})
        }
        Ok(Content::Page(rows, total)) => json!({"recordsTotal": total, "recordsFiltered": total, "data": rows}),
        Err(why) => json!({"code": 500, "msg": why, "content": null, "data": null}),
    })
}

/// Whether what is posted to a path holds a password.
pub(crate) fn signs_in(path: &str) -> bool {
    matches!(path.strip_prefix("/xxl-job-admin").unwrap_or(path), "/login" | "/auth/doLogin")
}

/// What an action wants of who asks; nothing: there is no such action.
fn permission(area: &str, action: &str) -> Option<Permission> {
    Some(match (area, action) {
        ("jobinfo", "pageList" | "nextTriggerTime")
        | ("joblog", "pageList" | "logDetailCat")
        | ("jobgroup", "pageList" | "loadById") => Permission::View,
        ("jobinfo", "start" | "stop" | "trigger") | ("joblog", "logKill") => Permission::Operate,
        ("jobinfo", "add" | "update" | "remove") | ("jobcode", "save") | ("jobgroup", "save" | "update" | "remove") => {
            Permission::Edit
        }
        _ => return None,
    })
}

/// Lets a request pass with the server's token, or with the cookie of a login. Browsers say of which page a request comes: only ours counts.
fn admitted(app: &App, permission: Permission, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
    if headers.contains_key(header::AUTHORIZATION) {
        return app.access.caller(permission, Asked { method, headers, now: app.now() }).map(drop);
    }
    match signed_in(app, headers) {
        Some(_) if app.access.is_own_page(headers) => Ok(()),
        Some(_) => Err(Refusal::new(ErrorCode::AuthCrossSite, "the request comes from another page")),
        None => Err(Refusal::new(ErrorCode::AuthMissing, "no cookie of a login, and no token")),
    }
}

/// The session of a request, unless it is over.
fn signed_in(app: &App, headers: &HeaderMap) -> Option<session::Session> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let values = pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value);
    let mut sessions = values.filter_map(|value| app.access.key().session_in(value, app.now()));
    sessions.find(|session| !app.access.has_ended(session))
}

/// Signs a script out: its cookie opens nothing any more, whoever has a copy of it.
async fn logout(app: &App, headers: &HeaderMap) -> Response {
    if let Some(session) = signed_in(app, headers) {
        if !app.access.is_own_page(headers) {
            return said(json!({"code": 501, "msg": "not logout: the request comes from another page"}));
        }
        if let Err(error) = app.access.end(&**app.control().store(), &session, app.now()).await {
            tracing::warn!(error = %causes(&error), session.id = session.id, "could not sign out on all nodes");
            return said(json!({"code": 500, "msg": "the end of the session could not be recorded: try again"}));
        }
        tracing::info!(session.id = session.id, "signed out");
    }
    let gone = format!("{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
    ([(header::SET_COOKIE, gone)], said(json!({"code": 200, "msg": null}))).into_response()
}

/// Signs a script in. Its password is the access token; the name of the user is for people.
async fn login(app: &App, request: Request) -> Response {
    if request.method() != Method::POST {
        return said(json!({"code": 500, "msg": "invalid request, HttpMethod not support."}));
    }
    let (seat, headers) = (strangers::seat(&request).cloned(), request.headers().clone());
    let fields = fields(request).await.unwrap_or_default();
    if !fields.text("password").is_some_and(|password| app.access.is_token(password)) {
        let refusal = Refusal::new(ErrorCode::AuthInvalid, "the password is not the access token of the server");
        strangers::note(app, seat.as_ref(), &refusal, "/login");
        return said(json!({"code": 500, "msg": super::told::said(refusal)}));
    }
    if let Some(seat) = seat {
        seat.is_admitted();
    }
    let begun = session::Session::begin(app.now());
    tracing::info!(session.id = begun.id, by = "a form", "signed in");
    let secure = if app.access.site.is_secure(&headers) { "; Secure" } else { "" };
    let (value, age) = (app.access.key().value_of(&begun), session::LIFETIME_MS / 1_000);
    let cookie = format!("{COOKIE}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}");
    ([(header::SET_COOKIE, cookie)], said(json!({"code": 200, "msg": null, "content": null, "data": value})))
        .into_response()
}

/// What a request says in its query and in its body.
async fn fields(request: Request) -> Told<Fields> {
    type Pairs = Vec<(String, String)>;
    let unreadable = || "the parameters cannot be read".to_owned();
    let query = axum::extract::Query::<Pairs>::try_from_uri(request.uri()).map_err(|_| unreadable())?.0;
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_form = kind.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
    let body = match is_form && request.method() != Method::GET {
        true => Form::<Pairs>::from_request(request, &()).await.map_err(|_| unreadable())?.0,
        false => Vec::new(),
    };
    Ok(Fields::new(query.into_iter().chain(body)))
}

fn said(answer: Value) -> Response {
    (StatusCode::OK, [(header::CONTENT_TYPE, CONTENT_TYPE)], answer.to_string()).into_response()
}

/// A page of some rows, as the parameters ask for it.
fn page<T>(fields: &Fields, rows: Vec<T>) -> (Vec<T>, usize) {
    let total = rows.len();
    let number = |names: [&str; 2]| names.into_iter().find_map(|name| fields.number(name));
    let from = usize::try_from(number(["offset", "start"]).unwrap_or(0)).unwrap_or(0);
    let count = usize::try_from(number(["pagesize", "length"]).unwrap_or(10)).unwrap_or(10).clamp(1, 1_000);
    (rows.into_iter().skip(from).take(count).collect(), total)
}
