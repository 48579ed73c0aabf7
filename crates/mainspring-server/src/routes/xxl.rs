//! Apps of XXL-JOB's executors.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use mainspring_api::{
    ErrorCode, Problem, XxlApp, XxlAppChange, XxlAppSpec, XxlInstance, XxlTask, XxlTokenRotation, routes,
};
use mainspring_store::Error as StoreError;
use mainspring_xxl::Address;
use utoipa_axum::routes;

use super::Route;
use crate::access::new_token;
use crate::app::App;
use crate::extract::{Body, PathOf};
use crate::layers::DONE;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;
use crate::xxl::apps::{self, APPS_MAX, AppRow, Kept, OLD_TOKEN_MS, SLOTS};

const TITLE_CHARS_MAX: usize = 255;
const TOKEN_BYTES_MAX: usize = 255;
const ADDRESSES_MAX: usize = 100;
const ADDRESS_BYTES_MAX: usize = 180;
const SLOTS_MAX: u32 = 10_000;
const INSTANCES_MAX: u32 = 20_000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(list)),
        Route::edit(routes!(create)),
        Route::view(routes!(get)),
        Route::edit(routes!(change, delete)),
        Route::edit(routes!(rotate)),
        Route::view(routes!(instances)),
    ]
}

/// Lists the apps of XXL-JOB's executors, by name.
#[utoipa::path(get, path = routes::XXL_APPS, tag = "xxl", responses((status = 200, body = Vec<XxlApp>)))]
async fn list(State(app): State<App>) -> Answer<Json<Vec<XxlApp>>> {
    let rows = apps::all(&**app.control().store(), app.now()).await?;
    Ok(Json(rows.into_iter().map(|row| shown(&app, row)).collect()))
}

/// Makes an app: executors of its name may connect. The answer has its token.
#[utoipa::path(post, path = routes::XXL_APPS, tag = "xxl", request_body = XxlAppSpec, responses((status = 201, body = XxlApp)))]
async fn create(State(app): State<App>, Body(spec): Body<XxlAppSpec>) -> Answer<(StatusCode, Json<XxlApp>)> {
    Ok((StatusCode::CREATED, Json(make(&app, spec).await?)))
}

/// Makes an app.
pub(crate) async fn make(app: &App, spec: XxlAppSpec) -> Answer<XxlApp> {
    let mut problems = check(app, spec.title.as_deref(), &spec.addresses, (spec.slots, spec.instances_max));
    if !XxlTask::is_app_name(&spec.name) {
        let message =
            "an app has a name of 1 to 64 letters, digits, '.', '_' and '-', that begins with a letter or digit";
        problems.push(Problem::new(ErrorCode::NameInvalid, message).at("/name"));
    }
    problems.extend(spec.token.as_deref().and_then(check_token));
    if !problems.is_empty() {
        return Err(Refusal::invalid(problems));
    }
    let (store, now) = (app.control().store(), app.now());
    if apps::all(&**store, now).await?.len() >= APPS_MAX as usize {
        return Err(Refusal::new(ErrorCode::XxlAppLimit, format!("there are {APPS_MAX} apps")));
    }
    let kept = Kept {
        title: spec.title,
        addresses: spec.addresses,
        slots: spec.slots.unwrap_or(SLOTS),
        instances_max: spec.instances_max,
        glue: spec.glue,
        number: None,
        token: spec.token.unwrap_or_else(new_token),
        previous: None,
        created_at: now,
    };
    let row = AppRow { name: spec.name, version: 0, kept };
    let made = apps::put(&**store, &row, now).await?.ok_or_else(|| {
        let why = format!("there is an app called {:?}", row.name);
        Refusal::new(ErrorCode::ResourceExists, why).hint("mainspring xxl app show tells what it is")
    })?;
    Ok(with_token(app, made))
}

/// Returns an app with the executors that are known to the node that answers.
#[utoipa::path(get, path = routes::XXL_APP, tag = "xxl", params(("app" = String, Path)), responses((status = 200, body = XxlApp)))]
async fn get(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<Json<XxlApp>> {
    Ok(Json(shown(&app, found(&app, &name).await?)))
}

/// Changes an app. What is absent stays.
#[utoipa::path(post, path = routes::XXL_APP, tag = "xxl", params(("app" = String, Path)), request_body = XxlAppChange,
    responses((status = 200, body = XxlApp)))]
async fn change(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    Body(change): Body<XxlAppChange>,
) -> Answer<Json<XxlApp>> {
    alter(&app, &name, change).await.map(Json)
}

/// Changes an app.
pub(crate) async fn alter(app: &App, name: &str, change: XxlAppChange) -> Answer<XxlApp> {
    let (addresses, numbers) = (change.addresses.as_deref().unwrap_or_default(), (change.slots, change.instances_max));
    let problems = check(app, change.title.as_deref(), addresses, numbers);
    if !problems.is_empty() {
        return Err(Refusal::invalid(problems));
    }
    let mut row = found(app, name).await?;
    row.kept.title = change.title.or(row.kept.title);
    row.kept.addresses = change.addresses.unwrap_or(row.kept.addresses);
    row.kept.slots = change.slots.unwrap_or(row.kept.slots);
    row.kept.glue = change.glue.unwrap_or(row.kept.glue);
    row.kept.instances_max = change.instances_max.or(row.kept.instances_max);
    let row = written(app, &row).await?;
    Ok(shown(app, row))
}

/// Replaces the token of an app. The one before opens for another day, unless it is to end at once.
#[utoipa::path(post, path = routes::XXL_APP_TOKEN, tag = "xxl", params(("app" = String, Path)), request_body = XxlTokenRotation,
    responses((status = 200, body = XxlApp)))]
