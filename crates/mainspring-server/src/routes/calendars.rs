//! Calendars.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use mainspring_api::{self as api, CalendarSpec, ErrorCode, Page, PageFilter, Problem, WriteOptions, routes};
use mainspring_core::compile;
use mainspring_core::job::CalendarDefinition;
use mainspring_engine::control::{self, SaveMode};
use mainspring_schedule::Calendar;
use mainspring_store::{CalendarRow, Error as StoreError, Expect, JobQuery};
use utoipa_axum::routes;

use super::{Route, namespaces};
use crate::app::App;
use crate::convert::{self, Known, Surroundings};
use crate::extract::{Body, Condition, PathOf, QueryOf, etag, made, off_thread};
use crate::layers::DONE;
use crate::pages;
use crate::refusal::{Answer, Refusal};
use crate::show::{count, instant};

const READ_MAX: u32 = 1_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(list)), Route::view(routes!(get)), Route::edit(routes!(put, delete))]
}

/// Lists calendars, by name.
#[utoipa::path(get, path = routes::CALENDARS, tag = "calendars", params(("namespace" = String, Path), PageFilter),
    responses((status = 200, body = Page<api::Calendar>)))]
async fn list(
    State(app): State<App>,
    PathOf(namespace): PathOf<String>,
    QueryOf(filter): QueryOf<PageFilter>,
) -> Answer<Json<Page<api::Calendar>>> {
    let limit = pages::limit(filter.limit)?;
    let after = pages::names::<1>("calendars", filter.cursor.as_deref())?.map(|[name]| name);
    let fetch = u32::try_from(limit + 1).unwrap_or(u32::MAX);
    let rows = app.control().store().calendars(&namespace, after.as_deref(), fetch).await?;
    if rows.is_empty() && after.is_none() {
        namespaces::must_exist(&app, &namespace).await?;
        return Ok(Json(Page { items: Vec::new(), next_cursor: None }));
    }
    let uses = uses(&app, &namespace).await?;
    let shown = rows.iter().map(|row| show(row, &uses)).collect::<Answer<Vec<_>>>()?;
    Ok(Json(pages::page(shown, limit, |calendar: &api::Calendar| pages::cursor("calendars", &[&calendar.name]))))
}

/// Returns a calendar.
#[utoipa::path(get, path = routes::CALENDAR, tag = "calendars", params(("namespace" = String, Path), ("calendar" = String, Path)),
    responses((status = 200, body = api::Calendar)))]
async fn get(State(app): State<App>, PathOf((namespace, name)): PathOf<(String, String)>) -> Answer<Response> {
    let row = find(&app, &namespace, &name).await?;
    shown(&app, &row, StatusCode::OK).await
}

/// Makes or replaces a calendar. Triggers that use it get their next instants anew.
#[utoipa::path(put, path = routes::CALENDAR, tag = "calendars", params(("namespace" = String, Path), ("calendar" = String, Path), WriteOptions),
    request_body = CalendarSpec, responses((status = 200, body = api::Calendar), (status = 201, body = api::Calendar)))]
async fn put(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    condition: Condition,
    QueryOf(options): QueryOf<WriteOptions>,
    Body(spec): Body<CalendarSpec>,
) -> Answer<Response> {
    check_path(&spec, &namespace, &name)?;
    let definition = compiled(&app, &namespace, spec).await?;
    let row = app.control().store().calendar(&namespace, &name).await?;
    let version = row.as_ref().map(|row| count(row.change));
    condition.check(&what(&namespace, &name), version, || missing(&namespace, &name))?;
    if options.dry_run {
        app.control().save_calendar(&namespace, &name, &definition, Expect::Anything, SaveMode::DryRun).await?;
        let text = serde_json::to_string(&definition).expect("plain data has a text");
        let change = row.as_ref().map_or(1, |row| row.change + i64::from(row.definition != text));
        let planned = CalendarRow { namespace, name, change, definition: text, updated_at: app.now() };
        return shown(&app, &planned, StatusCode::OK).await;
    }
    let expect = row.as_ref().map_or(Expect::Absent, |row| Expect::Change(row.change));
    match app.control().save_calendar(&namespace, &name, &definition, expect, SaveMode::Commit).await {
        Ok(Some(saved)) => shown(&app, &saved, made(row.is_none())).await,
        Ok(None) => Err(missing(&namespace, &name)),
        Err(control::Error::Store(StoreError::Conflict { .. })) => {
            let detail = format!("{} was changed by others at the same time", what(&namespace, &name));
            Err(Refusal::new(
                if version.is_some() { ErrorCode::ResourceStale } else { ErrorCode::ResourceConflict },
                detail,
            ))
        }
        Err(error) => Err(error.into()),
    }
}

