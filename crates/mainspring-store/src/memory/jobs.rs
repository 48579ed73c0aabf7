//! Requests about jobs and their triggers.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::batch::{Progress, TriggerRow, TriggerStatus};
use mainspring_core::cluster::Shard;
use mainspring_core::job::JobKey;
use mainspring_core::overlap::Gate;
use mainspring_core::run::RunState;
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId, jitter_of, shard_of};

use super::model::{Buried, JobModel, Model, Trigger, Version};
use super::names::{check, ensure_namespace};
use super::workflow::NOBODY;
use crate::error::{Error, Result};
use crate::row::{
    Expect, JobDelete, JobPrior, JobQuery, JobRow, JobUpdate, JobWrite, NamedTrigger, Saved, Tombstone, TriggerEnd,
    TriggerInfo, TriggerQuery, TriggerUpdate, TriggerWrite,
};

/// See [`crate::Store::prior`].
pub(super) fn prior(model: &Model, key: &JobKey) -> JobPrior {
    let job = model.job_by_key(key);
    let triggers = job.map(|job| named_triggers(model, job)).unwrap_or_default();
    let stones = model.tombstones.range((key.clone(), String::new())..).take_while(|(place, _)| place.0 == *key);
    JobPrior {
        job: job.map(|job| job.row.clone()),
        triggers,
        tombstones: stones.map(|(_, buried)| buried.stone.clone()).collect(),
    }
}

fn named_triggers(model: &Model, job: &JobModel) -> Vec<NamedTrigger> {
    let triggers = job.triggers.iter().map(|id| model.triggers.get(id.0).expect("the job names it"));
    triggers.map(Trigger::named).collect()
}

/// See [`crate::Store::save_jobs`].
pub(super) fn save(model: &mut Model, writes: &[JobWrite]) -> Result<Vec<Saved>> {
    let mut keys = BTreeSet::new();
    for write in writes {
        let key = &write.definition.key;
        if !keys.insert(key) {
            return Err(conflict("job", key.to_string(), "is written twice".into()));
        }
        check_write(model, write)?;
    }
    let documents: Vec<_> = writes.iter().flat_map(|write| write.documents.iter().cloned()).collect();
    if !documents.is_empty() {
        model.documents.change(documents)?;
    }
    Ok(writes.iter().map(|write| apply(model, write)).collect())
}

fn check_write(model: &Model, write: &JobWrite) -> Result<()> {
    let key = &write.definition.key;
    check(write.expect, model.job_by_key(key).map(|job| job.row.change), "job", || key.to_string())?;
    for trigger in &write.triggers {
        let there = fired_through(model, key, &trigger.name);
        if there != trigger.expected_fired_through {
            let why = format!("has fired through {there:?}, not {:?}", trigger.expected_fired_through);
            return Err(conflict("trigger", format!("{key}/{}", trigger.name), why));
        }
        let awaited = trigger.progress.awaiting_run;
        let kept = trigger_by_name(model, key, &trigger.name).map(|kept| kept.row.progress.awaiting_run);
        if awaited.is_some() && kept.is_some_and(|kept| kept != awaited) {
            // Its run has ended meanwhile: written back, it would be awaited for ever.
            return Err(conflict("trigger", format!("{key}/{}", trigger.name), "awaits another run".into()));
        }
    }
    check_ends(model, key, &write.ends)?;
    for name in write.definition.triggers.iter().filter_map(|trigger| trigger.calendar.as_ref()) {
        if !model.calendars.contains_key(&(key.namespace.clone(), name.clone())) {
            return Err(Error::NotFound { what: "calendar", key: format!("{}/{name}", key.namespace) });
        }
    }
    Ok(())
}

/// Whether triggers that are to end are there, and stand where whoever decided it has seen them.
fn check_ends(model: &Model, key: &JobKey, ends: &[TriggerEnd]) -> Result<()> {
    for end in ends {
        let there = model.triggers.get(end.id.0).map(|trigger| trigger.row.progress.fired_through);
        if there != Some(end.expected_fired_through) {
            let why = format!("has fired through {there:?}, not {:?}", end.expected_fired_through);
            return Err(conflict("trigger", format!("{key}/{}", end.id), why));
        }
    }
    Ok(())
}