async fn rotate(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    Body(rotation): Body<XxlTokenRotation>,
) -> Answer<Json<XxlApp>> {
    if let Some(problem) = rotation.token.as_deref().and_then(check_token) {
        return Err(Refusal::invalid(vec![problem]));
    }
    let (mut row, now) = (found(&app, &name).await?, app.now());
    if let Some((_, until)) = row.kept.previous.as_ref().filter(|(_, until)| now < *until && !rotation.at_once) {
        let why = format!("the token before the present one of {name} opens until {until}");
        return Err(Refusal::new(ErrorCode::XxlToken, why).hint("--at-once ends both"));
    }
    let before = std::mem::replace(&mut row.kept.token, rotation.token.unwrap_or_else(new_token));
    row.kept.previous = (!rotation.at_once).then_some((before, now + OLD_TOKEN_MS));
    let row = written(&app, &row).await?;
    Ok(Json(with_token(&app, row)))
}

/// Deletes an app: its executors are not called any more and cannot connect. What they have is lost.
#[utoipa::path(delete, path = routes::XXL_APP, tag = "xxl", params(("app" = String, Path)), responses((status = 204)))]
async fn delete(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<StatusCode> {
    forget(&app, &name).await.map(|()| DONE)
}

/// Deletes an app.
pub(crate) async fn forget(app: &App, name: &str) -> Answer<()> {
    if !apps::remove(&**app.control().store(), name).await? {
        return Err(missing(name));
    }
    app.xxl.apps_changed();
    Ok(())
}

/// Lists the executors that are known to the node that answers, by app and address.
#[utoipa::path(get, path = routes::XXL_INSTANCES, tag = "xxl", responses((status = 200, body = Vec<XxlInstance>)))]
async fn instances(State(app): State<App>) -> Answer<Json<Vec<XxlInstance>>> {
    Ok(Json(app.xxl.show(None, app.now())))
}

fn check(
    app: &App,
    title: Option<&str>,
    addresses: &[String],
    (slots, instances_max): (Option<u32>, Option<u32>),
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut wrong = |message: String, pointer: String| {
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(pointer));
    };
    if title.is_some_and(|title| title.chars().count() > TITLE_CHARS_MAX || title.chars().any(char::is_control)) {
        wrong(format!("a title has at most {TITLE_CHARS_MAX} characters, in one line"), "/title".to_owned());
    }
    if addresses.len() > ADDRESSES_MAX {
        wrong(format!("an app has at most {ADDRESSES_MAX} addresses"), "/addresses".to_owned());
    }
    for (index, text) in addresses.iter().enumerate().take(ADDRESSES_MAX) {
        let pointer = format!("/addresses/{index}");
        match Address::parse(text) {
            _ if text.len() > ADDRESS_BYTES_MAX => {
                wrong(format!("an address has at most {ADDRESS_BYTES_MAX} bytes"), pointer);
            }
            Err(error) => wrong(error.to_string(), pointer),
            Ok(address) if addresses[..index].iter().any(|other| Address::parse(other).as_ref() == Ok(&address)) => {
                wrong(format!("{address} is named twice"), pointer);
            }
            Ok(address) => {
                if let Err(why) = app.xxl.is_within(&address) {
                    wrong(why, pointer);
                }
            }
        }
    }
    if slots.is_some_and(|slots| !(1..=SLOTS_MAX).contains(&slots)) {
        wrong(format!("an executor has 1 to {SLOTS_MAX} slots"), "/slots".to_owned());
    }
    if instances_max.is_some_and(|most| !(1..=INSTANCES_MAX).contains(&most)) {
        wrong(format!("1 to {INSTANCES_MAX} executors may register"), "/instances_max".to_owned());
    }
    problems
}

/// A token travels in a header.
fn check_token(token: &str) -> Option<Problem> {
    let fits = (1..=TOKEN_BYTES_MAX).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic());
    let message = format!("a token has 1 to {TOKEN_BYTES_MAX} visible ASCII characters, and no spaces");
    (!fits).then(|| Problem::new(ErrorCode::FieldValue, message).at("/token"))
}

async fn found(app: &App, name: &str) -> Answer<AppRow> {
    apps::find(&**app.control().store(), name, app.now()).await?.ok_or_else(|| missing(name))
}

async fn written(app: &App, row: &AppRow) -> Answer<AppRow> {
    let written = apps::put(&**app.control().store(), row, app.now()).await;
    app.xxl.apps_changed();
    written.map_err(|error: StoreError| Refusal::from(error))?.ok_or_else(|| {
        Refusal::new(ErrorCode::ResourceConflict, format!("app {:?} was changed by somebody else just now", row.name))
    })
}

fn with_token(app: &App, row: AppRow) -> XxlApp {
    app.xxl.apps_changed();
    let token = row.kept.token.clone();
    let shown = shown(app, row);
    for warning in &shown.warnings {
        tracing::warn!(app = shown.name, "{warning}");
    }
    XxlApp { token: Some(token), ..shown }
}

fn shown(app: &App, row: AppRow) -> XxlApp {
    let now = app.now();
    let warnings = row.warnings(now);
    let previous = row.kept.previous.as_ref().map(|(_, until)| *until).filter(|until| now < *until);
    XxlApp {
        queue: XxlTask::queue(&row.name),
        instances: app.xxl.show(Some(&row.name), now),
        instances_max: row.kept.instances_max(),
        glue: row.kept.glue,
        name: row.name,
        title: row.kept.title,
        addresses: row.kept.addresses,
        slots: row.kept.slots,
        created_at: instant(row.kept.created_at),
        previous_token_until: previous.map(instant),
        token: None,
        warnings,
    }
}

fn missing(name: &str) -> Refusal {
    Refusal::new(ErrorCode::XxlAppNotFound, format!("there is no app \"{}\"", name.escape_debug()))
}
