//! What lists of people show: jobs in brief, their versions, the newest gaps.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use mainspring_core::batch::TriggerStatus;
use mainspring_core::run::RunState;
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};
use rustc_hash::FxHashMap;

use super::live::Run;
use super::model::{GapModel, Model, Version};
use super::runs::trigger_name;
use crate::digest::{DIGEST_LIVE_MAX, JobDigest, RunDigest};
use crate::row::{GapRow, JobRow, VersionRow};

/// See [`crate::Store::job_digests`].
pub(super) fn of_jobs(model: &Model, jobs: &[JobId], recent: u32) -> Vec<JobDigest> {
    let mut found: Vec<JobDigest> = jobs.iter().copied().map(JobDigest::new).collect();
    let places: FxHashMap<JobId, usize> = jobs.iter().copied().zip(0..).collect();
    for run in newest(model) {
        if let Some(place) = places.get(&run.job) {
            found[*place].add_live(brief(run, run.claimed_at.filter(|_| run.state == RunState::Running), None));
        }
    }
    for digest in &mut found {
        digest.next_fire_at = next(model, digest.job);
    }
    let mut finals: FxHashMap<JobId, BinaryHeap<Reverse<RunId>>> = FxHashMap::default();
    let counts = |run: &Run| recent > 0 && places.contains_key(&run.job) && is_whole(run);
    for over in model.history.iter().filter(|over| counts(&over.run)) {
        let newest = finals.entry(over.run.job).or_default();
        newest.push(Reverse(over.run.id));
        if newest.len() > recent as usize {
            newest.pop();
        }
    }
    for digest in &mut found {
        let ids = finals.remove(&digest.job).unwrap_or_default();
        let over = ids.into_iter().filter_map(|Reverse(id)| model.history.get(id));
        digest.recent.extend(over.map(|over| brief(&over.run, over.started_at, Some(over.ended_at))));
        digest.settle(recent);
    }
    found
}

/// See [`crate::Store::longest_running`].
pub(super) fn longest(model: &Model, limit: u32) -> Vec<(JobId, RunDigest)> {
    let running = model.live.iter().filter(|run| run.state == RunState::Running && is_whole(run));
    let mut found: Vec<_> = running.map(|run| (run.job, brief(run, run.claimed_at, None))).collect();
    found.sort_unstable_by_key(|(_, run)| (run.started_at, run.id));
    found.truncate(limit as usize);
    found
}

/// See [`crate::Store::jobs_by_id`].
pub(super) fn jobs(model: &Model, jobs: &[JobId]) -> Vec<JobRow> {
    let found = jobs.iter().filter_map(|id| model.jobs.get(id.0)).filter(|job| !job.deleted);
    found.map(|job| job.row.clone()).collect()
}

/// See [`crate::Store::versions`].
pub(super) fn versions(model: &Model, job: JobId, before: Option<JobVersion>, limit: u32) -> Vec<VersionRow> {
    let versions = model.jobs.get(job.0).into_iter().flat_map(|job| job.versions.iter().rev());
    let versions = versions.filter(|version| before.is_none_or(|before| version.number < before));
    let row = |version: &Version| VersionRow {
        version: version.number,
        saved_at: version.saved_at,
        saved_by: version.saved_by.clone(),
        definition: Arc::clone(&version.definition),
    };
    versions.take(limit as usize).map(row).collect()
}

/// See [`crate::Store::gaps_before`].
pub(super) fn gaps_before(
    model: &Model,
    trigger: Option<TriggerId>,
    before: i64,
    limit: u32,
) -> Vec<(GapRow, Option<String>)> {
    let rows = model.gaps.iter().rev().filter(|gap| gap.seq < before);
    let rows = rows.filter(|gap| trigger.is_none_or(|id| gap.trigger == id)).take(limit as usize);
    rows.map(|row| (gap(model, row), trigger_name(model, row.trigger))).collect()
}

/// A gap as it is answered.
pub(super) fn gap(model: &Model, gap: &GapModel) -> GapRow {
    let (backfill, backfilled) = model.backfills.of_gap(gap);
    GapRow {
        seq: gap.seq,
        job: model.job(gap.job).row.definition.key.clone(),
        trigger: gap.trigger,
        at: gap.at,
        gap: gap.gap.clone(),
        backfill,
        backfilled,
    }
}

/// Whether it is no task: tasks count with their run.
fn is_whole(run: &Run) -> bool {
    run.job_version.task().is_none()
}

fn newest(model: &Model) -> Vec<&Run> {
    let mut live: Vec<&Run> = model.live.iter().filter(|run| is_whole(run)).collect();
    live.sort_unstable_by_key(|run| Reverse(run.id));
    live.truncate(DIGEST_LIVE_MAX as usize);
    live
}

fn next(model: &Model, job: JobId) -> Option<Timestamp> {
    let job = model.jobs.get(job.0)?;
    let rows = job.triggers.iter().filter_map(|id| model.triggers.get(id.0)).map(|trigger| &trigger.row);
    let awake = rows.filter(|row| !row.paused && row.progress.status == TriggerStatus::Active);
    awake.filter_map(|row| row.progress.next_fire_at).min()
}

fn brief(run: &Run, started_at: Option<Timestamp>, ended_at: Option<Timestamp>) -> RunDigest {
    RunDigest { id: run.id, state: run.state, origin: run.origin, fire_time: run.fire_time, started_at, ended_at }
}
