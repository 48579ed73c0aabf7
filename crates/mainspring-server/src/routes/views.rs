//! Saved views of the console: what a page shows, under a name. Shared by all.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use mainspring_api::{ErrorCode, Problem, View, ViewFilter, ViewSpec, routes};
use mainspring_store::{Document, DocumentExpect};
use utoipa_axum::routes;

use super::Route;
use crate::app::App;
use crate::extract::{Body, Condition, PathOf, QueryOf, etag, made};
use crate::layers::DONE;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

const KIND: &str = "view";
const VIEWS_MAX: u32 = 1_000;
const NAME_CHARS_MAX: usize = 64;
const TEXT_CHARS_MAX: usize = 4_000;
const COLUMNS_MAX: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(list)), Route::view(routes!(get)), Route::operate(routes!(put, delete))]
}

/// Lists saved views, by name.
#[utoipa::path(get, path = routes::VIEWS, tag = "views", params(ViewFilter), responses((status = 200, body = Vec<View>)))]
async fn list(State(app): State<App>, QueryOf(filter): QueryOf<ViewFilter>) -> Answer<Json<Vec<View>>> {
    let documents = app.control().store().documents(KIND, None, app.now(), VIEWS_MAX).await?;
    let views = documents.iter().filter_map(show);
    Ok(Json(views.filter(|view| filter.page.as_ref().is_none_or(|page| *page == view.spec.page)).collect()))
}

/// Returns a saved view.
#[utoipa::path(get, path = routes::VIEW, tag = "views", params(("view" = String, Path)), responses((status = 200, body = View)))]
async fn get(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<impl IntoResponse> {
    let found = app.control().store().document(KIND, &name, app.now()).await?;
    let view = found.as_ref().and_then(show).ok_or_else(|| missing(&name))?;
    Ok((etag(view.version), Json(view)))
}

/// Saves a view, or replaces one.
#[utoipa::path(put, path = routes::VIEW, tag = "views", params(("view" = String, Path)), request_body = ViewSpec,
    responses((status = 200, body = View), (status = 201, body = View)))]
async fn put(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    condition: Condition,
    Body(spec): Body<ViewSpec>,
) -> Answer<impl IntoResponse> {
    check(&name, &spec).map_err(Refusal::invalid)?;
    let (store, now) = (app.control().store(), app.now());
    let before = store.document(KIND, &name, now).await?.map(|there| there.version);
    condition.check(&what(&name), before.map(number), || missing(&name))?;
    if before.is_none() && store.documents(KIND, None, now, VIEWS_MAX).await?.len() >= VIEWS_MAX as usize {
        return Err(Refusal::new(ErrorCode::ViewLimit, format!("there are {VIEWS_MAX} saved views")));
    }
    let body = serde_json::to_string(&spec).expect("plain data has a text");
    let document = Document { kind: KIND.to_owned(), name: name.clone(), body, version: 0, at: now, expires_at: None };
    let expect = before.map_or(DocumentExpect::Absent, DocumentExpect::Version);
    let written = store.put_document(document, expect).await?;
    let view = written.as_ref().and_then(show).ok_or_else(|| {
        Refusal::new(ErrorCode::ResourceConflict, format!("{} was changed by somebody else just now", what(&name)))
    })?;
    Ok((made(before.is_none()), etag(view.version), Json(view)))
}

/// Deletes a saved view.
#[utoipa::path(delete, path = routes::VIEW, tag = "views", params(("view" = String, Path)), responses((status = 204, description = "Gone")))]
async fn delete(State(app): State<App>, PathOf(name): PathOf<String>, condition: Condition) -> Answer<StatusCode> {
    let store = app.control().store();
    let there = store.document(KIND, &name, app.now()).await?.map(|there| number(there.version));
    condition.check(&what(&name), there, || missing(&name))?;
    if store.remove_document(KIND, &name).await? { Ok(DONE) } else { Err(missing(&name)) }
}

fn check(name: &str, spec: &ViewSpec) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    let is_plain = |text: &str| !text.chars().any(char::is_control);
    if !(1..=NAME_CHARS_MAX).contains(&name.chars().count()) || name.trim() != name || !is_plain(name) {
        let message = format!("a view has a name of 1 to {NAME_CHARS_MAX} characters, without spaces around it");
        problems.push(Problem::new(ErrorCode::NameInvalid, message));
    }
    if !mainspring_api::is_valid_name(&spec.page) {
        problems.push(Problem::new(ErrorCode::FieldValue, "a page is a name such as jobs or runs").at("/page"));
    }
    let texts = [("/query", &spec.query), ("/sort", &spec.sort), ("/group", &spec.group)];
    let long =
        texts.into_iter().filter(|(_, text)| text.as_ref().is_some_and(|text| text.chars().count() > TEXT_CHARS_MAX));
    problems.extend(long.map(|(pointer, _)| {
        Problem::new(ErrorCode::FieldValue, format!("more than {TEXT_CHARS_MAX} characters")).at(pointer)
    }));
    if spec.columns.len() > COLUMNS_MAX || spec.columns.iter().any(|column| column.len() > NAME_CHARS_MAX) {
        let message = format!("a view has at most {COLUMNS_MAX} columns, named in {NAME_CHARS_MAX} bytes each");
        problems.push(Problem::new(ErrorCode::FieldValue, message).at("/columns"));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn show(document: &Document) -> Option<View> {
    let spec = serde_json::from_str(&document.body).ok()?;
    Some(View {
        name: document.name.clone(),
        version: number(document.version),
        updated_at: instant(document.at),
        spec,
    })
}

fn number(version: i64) -> u64 {
    version.unsigned_abs()
}

fn what(name: &str) -> String {
    format!("view \"{}\"", name.escape_debug())
}

fn missing(name: &str) -> Refusal {
    Refusal::new(ErrorCode::ViewNotFound, format!("there is no {}", what(name)))
}
