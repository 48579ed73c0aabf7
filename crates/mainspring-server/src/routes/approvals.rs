//! Tasks of workflow runs that wait for somebody's approval.

use std::collections::hash_map::Entry;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use mainspring_api::{Approval, ApprovalFilter, Page, routes};
use mainspring_core::RunId;
use mainspring_core::line::HOLD_LINE;
use mainspring_core::workflow::{Hold, TaskState};
use mainspring_store::{RunInfo, RunQuery};
use rustc_hash::FxHashMap;
use utoipa_axum::routes;

use super::Route;
use super::tasks::tasks_of;
use crate::app::App;
use crate::extract::QueryOf;
use crate::pages;
use crate::refusal::Answer;
use crate::show::instant;
use crate::tasks::{Place, Tasks};

/// Runs that are read at once.
const SCANNED_AT_ONCE: usize = 500;
/// A search answers after this time with what it has. At least one part is looked at, so that going on gets ahead.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(approvals))]
}

/// Lists the tasks of workflow runs that wait for somebody's approval, the newest first.
///
/// A page may have fewer than `limit`, or none, and a `next_cursor`: the search goes on there.
#[utoipa::path(get, path = routes::APPROVALS, tag = "runs", params(ApprovalFilter), responses((status = 200, body = Page<Approval>)))]
async fn approvals(State(app): State<App>, QueryOf(filter): QueryOf<ApprovalFilter>) -> Answer<Json<Page<Approval>>> {
    let limit = pages::limit(filter.limit)?;
    let before =
        filter.cursor.as_deref().map(|cursor| cursor.parse().map_err(|_| pages::bad_cursor(cursor))).transpose()?;
    let mut query = RunQuery {
        namespace: filter.namespace,
        line: Some(HOLD_LINE.to_owned()),
        with_tasks: true,
        before,
        limit: u32::try_from(SCANNED_AT_ONCE).expect("a constant"),
        ..RunQuery::default()
    };
    let began = Instant::now();
    let mut parents = Parents::default();
    let mut items = Vec::new();
    loop {
        let runs = app.control().store().runs(query.clone()).await?;
        let is_last = runs.len() < SCANNED_AT_ONCE;
        query.before = runs.last().map(|run| run.id).or(query.before);
        for run in runs.iter().filter(|run| run.task.is_some()) {
            let Some(approval) = parents.approval(&app, run).await? else { continue };
            items.push(approval);
            if items.len() == limit {
                return Ok(Json(Page { items, next_cursor: Some(run.id.to_string()) }));
            }
        }
        if is_last {
            return Ok(Json(Page { items, next_cursor: None }));
        }
        if began.elapsed() >= PATIENCE {
            return Ok(Json(Page { items, next_cursor: query.before.map(|run| run.to_string()) }));
        }
    }
}

/// The workflow runs whose tasks are looked at: each is read once.
#[derive(Default)]
struct Parents(FxHashMap<RunId, Option<Tasks>>);

impl Parents {
    /// What somebody is to decide, if the run is of a task that asks for it and still waits.
    async fn approval(&mut self, app: &App, run: &RunInfo) -> Answer<Option<Approval>> {
        let (Some(parent), Some(task)) = (run.parent, run.task.as_deref()) else { return Ok(None) };
        let tasks = match self.0.entry(parent) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let of = match app.control().store().run(parent).await? {
                    Some(parent) => tasks_of(app, &parent).await?,
                    None => None,
                };
                unknown.insert(of)
            }
        };
        Ok(tasks.as_ref().and_then(|tasks| approval(tasks, tasks.find(task).ok()?, run, parent)))
    }
}

fn approval(tasks: &Tasks, place: Place, run: &RunInfo, parent: RunId) -> Option<Approval> {
    let asked = tasks.definition(place.task).hold.as_ref().and_then(Hold::approval)?;
    let row = tasks.row(place).filter(|row| row.state == TaskState::Running && row.child == Some(run.id))?;
    Some(Approval {
        namespace: run.key.namespace.clone(),
        job: run.key.name.clone(),
        run: parent.to_string(),
        task: run.task.clone()?,
        prompt: row.reason.clone().unwrap_or_else(|| asked.prompt.clone()),
        from: asked.from.clone(),
        since: instant(row.since),
        until: run.expires_at.map(instant),
        on_timeout: run.expires_at.map(|_| asked.on_timeout),
    })
}