/// What fired last under a trigger's key: of the trigger, or of its tombstone.
fn fired_through(model: &Model, key: &JobKey, name: &str) -> Option<Timestamp> {
    match trigger_by_name(model, key, name) {
        Some(trigger) => trigger.row.progress.fired_through,
        None => model.tombstones.get(&(key.clone(), name.to_owned()))?.stone.fired_through,
    }
}

fn trigger_by_name<'a>(model: &'a Model, key: &JobKey, name: &str) -> Option<&'a Trigger> {
    let job = model.job_by_key(key)?;
    let mut triggers = job.triggers.iter().filter_map(|id| model.triggers.get(id.0));
    triggers.find(|trigger| trigger.name == name)
}

fn apply(model: &mut Model, write: &JobWrite) -> Saved {
    let key = &write.definition.key;
    let there = model.job_keys.get(key).copied();
    if let Some(job) = there.filter(|job| is_same(model, *job, write)) {
        return Saved { job: model.job(job).row.clone(), created: false };
    }
    ensure_namespace(model, &key.namespace, write.at);
    let id = there.unwrap_or_else(|| create(model, write));
    let job = model.job_mut(id);
    if there.is_some() {
        job.row.change += 1;
        job.row.updated_at = write.at;
        job.row.paused = write.paused;
        if job.row.definition != write.definition {
            job.row.version = JobVersion(job.row.version.0 + 1);
            job.row.definition = write.definition.clone();
            let number = job.row.version;
            let definition = write.definition.clone();
            let saved_by = write.saved_by.clone();
            job.versions.push(Version { number, saved_at: write.at, saved_by, definition, runs: 0 });
            job.drop_versions();
        }
    }
    replace_triggers(model, id, write);
    if model.promote(id, write.definition.gate()) > 0 {
        model.outbox.queued();
    }
    model.events.flush(write.at);
    model.events.thing(write.at, "job", key.to_string(), if there.is_some() { "updated" } else { "created" });
    Saved { job: model.job(id).row.clone(), created: there.is_none() }
}

fn create(model: &mut Model, write: &JobWrite) -> JobId {
    let id = JobId(model.jobs.next_id());
    let row = JobRow {
        id,
        version: JobVersion(1),
        change: 1,
        definition: write.definition.clone(),
        paused: write.paused,
        created_at: write.at,
        updated_at: write.at,
    };
    model.jobs.push(JobModel {
        row,
        deleted: false,
        triggers: Vec::new(),
        versions: vec![Version {
            number: JobVersion(1),
            saved_at: write.at,
            saved_by: write.saved_by.clone(),
            definition: write.definition.clone(),
            runs: 0,
        }],
        gate: Gate::default(),
        history_count: 0,
        gap_count: 0,
        data: None,
    });
    model.job_keys.insert(write.definition.key.clone(), id);
    id
}

/// Whether a write would change nothing.
fn is_same(model: &Model, id: JobId, write: &JobWrite) -> bool {
    let job = model.job(id);
    let same_trigger = |(id, write): (&TriggerId, &TriggerWrite)| {
        let trigger = model.triggers.get(id.0).expect("the job names it");
        let there = trigger.row.progress;
        trigger.name == write.name
            && trigger.own_pause == write.paused
            && trigger.jitter_ms == write.jitter_ms
            && there == settled(*id, write, there.fired_through)
    };
    job.row.definition == write.definition
        && job.row.paused == write.paused
        && job.triggers.len() == write.triggers.len()
        && job.triggers.iter().zip(&write.triggers).all(same_trigger)
}

/// The progress of a write with what the store adds to it.
fn settled(id: TriggerId, write: &TriggerWrite, fired_through: Option<Timestamp>) -> Progress {
    let progress = write.progress;
    Progress {
        due_at: progress.next_fire_at.map(|next| next + jitter_of(id, next, write.jitter_ms)),
        fired_through: progress.fired_through.max(fired_through),
        ..progress
    }
}

