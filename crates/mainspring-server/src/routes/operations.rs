//! Operations over many jobs or runs: asked for once, done one after the other, and shown while they are.

mod carry;
mod plan;
mod runs;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use mainspring_api::{
    ErrorCode, Operation, OperationAction, OperationSelector, OperationSpec, OperationState, Page, PageFilter, Reason,
    WriteOptions, routes,
};
use mainspring_store::{Document, DocumentExpect};
use utoipa_axum::routes;

use self::carry::Kept;
use super::{Route, namespaces};
use crate::access::Caller;
use crate::app::{App, Inner, OPERATIONS_MAX};
use crate::extract::{Body, PathOf, QueryOf};
use crate::idempotency::Deed;
use crate::newest::{newest_first, random};
use crate::pages;
use crate::pauses;
use crate::query::jobs::{FIELDS, walk};
use crate::query::parse;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

/// What documents of operations are called.
const KIND: &str = "operation";
/// How long they are kept.
const KEPT_MS: i64 = 7 * 86_400_000;
/// Jobs that are read at once.
const JOBS_AT_ONCE: usize = 1_000;
/// How often a request to cancel starts again that the work itself keeps overtaking.
const TRIES: usize = 10;
/// Names that a dry run tells.
const SAMPLE: usize = 10;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::edit(routes!(begin)).large().repeatable(),
        Route::view(routes!(list)),
        Route::view(routes!(get)),
        Route::edit(routes!(cancel)).repeatable(),
    ]
}

/// Does something to many jobs, or starts many runs again. The answer comes at once, and the operation says how far it is. With `dry_run`,
/// nothing is begun: the answer says how many there are.
#[utoipa::path(post, path = routes::OPERATIONS, tag = "operations", params(WriteOptions), request_body = OperationSpec,
    responses((status = 202, body = Operation), (status = 200, description = "A dry run", body = Operation)))]
async fn begin(
    State(app): State<App>,
    deed: Option<Extension<Deed>>,
    Extension(caller): Extension<Caller>,
    QueryOf(WriteOptions { dry_run }): QueryOf<WriteOptions>,
    Body(spec): Body<OperationSpec>,
) -> Answer<(StatusCode, Json<Operation>)> {
    plan::check(&spec).map_err(Refusal::invalid)?;
    let by = pauses::by(&caller, &Reason { reason: spec.reason.clone(), by: None })?;
    let work = Arc::clone(&app.operations).try_acquire_owned().map_err(|_| {
        Refusal::new(ErrorCode::ServerBusy, format!("{OPERATIONS_MAX} operations are at work on this node already"))
    })?;
    // A stop waits for what holds one of these.
    let deeds = Arc::clone(&app.deeds).try_acquire_owned();
    let deeds = deeds.map_err(|_| Refusal::new(ErrorCode::ServerBusy, "too many requests are at work"))?;
    let names = match spec.action {
        OperationAction::Rerun => runs::selected(&app, &spec.selector).await?,
        _ => selected(&app, &spec.selector).await?,
    };
    let asking = deed.map(|deed| deed.asking());
    let (at, number) = asking.map_or_else(|| (app.now(), random()), |asking| (asking.at, asking.number));
    let operation = Operation {
        id: newest_first(at, number),
        action: spec.action,
        namespace: spec.selector.namespace.clone(),
        state: OperationState::Running,
        total: u32::try_from(names.len()).unwrap_or(u32::MAX),
        done: 0,
        failed: 0,
        sample: Vec::new(),
        by: Some(by.clone()),
        errors: Vec::new(),
        reason: spec.reason.clone(),
        node: app.engine.incarnation().to_string(),
        started_at: instant(app.now()),
        ended_at: None,
        cancel_asked: false,
    };
    if dry_run {
        let sample = names.iter().take(SAMPLE).cloned().collect();
        let planned = Operation { state: OperationState::Planned, sample, ..operation };
        return Ok((StatusCode::OK, Json(planned)));
    }
    let Some(version) = keep(&app, &operation, DocumentExpect::Absent).await? else {
        // The same request has begun it before.
        return Ok((StatusCode::ACCEPTED, Json(find(&app, &operation.id).await?.operation)));
    };
    tracing::info!(operation.id = operation.id, action = %operation.action, of = operation.total, reason = operation.reason, "an operation begins");
    let (shown, kept) = (operation.clone(), Kept { operation, version });
    tokio::spawn(async move {
        // Let go of in the reverse order: who gets the permits may count on the engine being free.
        let _permits = (work, deeds);
        let app = app;
        carry::out(&app, (&spec, &by), names, kept).await;
    });
    Ok((StatusCode::ACCEPTED, Json(shown)))
}

