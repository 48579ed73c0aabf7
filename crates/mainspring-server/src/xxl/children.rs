//! Children of jobs as XXL-JOB's scripts name them: jobs that start when another one has succeeded.
//!
//! There, parents start children that are stopped. So a child that was stopped is resumed, and its own schedule rests in its place.

use std::collections::BTreeSet;

use mainspring_api::JobSpec;
use mainspring_core::after::{AfterOn, upstreams};
use mainspring_core::job::{Job, JobKey, ScheduleDefinition};
use mainspring_store::{JobRow, NamedTrigger, Store};
use mainspring_xxl::{Fields, family};

use super::jobs::{self, BY, Numbered};
use super::told::{Told, said};
use crate::app::App;
use crate::convert;
use crate::pauses::{self, Paused};
use crate::routes::jobs as job_routes;

/// A job that a change of its parent changes.
pub(super) struct Child {
    pub(super) row: JobRow,
    pub(super) spec: JobSpec,
    /// Whether its pause ends: it would not start, and its own schedule rests in its place.
    pub(super) wakes: bool,
}

/// The children that fields name, as far as they change, and the jobs that are children no more. Nothing: no children are named.
pub(super) async fn changed(
    app: &App,
    within: Option<&str>,
    parent: (&JobKey, i64),
    fields: &Fields,
) -> Told<Vec<Child>> {
    let Some(list) = fields.get("childJobId") else { return Ok(Vec::new()) };
    let (key, id) = parent;
    let wanted = numbers(list, id)?;
    let all = jobs::all(&**app.control().store(), within).await?;
    if let Some(id) = wanted.iter().find(|id| !all.iter().any(|job| job.id == **id && is_beside(job, key))) {
        return Err(format!("there is no job {id} that could be a child"));
    }
    let beside = all.into_iter().filter(|job| is_beside(job, key));
    Ok(beside.filter_map(|job| change(job, &key.name, &wanted)).collect())
}

/// The numbers of a list with commas between them.
fn numbers(list: &str, parent: i64) -> Told<BTreeSet<i64>> {
    let words = list.split(',').map(str::trim).filter(|word| !word.is_empty());
    let read = |word: &str| word.parse().map_err(|_| format!("childJobId has {word:?}, which is no number of a job"));
    let wanted: BTreeSet<i64> = words.map(read).collect::<Told<_>>()?;
    if wanted.contains(&parent) { Err("a job cannot be its own child".to_owned()) } else { Ok(wanted) }
}

/// Jobs start after others of their namespace only.
fn is_beside(job: &Numbered, parent: &JobKey) -> bool {
    job.row.definition.key.namespace == parent.namespace
}

fn change(job: Numbered, parent: &str, wanted: &BTreeSet<i64>) -> Option<Child> {
    let mut spec = convert::job_spec(&job.row.definition);
    let mut wakes = false;
    match (wanted.contains(&job.id), family::follows(&spec, parent)) {
        (true, false) => {
            family::follow(&mut spec, parent);
            if job.row.paused {
                family::stop_schedule(&mut spec);
                spec.paused = None;
                wakes = true;
            }
        }
        (false, true) => {
            family::leave(&mut spec, parent);
        }
        _ => return None,
    }
    Some(Child { row: job.row, spec, wakes })
}

/// Forgets who paused children whose pauses have ended. Nothing depends on it.
pub(super) async fn forget_pauses(app: &App, children: &[Child]) {
    for Child { row, .. } in children.iter().filter(|child| child.wakes) {
        if let Err(refusal) = pauses::forget(app, Paused::Job(row.id)).await {
            let why = said(refusal);
            tracing::warn!(job = %row.definition.key, why, "a note on an ended pause stays");
        }
    }
}

/// The numbers of the children of a job, with commas between them.
pub(super) fn list(parent: &JobKey, all: &[(JobKey, i64, Vec<String>)]) -> String {
    let is_child = |(key, _, parents): &&(JobKey, i64, Vec<String>)| {
        key.namespace == parent.namespace && parents.contains(&parent.name)
    };
    let ids: BTreeSet<i64> = all.iter().filter(is_child).map(|(_, id, _)| *id).collect();
    ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

/// The jobs whose success starts a job.
pub(super) fn parents(job: &Job) -> Vec<String> {
    let counts = |on: &AfterOn| matches!(on, AfterOn::Succeeded | AfterOn::Any);
    upstreams(job).filter(|(.., on)| counts(on)).map(|(_, name, _)| name.to_owned()).collect()
}

fn comes_after(job: &Job, trigger: &NamedTrigger) -> bool {
    let defined = job.triggers.get(trigger.row.index as usize);
    defined.is_some_and(|it| matches!(it.schedule, ScheduleDefinition::After { .. }))
}

/// Whether parents that XXL-JOB has a word for start a job.
fn is_child(job: &Job) -> bool {
    !parents(job).is_empty()
}

/// Whether the schedule of a job goes: what XXL-JOB calls running. One that only starts after others has none.
pub(super) async fn is_started(store: &dyn Store, row: &JobRow) -> Told<bool> {
    if row.paused || row.definition.triggers.is_empty() {
        return Ok(false);
    }
    Ok(own(store, row).await?.iter().any(|trigger| !trigger.own_pause))
}

/// The triggers of a job that do not come after others.
async fn own(store: &dyn Store, row: &JobRow) -> Told<Vec<NamedTrigger>> {
    let prior = store.prior(&row.definition.key).await.map_err(said)?;
    Ok(prior.triggers.into_iter().filter(|trigger| !comes_after(&row.definition, trigger)).collect())
}

/// Starts the schedule of a job.
pub(super) async fn start(app: &App, row: &JobRow) -> Told<()> {
    let (store, key) = (app.control().store(), &row.definition.key);
    let own = own(&**store, row).await?;
    if own.is_empty() {
        return Err("its schedule type is NONE: it runs when asked".to_owned());
    }
    for trigger in own.iter().filter(|trigger| trigger.own_pause) {
        app.control().resume_trigger(key, &trigger.name).await.map_err(said)?;
        pauses::forget(app, Paused::Trigger(trigger.row.id)).await.map_err(said)?;
    }
    job_routes::resume_one(app, key).await.map(drop).map_err(said)
}

/// Stops the schedule of a job. Its parents still start it.
pub(super) async fn stop(app: &App, row: &JobRow) -> Told<()> {
    let (store, key) = (app.control().store(), &row.definition.key);
    if !is_child(&row.definition) {
        return job_routes::pause_one(app, key, BY.to_owned(), None).await.map(drop).map_err(said);
    }
    for trigger in own(&**store, row).await?.iter().filter(|trigger| !trigger.own_pause) {
        app.control().pause_trigger(key, &trigger.name).await.map_err(said)?;
        let paused = Paused::Trigger(trigger.row.id);
        pauses::note(app, paused, BY.to_owned(), None, false).await.map_err(said)?;
    }
    Ok(())
}