fn replace_triggers(model: &mut Model, id: JobId, write: &JobWrite) {
    let before = std::mem::take(&mut model.job_mut(id).triggers);
    let mut after = Vec::with_capacity(write.triggers.len());
    for (index, trigger) in (0_u32..).zip(&write.triggers) {
        let placed = place_trigger(model, id, index, trigger, &before, write);
        model.afters.place(placed, &write.definition, index);
        trigger.gap.iter().for_each(|gap| model.record_gap(id, placed, write.at, gap.clone()));
        after.push(placed);
    }
    for trigger in before.into_iter().filter(|trigger| !after.contains(trigger)) {
        bury(model, trigger, &write.ends, write.at);
    }
    model.job_mut(id).triggers = after;
    model.note_triggers(id);
}

fn place_trigger(
    model: &mut Model,
    job: JobId,
    index: u32,
    write: &TriggerWrite,
    before: &[TriggerId],
    save: &JobWrite,
) -> TriggerId {
    let key = &save.definition.key;
    let named = |id: &&TriggerId| model.triggers.get(id.0).is_some_and(|trigger| trigger.name == write.name);
    let there = before.iter().find(named).copied();
    let job_version = model.job(job).row.version;
    let shard = Shard(shard_of(&key.namespace, &key.name));
    let paused = write.paused || save.paused;
    if let Some(id) = there {
        let trigger = model.triggers.get_mut(id.0).expect("found above");
        let progress = settled(id, write, trigger.row.progress.fired_through);
        let version = trigger.row.version + 1;
        trigger.row = TriggerRow { id, job, shard, job_version, index, version, paused, progress };
        trigger.own_pause = write.paused;
        trigger.jitter_ms = write.jitter_ms;
        model.reindex(id);
        return id;
    }
    let buried = model.tombstones.remove(&(key.clone(), write.name.clone()));
    let id = buried.as_ref().map_or(TriggerId(model.triggers.next_id()), |buried| buried.stone.id);
    let fired_through = buried.as_ref().and_then(|buried| buried.stone.fired_through);
    let version = buried.as_ref().map_or(1, |buried| buried.version + 1);
    let progress = settled(id, write, fired_through);
    let trigger = Trigger {
        row: TriggerRow { id, job, shard, job_version, index, version, paused, progress },
        name: write.name.clone(),
        own_pause: write.paused,
        jitter_ms: write.jitter_ms,
        error: None,
        place: None,
        stamp: None,
        newest_run: buried.as_ref().map_or(Timestamp::from_millis(i64::MIN), |buried| buried.newest_run),
    };
    if buried.is_some() {
        model.buried_names.remove(&id);
        model.triggers.restore(id.0, trigger);
    } else {
        model.triggers.push(trigger);
    }
    model.reindex(id);
    id
}

/// Deletes a trigger and leaves a tombstone, and a record of what had passed.
fn bury(model: &mut Model, id: TriggerId, ends: &[TriggerEnd], at: Timestamp) {
    let mut trigger = model.triggers.remove(id.0).expect("the job named it");
    model.afters.forget(id);
    if let Some(TriggerEnd { gap, .. }) = ends.iter().find(|end| end.id == id) {
        let through = &mut trigger.row.progress.fired_through;
        *through = (*through).max(Some(gap.last));
        model.record_gap(trigger.row.job, id, at, gap.clone());
    }
    if let Some(place) = trigger.place {
        model.window.remove(&(place, id));
    }
    let key = model.job(trigger.row.job).row.definition.key.clone();
    let stone = Tombstone { name: trigger.name.clone(), id, fired_through: trigger.row.progress.fired_through };
    let buried = Buried { stone, version: trigger.row.version, newest_run: trigger.newest_run, at };
    model.tombstones.insert((key, trigger.name.clone()), buried);
    model.buried_names.insert(id, trigger.name);
    model.outbox.trigger(id, trigger.row.shard);
}