/// Lists the operations of the last week, newest first.
#[utoipa::path(get, path = routes::OPERATIONS, tag = "operations", params(PageFilter), responses((status = 200, body = Page<Operation>)))]
async fn list(State(app): State<App>, QueryOf(filter): QueryOf<PageFilter>) -> Answer<Json<Page<Operation>>> {
    let limit = pages::limit(filter.limit)?;
    let after = pages::names::<1>("operations", filter.cursor.as_deref())?.map(|[name]| name);
    let fetch = u32::try_from(limit + 1).unwrap_or(u32::MAX);
    let documents = app.control().store().documents(KIND, after.as_deref(), app.now(), fetch).await?;
    let items = documents.iter().filter_map(|document| read(&app, document)).map(|kept| kept.operation).collect();
    Ok(Json(pages::page(items, limit, |operation: &Operation| pages::cursor("operations", &[&operation.id]))))
}

/// Returns an operation.
#[utoipa::path(get, path = routes::OPERATION, tag = "operations", params(("operation" = String, Path)), responses((status = 200, body = Operation)))]
async fn get(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Json<Operation>> {
    Ok(Json(find(&app, &id).await?.operation))
}

/// Asks an operation to end: what is done stays done. It hears that within a second.
#[utoipa::path(post, path = routes::OPERATION_CANCEL, tag = "operations", params(("operation" = String, Path)),
    responses((status = 202, body = Operation)))]
async fn cancel(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<(StatusCode, Json<Operation>)> {
    for _ in 0..TRIES {
        let Kept { mut operation, version } = find(&app, &id).await?;
        if operation.state != OperationState::Running {
            return Ok((StatusCode::ACCEPTED, Json(operation)));
        }
        operation.cancel_asked = true;
        if keep(&app, &operation, DocumentExpect::Version(version)).await?.is_some() {
            return Ok((StatusCode::ACCEPTED, Json(operation)));
        }
    }
    Err(Refusal::new(ErrorCode::ResourceConflict, "the operation was written by others all the time"))
}

/// The names of the jobs that are meant.
async fn selected(app: &App, selector: &OperationSelector) -> Answer<Vec<String>> {
    namespaces::must_exist(app, &selector.namespace).await?;
    let Some(text) = &selector.q else { return Ok(plan::distinct(&selector.names)) };
    let query = parse(text, FIELDS)?;
    let (mut names, mut after) = (Vec::new(), None);
    loop {
        let walked = walk(app, Some(&selector.namespace), &query, after, JOBS_AT_ONCE).await?;
        names.extend(walked.found.iter().map(|found| found.row.definition.key.name.clone()));
        if names.len() > plan::NAMES_MAX {
            return Err(plan::too_many("jobs"));
        }
        match walked.rest {
            Some(rest) => after = Some(rest),
            None => return Ok(names),
        }
    }
}

/// Writes how far an operation is. Nothing: somebody else has written it since.
async fn keep(
    app: &Inner,
    operation: &Operation,
    expect: DocumentExpect,
) -> Result<Option<i64>, mainspring_store::Error> {
    let now = app.now();
    let document = Document {
        kind: KIND.to_owned(),
        name: operation.id.clone(),
        body: serde_json::to_string(operation).expect("plain data has a text"),
        version: 0,
        at: now,
        expires_at: Some(now + KEPT_MS),
    };
    Ok(app.control().store().put_document(document, expect).await?.map(|written| written.version))
}

async fn find(app: &App, id: &str) -> Answer<Kept> {
    let document = app.control().store().document(KIND, id, app.now()).await?;
    document.as_ref().and_then(|document| read(app, document)).ok_or_else(|| {
        let shown: String = id.chars().take(64).collect();
        Refusal::new(ErrorCode::OperationNotFound, format!("there is no operation \"{}\"", shown.escape_debug()))
    })
}

/// An operation as it is: one whose node is gone was interrupted.
fn read(app: &Inner, document: &Document) -> Option<Kept> {
    let mut operation: Operation = serde_json::from_str(&document.body).ok()?;
    if operation.state == OperationState::Running && !is_alive(app, &operation.node) {
        operation.state = OperationState::Interrupted;
    }
    Some(Kept { operation, version: document.version })
}

fn is_alive(app: &Inner, node: &str) -> bool {
    let is_it = |incarnation: mainspring_core::Incarnation| incarnation.to_string() == node;
    let status = app.engine.cluster_status();
    is_it(app.engine.incarnation())
        || status.is_some_and(|status| status.nodes.iter().any(|node| is_it(node.row.incarnation)))
}