/// Deletes a calendar that nothing uses.
#[utoipa::path(delete, path = routes::CALENDAR, tag = "calendars", params(("namespace" = String, Path), ("calendar" = String, Path), WriteOptions),
    responses((status = 204, description = "Gone")))]
async fn delete(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
    condition: Condition,
    QueryOf(options): QueryOf<WriteOptions>,
) -> Answer<StatusCode> {
    let row = find(&app, &namespace, &name).await?;
    condition.check(&what(&namespace, &name), Some(count(row.change)), || missing(&namespace, &name))?;
    let uses = uses(&app, &namespace).await?;
    if let Some(users) = uses.get(&name).filter(|users| !users.is_empty()) {
        let shown: Vec<_> = users.iter().take(10).map(String::as_str).collect();
        let more =
            if users.len() > shown.len() { format!(" and {} more", users.len() - shown.len()) } else { String::new() };
        let detail = format!("{} is used by {}{more}", what(&namespace, &name), shown.join(", "));
        return Err(Refusal::new(ErrorCode::CalendarInUse, detail));
    }
    if options.dry_run {
        return Ok(DONE);
    }
    match app.control().delete_calendar(&namespace, &name, Expect::Change(row.change)).await {
        Err(control::Error::Store(StoreError::Conflict { why, .. })) => {
            Err(Refusal::new(ErrorCode::CalendarInUse, format!("{} {why}", what(&namespace, &name))))
        }
        done => Ok(done.map(|()| DONE)?),
    }
}

/// Calendars of the store, compiled.
pub(super) struct Stored(BTreeMap<(String, String), Arc<Calendar>>);

impl Stored {
    pub(super) fn find(&self, namespace: &str, name: &str) -> Known {
        let key = (namespace.to_owned(), name.to_owned());
        self.0.get(&key).map_or(Known::Missing, |calendar| Known::Calendar(Arc::clone(calendar)))
    }
}

/// Reads and compiles calendars with their bases. Those that are missing are left out.
pub(super) async fn known(app: &App, names: BTreeSet<(String, String)>) -> Answer<Stored> {
    let mut compiled = BTreeMap::new();
    for (namespace, name) in names {
        if let Some(calendar) = read(app, &namespace, &name).await? {
            compiled.insert((namespace, name), calendar);
        }
    }
    Ok(Stored(compiled))
}

async fn read(app: &App, namespace: &str, name: &str) -> Answer<Option<Arc<Calendar>>> {
    let mut chain = Vec::new();
    let mut next = Some(name.to_owned());
    while let (Some(name), true) = (next.take(), chain.len() <= Calendar::CHAIN_MAX) {
        let Some(row) = app.control().store().calendar(namespace, &name).await? else { return Ok(None) };
        let definition = definition(&row)?;
        next.clone_from(&definition.base);
        chain.push(definition);
    }
    let mut below: Option<Arc<Calendar>> = None;
    for definition in chain.iter().rev() {
        let base = below.take();
        match compile::calendar(definition, &|_| base.clone()) {
            Ok(calendar) => below = Some(Arc::new(calendar)),
            Err(error) => {
                tracing::error!(%error, namespace, calendar = name, "a stored calendar cannot be compiled");
                return Ok(None);
            }
        }
    }
    Ok(below)
}

/// The definition of a stored calendar.
pub(super) fn definition(row: &CalendarRow) -> Answer<CalendarDefinition> {
    serde_json::from_str(&row.definition).map_err(|error| {
        tracing::error!(%error, namespace = row.namespace, calendar = row.name, "a stored calendar cannot be read");
        Refusal::new(ErrorCode::ServerInternal, format!("calendar \"{}\" cannot be read from the store", row.name))
    })
}

/// All calendars of a namespace.
pub(super) async fn all(app: &App, namespace: &str) -> Answer<Vec<CalendarRow>> {
    let mut rows: Vec<CalendarRow> = Vec::new();
    loop {
        let after = rows.last().map(|row| row.name.clone());
        let more = app.control().store().calendars(namespace, after.as_deref(), READ_MAX).await?;
        let is_last = more.len() < READ_MAX as usize;
        rows.extend(more);
        if is_last {
            return Ok(rows);
        }
    }
}

