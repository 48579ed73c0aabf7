//! Retention, and counts over everything that is kept.

use std::collections::BTreeMap;

use mainspring_core::batch::GapOutcome;
use mainspring_core::run::Origin;
use mainspring_core::{JobId, RunId, Timestamp, TriggerId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::history::FinalRun;
use super::live::{Live, Run};
use super::model::Model;
use crate::cluster::{LOST_THROUGH, lost_instant};
use crate::row::{PurgeRule, Tally};
use crate::webhook::DeliveryState;

/// See [`crate::Store::purge`].
pub(super) fn purge(model: &mut Model, rule: &PurgeRule) -> u64 {
    let limit = rule.limit as usize;
    let mut count = purge_history(model, limit, rule.history_before, |_| true);
    let beyond = rule.history_keep_per_job.map(|keep| beyond(model, keep)).filter(|beyond| !beyond.is_empty());
    if let Some(beyond) = beyond {
        let ever = Timestamp::from_millis(i64::MAX);
        count += purge_history(model, limit.saturating_sub(count), ever, |run| beyond.contains(&run));
    }
    // The runs of tasks went with theirs, however many they were.
    let limit = limit.max(count);
    count += purge_answers(model, limit - count);
    count += purge_gaps(model, rule.history_before, limit - count);
    count += purge_remains(model, rule.history_before, limit - count);
    // Events that webhooks and alerts have not seen go with the history.
    let read_through = model.webhooks.noted_through().min(model.documents.events_place());
    count += model.events.purge(rule.events_before, read_through, limit - count);
    count += model.events.purge(rule.events_before.min(rule.history_before), i64::MAX, limit - count);
    count += model.webhooks.purge(DeliveryState::Delivered, rule.tombstones_before, limit - count);
    count += model.webhooks.purge(DeliveryState::Dead, rule.history_before, limit - count);
    count += model.webhooks.purge_orphans(limit - count);
    count += purge_keys(model, rule.tombstones_before, limit - count);
    count += super::backfills::purge(model, rule.history_before, limit - count);
    if count < limit {
        count += purge_lost(model, rule.history_before);
    }
    let Model { lanes, jobs, .. } = model;
    lanes.forget_where(rule.limit as usize, |job| jobs.get(job.0).is_none_or(|job| job.deleted));
    count as u64
}

fn purge_history(model: &mut Model, limit: usize, end: Timestamp, accept: impl Fn(RunId) -> bool) -> usize {
    let Model { live, workflows, history, .. } = model;
    let goes = |over: &FinalRun| accept(over.run.id) && !is_awaited(live, &over.run) && !workflows.keep(&over.run);
    let mut removed = history.remove_where(limit, end, goes);
    let of: FxHashSet<RunId> = removed.iter().map(|over| over.run.id).filter(|run| workflows.forget(*run)).collect();
    if !of.is_empty() {
        let ever = Timestamp::from_millis(i64::MAX);
        let goes = |over: &FinalRun| over.run.task().is_some_and(|task| of.contains(&task.parent));
        removed.extend(history.remove_where(usize::MAX, ever, goes));
    }
    for over in &removed {
        model.attempts.remove(&over.run.id);
        model.logs.remove(over.run.id);
        remove_output(model, over.run.id);
        let job = model.job_mut(over.run.job);
        job.history_count -= 1;
        job.version_mut(over.run.job_version).runs -= 1;
        job.drop_versions();
        model.forget_if_unused(over.run.job);
    }
    removed.len()
}

/// Whether a run is a part of an unfinished one, whose end is seen from it.
fn is_awaited(live: &Live, run: &Run) -> bool {
    run.parent().is_some_and(|parent| live.get(parent).is_some())
}

/// Final runs of each job beyond its newest `keep`.
fn beyond(model: &Model, keep: u32) -> FxHashSet<RunId> {
    let mut runs: FxHashMap<JobId, Vec<RunId>> = FxHashMap::default();
    if model.jobs.iter().all(|job| job.history_count <= u64::from(keep)) {
        return FxHashSet::default();
    }
    for over in model.history.iter().filter(|over| model.job(over.run.job).history_count > u64::from(keep)) {
        if !is_awaited(&model.live, &over.run) && over.run.task().is_none() {
            runs.entry(over.run.job).or_default().push(over.run.id);
        }
    }
    let mut beyond = FxHashSet::default();
    for mut ids in runs.into_values() {
        ids.sort_unstable_by(|a, b| b.cmp(a));
        beyond.extend(ids.into_iter().skip(keep as usize));
    }
    beyond
}

/// Removes what is known of batches, claims and adoptions of process starts that will never ask again.
fn purge_answers(model: &mut Model, limit: usize) -> usize {
    let Some(nodes) = &model.nodes else { return 0 };
    let is_dead = |number: &u32| nodes.fence(model.incarnations[*number as usize]).is_none();
    let claims: Vec<_> = model.claims.keys().filter(|owner| is_dead(owner)).take(limit).copied().collect();
    let adoptions = model.adoptions.keys().filter(|(by, _)| is_dead(by)).take(limit - claims.len());
    let adoptions: Vec<_> = adoptions.copied().collect();
    let fires = model.answers.keys().filter(|(owner, _)| is_dead(owner)).take(limit - claims.len() - adoptions.len());
    let fires: Vec<_> = fires.copied().collect();
    claims.iter().for_each(|owner| _ = model.claims.remove(owner));
    adoptions.iter().for_each(|key| _ = model.adoptions.remove(key));
    fires.iter().for_each(|key| _ = model.answers.remove(key));
    claims.len() + adoptions.len() + fires.len()
}

fn purge_gaps(model: &mut Model, before: Timestamp, limit: usize) -> usize {
    let mut count = 0;
    while count < limit && model.gaps.front().is_some_and(|gap| gap.at < before) {
        let gap = model.gaps.pop_front().expect("seen above");
        model.job_mut(gap.job).gap_count -= 1;
        model.forget_if_unused(gap.job);
        count += 1;
    }
    count
}

/// Removes logs and outputs whose run is gone: what came after it was deleted.
fn purge_remains(model: &mut Model, before: Timestamp, limit: usize) -> usize {
    let mut runs = model.logs.runs_below(RunId::floor(before));
    runs.extend(model.outputs.keys().map(|key| key.0).filter(|run| *run < RunId::floor(before)));
    runs.sort_unstable();
    runs.dedup();
    let orphans = runs.into_iter().filter(|run| model.live.get(*run).is_none() && model.history.get(*run).is_none());
    let orphans: Vec<RunId> = orphans.take(limit).collect();
    for run in &orphans {
        model.logs.remove(*run);
        remove_output(model, *run);
    }
    orphans.len()
}

fn remove_output(model: &mut Model, run: RunId) {
    let parts = model.outputs.range((run, 0, 0)..=(run, u32::MAX, u32::MAX));
    let parts: Vec<_> = parts.map(|(key, _)| *key).collect();
    parts.iter().for_each(|key| _ = model.outputs.remove(key));
}

/// Forgets what failovers have lost once the runs of that time are gone.
fn purge_lost(model: &mut Model, before: Timestamp) -> usize {
    let Model { misses, live, history, .. } = &mut *model;
    misses.retain(|run, _| live.get(*run).is_some() || history.get(*run).is_some());
    let there = model.settings.len();
    let is_old = |value: &str| lost_instant(value).is_some_and(|through| through < before);
    model.settings.retain(|name, value| !name.starts_with(LOST_THROUGH) || !is_old(value));
    there - model.settings.len()
}

/// Removes tombstones and idempotency keys.
fn purge_keys(model: &mut Model, before: Timestamp, limit: usize) -> usize {
    let old = model.tombstones.iter().filter(|(_, buried)| buried.at < before).take(limit);
    let stones: Vec<_> = old.map(|(key, buried)| (key.clone(), buried.stone.id)).collect();
    for (key, id) in &stones {
        model.tombstones.remove(key);
        model.buried_names.remove(id);
    }
    let old = model.keys.iter().filter(|(_, key)| key.row.kept_at < before).take(limit - stones.len());
    let keys: Vec<String> = old.map(|(key, _)| key.clone()).collect();
    for key in &keys {
        model.keys.remove(key);
    }
    stones.len() + keys.len()
}

/// See [`crate::Store::tally`].
pub(super) fn tally(model: &Model) -> Vec<Tally> {
    let mut fires: BTreeMap<TriggerId, Vec<Timestamp>> = BTreeMap::new();
    for run in model.live.iter().chain(model.history.iter().map(|over| &over.run)) {
        if let (Some(trigger), Origin::Schedule | Origin::Misfire) = (run.trigger, run.origin) {
            fires.entry(trigger).or_default().push(run.fire_time);
        }
    }
    let mut tallies: BTreeMap<TriggerId, Tally> = BTreeMap::new();
    for (trigger, mut times) in fires {
        times.sort_unstable();
        let tally = tallies.entry(trigger).or_insert_with(|| empty(trigger));
        tally.fired = times.len() as u64;
        tally.duplicated = times.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).count() as u64;
        span(tally, times[0], times[times.len() - 1]);
    }
    for row in &model.gaps {
        let tally = tallies.entry(row.trigger).or_insert_with(|| empty(row.trigger));
        match row.gap.outcome {
            GapOutcome::Missed => tally.missed += row.gap.count,
            GapOutcome::Suppressed => tally.suppressed += row.gap.count,
        }
        span(tally, row.gap.first, row.gap.last);
    }
    tallies.into_values().collect()
}

const fn empty(trigger: TriggerId) -> Tally {
    Tally { trigger, fired: 0, duplicated: 0, missed: 0, suppressed: 0, first: None, last: None }
}

fn span(tally: &mut Tally, first: Timestamp, last: Timestamp) {
    tally.first = Some(tally.first.map_or(first, |known| known.min(first)));
    tally.last = tally.last.max(Some(last));
}

impl Model {
    /// Forgets a deleted job once nothing refers to it.
    pub(super) fn forget_if_unused(&mut self, id: JobId) {
        let job = self.job(id);
        let unfinished = job.gate.active + job.gate.held;
        let is_unused = job.deleted && unfinished == 0 && job.history_count == 0 && job.gap_count == 0;
        let is_unused = is_unused && !self.backfills.name(id);
        // Parts of runs count in no gate.
        if is_unused && !self.live.iter().any(|run| run.job == id) {
            self.jobs.remove(id.0);
        }
    }
}