/// See [`crate::Store::update_job`].
pub(super) fn update(model: &mut Model, update: &JobUpdate) -> Result<JobRow> {
    let there = model.jobs.get(update.job.0).filter(|job| !job.deleted);
    let job = there.ok_or_else(|| Error::NotFound { what: "job", key: update.job.to_string() })?;
    let key = job.row.definition.key.clone();
    check(Expect::Change(update.expected_change), Some(job.row.change), "job", || key.to_string())?;
    for trigger in &update.triggers {
        check_update(model, update.job, trigger)?;
    }
    let job = model.job_mut(update.job);
    job.row.change += 1;
    job.row.updated_at = update.at;
    if let Some(paused) = update.paused {
        job.row.paused = paused;
        model.events.thing(update.at, "job", key.to_string(), pause_word(paused));
    }
    for trigger in &update.triggers {
        apply_update(model, update, trigger, &key);
    }
    let concerned: Vec<TriggerId> = match update.paused {
        Some(_) => model.job(update.job).triggers.clone(),
        None => update.triggers.iter().map(|trigger| trigger.id).collect(),
    };
    let rests = model.job(update.job).row.paused;
    for id in concerned {
        let trigger = model.triggers.get_mut(id.0).expect("checked above");
        trigger.row.version += 1;
        trigger.row.paused = trigger.own_pause || rests;
        model.reindex(id);
        model.note_trigger(id);
    }
    Ok(model.job(update.job).row.clone())
}

fn check_update(model: &Model, job: JobId, update: &TriggerUpdate) -> Result<()> {
    let there = model.triggers.get(update.id.0).filter(|trigger| trigger.row.job == job);
    let trigger = there.ok_or_else(|| Error::NotFound { what: "trigger", key: update.id.to_string() })?;
    let next = trigger.row.progress.next_fire_at;
    if next != update.expected_next {
        let key = format!("{}/{}", model.job(job).row.definition.key, trigger.name);
        return Err(conflict("trigger", key, format!("fires next at {next:?}, not {:?}", update.expected_next)));
    }
    Ok(())
}

fn apply_update(model: &mut Model, update: &JobUpdate, write: &TriggerUpdate, key: &JobKey) {
    let trigger = model.triggers.get_mut(write.id.0).expect("checked above");
    if let Some(progress) = write.progress {
        let before = trigger.row.progress.fired_through.filter(|_| write.reanchor.is_none());
        trigger.row.progress = Progress { fired_through: before.max(progress.fired_through), ..progress };
    }
    trigger.own_pause = write.paused.unwrap_or(trigger.own_pause);
    let word = write.paused.map_or("updated", pause_word);
    model.events.thing(update.at, "trigger", format!("{key}/{}", trigger.name), word);
    for cut in write.reanchor.iter().flatten() {
        let before = model.gaps.len();
        model.gaps.retain(|gap| gap.seq != cut.seq || gap.trigger != write.id);
        model.job_mut(update.job).gap_count -= (before - model.gaps.len()) as u64;
    }
    let rests = write.reanchor.iter().flatten().filter_map(|cut| cut.rest.as_ref());
    for gap in rests.chain(&write.gap) {
        model.record_gap(update.job, write.id, update.at, gap.clone());
    }
}

const fn pause_word(paused: bool) -> &'static str {
    if paused { "paused" } else { "resumed" }
}

/// See [`crate::Store::set_trigger_error`].
pub(super) fn set_trigger_error(model: &mut Model, id: TriggerId, version: i64, reason: &str, at: Timestamp) -> bool {
    let is_it =
        |trigger: &&mut Trigger| trigger.row.version == version && trigger.row.progress.status == TriggerStatus::Active;
    let Some(trigger) = model.triggers.get_mut(id.0).filter(is_it) else { return false };
    trigger.row.version += 1;
    let progress = &mut trigger.row.progress;
    (progress.status, progress.next_fire_at, progress.due_at) = (TriggerStatus::Error, None, None);
    trigger.error = Some(reason.to_owned());
    let (job, name, shard) = (trigger.row.job, trigger.name.clone(), trigger.row.shard);
    let key = format!("{}/{name}", model.job(job).row.definition.key);
    model.events.thing(at, "trigger", key, "error");
    model.reindex(id);
    model.outbox.trigger(id, shard);
    true
}

/// See [`crate::Store::delete_jobs`].
pub(super) fn delete_all(model: &mut Model, deletes: &[JobDelete], at: Timestamp) -> Result<()> {
    let mut keys = BTreeMap::new();
    for it in deletes {
        let missing = || Error::NotFound { what: "job", key: it.key.to_string() };
        let id = *model.job_keys.get(&it.key).ok_or_else(missing)?;
        check(it.expect, Some(model.job(id).row.change), "job", || it.key.to_string())?;
        check_ends(model, &it.key, &it.ends)?;
        if keys.insert(&it.key, (id, &it.ends)).is_some() {
            return Err(missing());
        }
    }
    keys.into_iter().for_each(|(key, (id, ends))| delete(model, key, id, ends, at));
    Ok(())
}