/// Who uses the calendars of a namespace, directly or as a base: `job/trigger`, or `calendar NAME`.
async fn uses(app: &App, namespace: &str) -> Answer<BTreeMap<String, Vec<String>>> {
    let mut uses: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut query = JobQuery { namespace: Some(namespace.to_owned()), limit: READ_MAX, ..JobQuery::default() };
    loop {
        let rows = app.control().store().jobs(query.clone()).await?;
        for row in &rows {
            for trigger in &row.definition.triggers {
                if let Some(calendar) = &trigger.calendar {
                    let user = format!("{}/{}", row.definition.key.name, trigger.name);
                    uses.entry(calendar.clone()).or_default().push(user);
                }
            }
        }
        if rows.len() < READ_MAX as usize {
            break;
        }
        query.after = rows.last().map(|row| row.definition.key.clone());
    }
    for row in all(app, namespace).await? {
        if let Some(base) = definition(&row)?.base {
            uses.entry(base).or_default().push(format!("calendar {}", row.name));
        }
    }
    Ok(uses)
}

async fn compiled(app: &App, namespace: &str, spec: CalendarSpec) -> Answer<CalendarDefinition> {
    let bundle = api::Bundle { namespace: Some(namespace.to_owned()), calendars: vec![spec], ..api::Bundle::default() };
    let known = known(app, convert::calendars_of(&bundle, namespace)).await?;
    let (namespace, timezone, now) = (namespace.to_owned(), app.default_timezone.clone(), app.now());
    let compiled = off_thread(move || {
        let find = |namespace: &str, name: &str| known.find(namespace, name);
        let around =
            Surroundings { namespace: &namespace, timezone: &timezone, now, calendars: &find, line: convert::NO_LINES };
        convert::bundle(&bundle, &around).map_err(|problems| {
            let inside = |problem: Problem| {
                let pointer = problem.pointer.strip_prefix("/calendars/0").unwrap_or(&problem.pointer).to_owned();
                problem.at(pointer)
            };
            Refusal::invalid(problems.into_iter().map(inside).collect())
        })
    })
    .await?;
    compiled
        .calendars
        .into_iter()
        .next()
        .map(|named| named.definition)
        .ok_or_else(|| Refusal::new(ErrorCode::ServerInternal, "a compiled calendar went missing"))
}

fn check_path(spec: &CalendarSpec, namespace: &str, name: &str) -> Answer<()> {
    let given = spec.namespace.as_deref().unwrap_or(namespace);
    let parts = [("/namespace", given, namespace), ("/name", spec.name.as_str(), name)];
    let differ = parts.into_iter().filter(|(_, body, path)| body != path);
    let problems: Vec<_> = differ
        .map(|(pointer, body, path)| {
            let message = format!("the path says \"{}\", the body \"{}\"", path.escape_debug(), body.escape_debug());
            Problem::new(ErrorCode::FieldValue, message).at(pointer)
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(Refusal::invalid(problems)) }
}

async fn find(app: &App, namespace: &str, name: &str) -> Answer<CalendarRow> {
    if let Some(row) = app.control().store().calendar(namespace, name).await? {
        return Ok(row);
    }
    let others = app.control().store().calendars(namespace, None, READ_MAX).await?;
    Err(match api::did_you_mean(name, others.iter().map(|row| row.name.as_str())) {
        Some(hint) => missing(namespace, name).hint(hint),
        None => missing(namespace, name),
    })
}

async fn shown(app: &App, row: &CalendarRow, status: StatusCode) -> Answer<Response> {
    let uses = uses(app, &row.namespace).await?;
    Ok((status, etag(count(row.change)), Json(show(row, &uses)?)).into_response())
}

fn show(row: &CalendarRow, uses: &BTreeMap<String, Vec<String>>) -> Answer<api::Calendar> {
    Ok(api::Calendar {
        id: format!("{}/{}", row.namespace, row.name),
        namespace: row.namespace.clone(),
        name: row.name.clone(),
        version: count(row.change),
        spec: convert::calendar_spec(&row.namespace, &row.name, &definition(row)?),
        trigger_count: users(&row.name, uses, Calendar::CHAIN_MAX),
        // The store keeps the time of the last change only.
        created_at: instant(row.updated_at),
        updated_at: instant(row.updated_at),
    })
}

/// Counts triggers that name a calendar, or one that stands on it.
fn users(name: &str, uses: &BTreeMap<String, Vec<String>>, depth: usize) -> u64 {
    let Some(users) = uses.get(name).filter(|_| depth > 0) else { return 0 };
    let counts = users.iter().map(|user| match user.strip_prefix("calendar ") {
        Some(calendar) => self::users(calendar, uses, depth - 1),
        None => 1,
    });
    counts.sum()
}

fn what(namespace: &str, name: &str) -> String {
    format!("calendar \"{name}\" in namespace \"{namespace}\"")
}

fn missing(namespace: &str, name: &str) -> Refusal {
    let (namespace, name) = (namespace.escape_debug(), name.escape_debug());
    Refusal::new(ErrorCode::CalendarNotFound, format!("no calendar \"{name}\" in namespace \"{namespace}\""))
}
