//! Namespaces.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use mainspring_api::{
    ErrorCode, Namespace, NamespaceSpec, Page, PageFilter, Problem, WriteOptions, is_valid_name, routes,
};
use mainspring_store::{NamespaceRow, Store};
use utoipa_axum::routes;

use super::Route;
use crate::app::App;
use crate::extract::{Body, Condition, PathOf, QueryOf, etag, made};
use crate::layers::DONE;
use crate::pages;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

const READ_MAX: u32 = 1_000;
/// Namespaces have no properties that could change.
const VERSION: u64 = 1;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(list)), Route::view(routes!(get)), Route::edit(routes!(put, delete))]
}

/// Lists namespaces.
#[utoipa::path(get, path = routes::NAMESPACES, tag = "namespaces", params(PageFilter), responses((status = 200, body = Page<Namespace>)))]
async fn list(State(app): State<App>, QueryOf(filter): QueryOf<PageFilter>) -> Answer<Json<Page<Namespace>>> {
    let limit = pages::limit(filter.limit)?;
    let after = pages::names::<1>("namespaces", filter.cursor.as_deref())?.map(|[name]| name);
    let rows = app.control().store().namespaces(after.as_deref(), fetch(limit)).await?;
    let shown = rows.into_iter().map(show).collect();
    Ok(Json(pages::page(shown, limit, |namespace: &Namespace| pages::cursor("namespaces", &[&namespace.name]))))
}

/// Returns a namespace.
#[utoipa::path(get, path = routes::NAMESPACE, tag = "namespaces", params(("namespace" = String, Path)), responses((status = 200, body = Namespace)))]
async fn get(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<impl IntoResponse> {
    let row = find(&**app.control().store(), &name).await?.ok_or_else(|| missing(&name))?;
    Ok((etag(VERSION), Json(show(row))))
}

/// Makes a namespace.
#[utoipa::path(put, path = routes::NAMESPACE, tag = "namespaces", params(("namespace" = String, Path), WriteOptions),
    request_body = NamespaceSpec, responses((status = 200, body = Namespace), (status = 201, body = Namespace)))]
async fn put(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    condition: Condition,
    QueryOf(options): QueryOf<WriteOptions>,
    Body(NamespaceSpec {}): Body<NamespaceSpec>,
) -> Answer<impl IntoResponse> {
    check(&name)?;
    let store = app.control().store();
    let before = find(&**store, &name).await?;
    let what = format!("namespace \"{name}\"");
    condition.check(&what, before.as_ref().map(|_| VERSION), || missing(&name))?;
    let created = before.is_none();
    let row = match before {
        Some(row) => row,
        None if options.dry_run => NamespaceRow { name: name.clone(), created_at: app.now(), job_count: 0 },
        None => store.create_namespace(&name, app.now()).await?,
    };
    Ok((made(created && !options.dry_run), etag(VERSION), Json(show(row))))
}

/// Deletes an empty namespace.
#[utoipa::path(delete, path = routes::NAMESPACE, tag = "namespaces", params(("namespace" = String, Path), WriteOptions),
    responses((status = 204, description = "Gone")))]
async fn delete(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    condition: Condition,
    QueryOf(options): QueryOf<WriteOptions>,
) -> Answer<StatusCode> {
    let store = app.control().store();
    let row = find(&**store, &name).await?.ok_or_else(|| missing(&name))?;
    condition.check(&format!("namespace \"{name}\""), Some(VERSION), || missing(&name))?;
    let calendars = store.calendars(&name, None, 1).await?;
    if row.job_count > 0 || !calendars.is_empty() {
        return Err(not_empty(&name));
    }
    if options.dry_run {
        return Ok(DONE);
    }
    match store.delete_namespace(&name).await {
        Err(mainspring_store::Error::Conflict { .. }) => Err(not_empty(&name)),
        done => Ok(done.map(|()| DONE)?),
    }
}

/// A namespace by name.
pub(super) async fn find(store: &dyn Store, name: &str) -> Answer<Option<NamespaceRow>> {
    if !is_valid_name(name) {
        return Ok(None);
    }
    // The list begins after a name, so it is asked for what follows the nearest name before.
    let mut after: Option<String> = before(name);
    loop {
        let rows = store.namespaces(after.as_deref(), READ_MAX).await?;
        let full = rows.len() == READ_MAX as usize;
        let last = rows.last().map(|row| row.name.clone());
        if let Some(row) = rows.into_iter().find(|row| row.name == name) {
            return Ok(Some(row));
        }
        if !full || last.as_deref() > Some(name) {
            return Ok(None);
        }
        after = last;
    }
}

/// Refuses lists of a namespace that does not exist. The one called `default` always does.
pub(super) async fn must_exist(app: &App, name: &str) -> Answer<()> {
    if name == super::DEFAULT_NAMESPACE || find(&**app.control().store(), name).await?.is_some() {
        return Ok(());
    }
    Err(missing(name))
}

fn missing(name: &str) -> Refusal {
    Refusal::new(ErrorCode::NamespaceNotFound, format!("there is no namespace \"{}\"", name.escape_debug()))
}

fn not_empty(name: &str) -> Refusal {
    Refusal::new(ErrorCode::NamespaceNotEmpty, format!("namespace \"{name}\" still has jobs or calendars"))
}

/// A text before a name with none but shorter names in between.
fn before(name: &str) -> Option<String> {
    let shorter = &name[..name.len() - 1];
    (!shorter.is_empty()).then(|| shorter.to_owned())
}

fn fetch(limit: usize) -> u32 {
    u32::try_from(limit + 1).unwrap_or(READ_MAX)
}

fn check(name: &str) -> Answer<()> {
    if is_valid_name(name) {
        return Ok(());
    }
    let message = format!("\"{}\" cannot name a namespace", name.escape_debug());
    Err(Refusal::invalid(vec![Problem::new(ErrorCode::NameInvalid, message)]))
}

fn show(row: NamespaceRow) -> Namespace {
    Namespace {
        id: row.name.clone(),
        name: row.name,
        description: None,
        version: VERSION,
        paused: false,
        job_count: row.job_count,
        created_at: instant(row.created_at),
    }
}