fn delete(model: &mut Model, key: &JobKey, id: JobId, ends: &[TriggerEnd], at: Timestamp) {
    for trigger in std::mem::take(&mut model.job_mut(id).triggers) {
        bury(model, trigger, ends, at);
    }
    let begun = model.live.iter().filter(|run| run.job == id && run.owner == NOBODY && run.state == RunState::Running);
    let mut begun: Vec<RunId> = begun.map(|run| run.id).collect();
    begun.sort_unstable();
    begun.into_iter().for_each(|run| model.end_one(run, "job deleted", at));
    let unstarted = model.live.iter().filter(|run| run.job == id && run.state != RunState::Running);
    let mut unstarted: Vec<RunId> = unstarted.map(|run| run.id).collect();
    unstarted.sort_unstable();
    for run in unstarted {
        model.cancel_unstarted(run, "job deleted", at);
    }
    model.job_keys.remove(key);
    model.routes.remove(&id);
    model.lanes.forget(id);
    let job = model.job_mut(id);
    job.deleted = true;
    job.data = None;
    job.drop_versions();
    model.forget_if_unused(id);
    model.events.flush(at);
    model.events.thing(at, "job", key.to_string(), "deleted");
}

/// See [`crate::Store::jobs`].
pub(super) fn jobs(model: &Model, query: &JobQuery) -> Vec<JobRow> {
    let after = query.after.as_ref();
    let from = after.cloned().unwrap_or_else(|| JobKey::new(query.namespace.clone().unwrap_or_default(), ""));
    let rows = model.job_keys.range(from..).filter(|(key, _)| after.is_none_or(|after| *key > after));
    let rows = rows.map(|(_, id)| &model.job(*id).row).filter(|row| matches(query, row));
    rows.take(query.limit as usize).cloned().collect()
}

fn matches(query: &JobQuery, row: &JobRow) -> bool {
    let key = &row.definition.key;
    let contains = |text: &String| key.name.to_lowercase().contains(&text.to_lowercase());
    query.namespace.as_ref().is_none_or(|namespace| key.namespace == *namespace)
        && query.name_contains.as_ref().is_none_or(contains)
        && query.label.as_ref().is_none_or(|(name, value)| row.definition.labels.get(name) == Some(value))
        && query.paused.is_none_or(|paused| row.paused == paused)
}

/// See [`crate::Store::triggers`].
pub(super) fn triggers(model: &Model, query: &TriggerQuery) -> Vec<TriggerInfo> {
    let after = query.after.as_ref();
    let from =
        after.map_or_else(|| JobKey::new(query.namespace.clone().unwrap_or_default(), ""), |(key, _)| key.clone());
    let mut found = Vec::new();
    for (key, id) in model.job_keys.range(from..) {
        let wanted = query.namespace.as_ref().is_none_or(|namespace| key.namespace == *namespace)
            && query.job.as_ref().is_none_or(|name| key.name == *name);
        if !wanted {
            continue;
        }
        let job = model.job(*id);
        let mut triggers = named_triggers(model, job);
        triggers.retain(|trigger| after.is_none_or(|(last, name)| (key, &trigger.name) > (last, name)));
        triggers.sort_by(|a, b| a.name.cmp(&b.name));
        found.extend(triggers.into_iter().map(|trigger| TriggerInfo { job: job.row.clone(), trigger }));
        if found.len() >= query.limit as usize {
            break;
        }
    }
    found.truncate(query.limit as usize);
    found
}

fn conflict(what: &'static str, key: String, why: String) -> Error {
    Error::Conflict { what, key, why }
}

impl Trigger {
    fn named(&self) -> NamedTrigger {
        let error = self.error.clone().filter(|_| self.row.progress.status == TriggerStatus::Error);
        NamedTrigger { name: self.name.clone(), own_pause: self.own_pause, error, row: self.row.clone() }
    }
}
