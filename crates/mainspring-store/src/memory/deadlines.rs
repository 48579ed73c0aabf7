//! Deadlines of runs: which have missed theirs.

use std::collections::BTreeMap;

use mainspring_core::{RunId, Timestamp};

use super::live::Run;
use super::model::Model;
use super::runs;
use crate::row::{DeadlinesDue, MissedDeadline};

/// The instant by which a run is to have ended, if its job has a deadline.
fn deadline(model: &Model, run: &Run) -> Option<Timestamp> {
    let job = model.job(run.job);
    let within = job.row.definition.deadline_ms.filter(|_| !job.deleted)?;
    (run.parent().is_none() && !run.origin.is_of_the_past()).then_some(run.fire_time + within)
}

/// Notes a run that has ended after its deadline.
pub(super) fn ended(model: &mut Model, run: &Run, ended_at: Timestamp) {
    if deadline(model, run).is_some_and(|deadline| ended_at > deadline) {
        model.misses.entry(run.id).or_insert(false);
    }
}

/// See [`crate::Store::deadlines_due`].
pub(super) fn due(model: &Model, at: Timestamp, limit: u32) -> DeadlinesDue {
    let limit = limit as usize;
    let untold =
        |misses: &BTreeMap<RunId, bool>| misses.iter().filter(|(_, told)| !**told).map(|(run, _)| *run).collect();
    let mut runs: Vec<RunId> = untold(&model.misses);
    runs.truncate(limit);
    let is_over =
        |run: &&Run| deadline(model, run).is_some_and(|deadline| deadline <= at) && !model.misses.contains_key(&run.id);
    let mut over: Vec<RunId> = model.live.iter().filter(is_over).map(|run| run.id).collect();
    over.sort_unstable();
    over.truncate(limit);
    runs.extend(over);
    let has_one = model.jobs.iter().any(|job| !job.deleted && job.row.definition.deadline_ms.is_some());
    DeadlinesDue { used: has_one || !runs.is_empty(), runs }
}

/// See [`crate::Store::miss_deadlines`].
pub(super) fn miss(model: &mut Model, runs: &[RunId], at: Timestamp) -> Vec<MissedDeadline> {
    let mut missed = Vec::new();
    for id in runs {
        if std::mem::replace(model.misses.entry(*id).or_insert(false), true) {
            continue;
        }
        let Some(info) = runs::run(model, *id) else { continue };
        model.events.thing(at, "run", format!("{}/{id}", info.key), "deadline_missed");
        missed.push(MissedDeadline { run: *id, job: info.job, job_version: info.job_version });
    }
    missed
}
