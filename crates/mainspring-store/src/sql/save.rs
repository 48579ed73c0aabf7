//! Saving jobs with their triggers.

pub(crate) mod many;

use std::collections::BTreeSet;

use mainspring_core::batch::{Progress, TriggerRow, TriggerStatus};
use mainspring_core::job::{JobKey, TriggerDefinition};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId, jitter_of, shard_of};

use super::Batches;
use super::db::{Db, Lock, Step, ToSql, execute, exists, millis, release, sql};
use super::gate::{self, Gates};
use super::names::{self, check};
use super::session::Session;
use super::trigger::{self, Buried, Kept};
use super::{after, deadline, document, gap, job};
use crate::error::Error;
use crate::row::{JobRow, JobWrite, Saved, SavedBy, TriggerEnd, TriggerWrite};

/// See [`crate::Store::save_jobs`].
pub(crate) fn save(session: &mut Session<impl Batches>, writes: &[JobWrite]) -> Step<Vec<Saved>> {
    let mut keys = BTreeSet::new();
    if let Some(twice) = writes.iter().find(|write| !keys.insert(&write.definition.key)) {
        return Err(conflict("job", twice.definition.key.to_string(), "is written twice".into()).into());
    }
    save_with(session, &keys, writes)
}

fn save_with<C: Batches>(session: &mut Session<C>, keys: &BTreeSet<&JobKey>, writes: &[JobWrite]) -> Step<Vec<Saved>> {
    let many = C::LISTS && writes.len() > 1;
    let db = &session.connection;
    // Locks what the writes compare with: jobs, calendars and triggers, each in their order.
    if many {
        many::lock_jobs(db, keys)?
    } else {
        keys.iter().try_for_each(|key| job::lock_key(db, key))?
    }
    let calendars = lock_calendars(db, writes)?;
    let priors = if many {
        many::priors(db, keys, writes)?
    } else {
        writes.iter().map(|write| Prior::read(db, &write.definition.key)).collect::<Step<_>>()?
    };
    for (write, prior) in writes.iter().zip(&priors) {
        prior.check(&calendars, write)?;
    }
    // No write touches what another one has found: their keys differ, and ids of deleted triggers stay with theirs.
    let made = if many { many::create(session, writes, &priors)? } else { vec![None; writes.len()] };
    let each = writes.iter().zip(&priors).zip(made);
    let saved = each.map(|((write, prior), made)| made.map_or_else(|| apply(session, write, prior), Ok));
    // After a statement that failed PostgreSQL takes no other: its error must be the one that is told.
    let saved = saved.collect::<Step<Vec<_>>>()?;
    writes.iter().try_for_each(|write| document::change(session, &write.documents))?;
    Ok(saved)
}

/// Locks the calendars that the writes name. Answers those that are there.
fn lock_calendars<'w>(db: &dyn Db, writes: &'w [JobWrite]) -> Step<BTreeSet<(&'w str, &'w str)>> {
    let mut calendars: BTreeSet<(&str, &str)> = BTreeSet::new();
    for definition in writes.iter().map(|write| &write.definition) {
        let names = definition.triggers.iter().filter_map(|trigger| trigger.calendar.as_deref());
        calendars.extend(names.map(|name| (definition.key.namespace.as_str(), name)));
    }
    let mut there = BTreeSet::new();
    for (namespace, name) in calendars {
        let values: [(&str, &dyn ToSql); 2] = [(":namespace", &namespace), (":name", &name)];
        db.lock(sql!("lock_calendar"), Lock::Share, &values)?;
        if exists(db, sql!("calendar"), &values)? {
            there.insert((namespace, name));
        }
    }
    Ok(there)
}

/// What a write finds.
#[derive(Clone, Default)]
pub(crate) struct Prior {
    pub(crate) job: Option<JobRow>,
    pub(crate) triggers: Vec<Kept>,
    pub(crate) buried: Vec<Buried>,
}

impl Prior {
    fn read(db: &dyn Db, key: &JobKey) -> Step<Self> {
        let job = job::by_key(db, key)?;
        let triggers = match &job {
            Some(job) => {
                trigger::lock(db, job.id)?;
                trigger::of_job(db, job.id)?
            }
            None => Vec::new(),
        };
        Ok(Self { job, triggers, buried: trigger::tombstones(db, key)? })
    }

    fn check(&self, calendars: &BTreeSet<(&str, &str)>, write: &JobWrite) -> Step<()> {
        let key = &write.definition.key;
        check(write.expect, self.job.as_ref().map(|job| job.change), "job", || key.to_string())?;
        for trigger in &write.triggers {
            let there = self.fired_through(&trigger.name);
            if there != trigger.expected_fired_through {
                let why = format!("has fired through {there:?}, not {:?}", trigger.expected_fired_through);
                return Err(conflict("trigger", format!("{key}/{}", trigger.name), why).into());
            }
        }
        for trigger in &write.triggers {
            let awaited = trigger.progress.awaiting_run;
            let kept = self.trigger(&trigger.name).map(|kept| kept.named.row.progress.awaiting_run);
            if awaited.is_some() && kept.is_some_and(|kept| kept != awaited) {
                // Its run has ended meanwhile: written back, it would be awaited for ever.
                return Err(conflict("trigger", format!("{key}/{}", trigger.name), "awaits another run".into()).into());
            }
        }
        check_ends(&self.triggers, key, &write.ends)?;
        for name in write.definition.triggers.iter().filter_map(|trigger| trigger.calendar.as_ref()) {
            if !calendars.contains(&(key.namespace.as_str(), name.as_str())) {
                let key = format!("{}/{name}", key.namespace);
                return Err(Error::NotFound { what: "calendar", key }.into());
            }
        }
        Ok(())
    }

    fn trigger(&self, name: &str) -> Option<&Kept> {
        self.triggers.iter().find(|kept| kept.named.name == name)
    }

    /// What a trigger said before.
    fn definition(&self, name: &str) -> Option<&TriggerDefinition> {
        let index = self.trigger(name)?.named.row.index;
        self.job.as_ref()?.definition.triggers.get(index as usize)
    }

    fn stone(&self, name: &str) -> Option<&Buried> {
        self.buried.iter().find(|buried| buried.stone.name == name)
    }

    /// What fired last under a trigger's key: of the trigger, or of its tombstone.
    fn fired_through(&self, name: &str) -> Option<Timestamp> {
        match self.trigger(name) {
            Some(kept) => kept.named.row.progress.fired_through,
            None => self.stone(name)?.stone.fired_through,
        }
    }

    /// Whether a write would change nothing.
    fn is_same(&self, job: &JobRow, write: &JobWrite) -> bool {
        let same_trigger = |(kept, write): (&Kept, &TriggerWrite)| {
            let there = kept.named.row.progress;
            kept.named.name == write.name
                && kept.named.own_pause == write.paused
                && kept.jitter_ms == write.jitter_ms
                && there == settled(kept.named.row.id, write, there.fired_through)
        };
        job.definition == write.definition
            && job.paused == write.paused
            && self.triggers.len() == write.triggers.len()
            && self.triggers.iter().zip(&write.triggers).all(same_trigger)
    }
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

fn apply(session: &mut Session<impl Batches>, write: &JobWrite, prior: &Prior) -> Step<Saved> {
    let key = &write.definition.key;
    if let Some(job) = prior.job.as_ref().filter(|job| prior.is_same(job, write)) {
        return Ok(Saved { job: job.clone(), created: false });
    }
    names::ensure_namespace(session, &key.namespace, write.at)?;
    let created = prior.job.is_none();
    let job = match &prior.job {
        Some(before) => change(&session.connection, before, write)?,
        None => create(&session.connection, write)?,
    };
    let before = prior.job.as_ref().map(|job| &*job.definition);
    deadline::place(&session.connection, job.id, before, &job.definition)?;
    replace_triggers(session, prior, job.id, write)?;
    if settle_gate(session, &job, created)? > 0 {
        session.note_queued();
    }
    session.flush_runs(write.at)?;
    session.event(write.at, "job", &key.to_string(), if created { "created" } else { "updated" })?;
    Ok(Saved { job, created })
}

fn create(db: &dyn Db, write: &JobWrite) -> Step<JobRow> {
    let key = &write.definition.key;
    let values: [(&str, &dyn ToSql); 5] = [
        (":namespace", &key.namespace),
        (":name", &key.name),
        (":shard", &shard_of(&key.namespace, &key.name)),
        (":paused", &write.paused),
        (":at", &write.at.as_millis()),
    ];
    let id = db.insert(sql!("save_job_new"), &values)?;
    let job = JobRow {
        id: JobId(id),
        version: JobVersion(1),
        change: 1,
        definition: write.definition.clone(),
        paused: write.paused,
        created_at: write.at,
        updated_at: write.at,
    };
    write_version(db, &job, write.saved_by.as_ref())?;
    Ok(job)
}

fn change(db: &dyn Db, before: &JobRow, write: &JobWrite) -> Step<JobRow> {
    let edited = before.definition != write.definition;
    let job = JobRow {
        version: JobVersion(before.version.0 + i64::from(edited)),
        change: before.change + 1,
        definition: write.definition.clone(),
        paused: write.paused,
        updated_at: write.at,
        ..before.clone()
    };
    let values: [(&str, &dyn ToSql); 5] = [
        (":version", &job.version.0),
        (":paused", &job.paused),
        (":at", &job.updated_at.as_millis()),
        (":id", &job.id.0),
        (":change", &before.change),
    ];
    execute(db, sql!("save_job"), &values)?;
    if edited {
        write_version(db, &job, write.saved_by.as_ref())?;
    }
    Ok(job)
}

fn write_version(db: &dyn Db, job: &JobRow, saved_by: Option<&SavedBy>) -> Step<()> {
    let definition = &job.definition;
    let text = serde_json::to_string(&**definition).expect("a definition is plain data");
    let values: [(&str, &dyn ToSql); 7] = [
        (":job", &job.id.0),
        (":version", &job.version.0),
        (":definition", &text),
        (":queue", &definition.queue),
        (":at", &job.updated_at.as_millis()),
        (":by", &saved_by.map(|saved| &saved.by)),
        (":from", &saved_by.map(|saved| &saved.from)),
    ];
    execute(db, sql!("save_version"), &values)?;
    if job.version > JobVersion(1) {
        execute(db, sql!("save_labels_remove"), &[(":job", &job.id.0)])?;
    }
    for (name, value) in &definition.labels {
        let values: [(&str, &dyn ToSql); 3] = [(":job", &job.id.0), (":name", name), (":value", value)];
        execute(db, sql!("save_label"), &values)?;
    }
    Ok(())
}

/// Gives held runs the slots that a save opens. Returns how many are queued now.
fn settle_gate(session: &mut Session<impl Batches>, job: &JobRow, created: bool) -> Step<u32> {
    let Session { connection, runs, .. } = session;
    let Some(rule) = job.definition.gate() else {
        return if created { Ok(0) } else { gate::lift(connection, runs, job.id) };
    };
    let mut gates = if created { Gates::empty(job.id) } else { Gates::default() };
    let promoted = gates.promote(connection, runs, &[(job.id, rule)])?;
    gates.write(connection)?;
    Ok(promoted)
}

fn replace_triggers(session: &mut Session<impl Batches>, prior: &Prior, job: JobId, write: &JobWrite) -> Step<()> {
    let gone = |kept: &&Kept| !write.triggers.iter().any(|trigger| trigger.name == kept.named.name);
    let mut gone: Vec<&Kept> = prior.triggers.iter().filter(gone).collect();
    for (position, trigger) in (0_u32..).zip(&write.triggers) {
        place_trigger(&session.connection, prior, job, position, trigger, write)?;
    }
    gone.sort_unstable_by_key(|kept| kept.named.row.id);
    for trigger in gone {
        bury(session, trigger, &write.ends, write.at)?;
    }
    session.note_job(job)
}

fn place_trigger(
    db: &dyn Db,
    prior: &Prior,
    job: JobId,
    position: u32,
    write: &TriggerWrite,
    save: &JobWrite,
) -> Step<()> {
    let key = &save.definition.key;
    let there = prior.trigger(&write.name).map(|kept| (kept.named.row.id, kept.named.row.version));
    let stone = prior.stone(&write.name).map(|buried| (buried.stone.id, buried.version));
    let before = there.or(stone);
    if there.is_none() && stone.is_some() {
        let values: [(&str, &dyn ToSql); 3] =
            [(":namespace", &key.namespace), (":job", &key.name), (":name", &write.name)];
        execute(db, sql!("tombstone_remove"), &values)?;
    }
    let calendar = save.definition.triggers.get(position as usize).and_then(|trigger| trigger.calendar.as_ref());
    let columns: [(&str, &dyn ToSql); 6] = [
        (":job", &job.0),
        (":position", &position),
        (":name", &write.name),
        (":paused", &write.paused),
        (":jitter_ms", &write.jitter_ms),
        (":calendar", &calendar),
    ];
    let id = match before {
        None => TriggerId(db.insert(sql!("save_trigger_new"), &columns)?),
        Some((id, _)) => {
            let values: [(&str, &dyn ToSql); 1] = [(":id", &id.0)];
            execute(db, sql!("save_trigger", mysql), &[&values[..], &columns].concat())?;
            id
        }
    };
    write.gap.iter().try_for_each(|passed| gap::add(db, job, id, save.at, passed))?;
    let was = prior.definition(&write.name);
    after::place(db, id, was, &save.definition, position as usize)?;
    let progress = settled(id, write, prior.fired_through(&write.name));
    let paused = write.paused || save.paused;
    write_state(db, id, before.map_or(1, |(_, version)| version + 1), paused, &progress)
}

fn write_state(db: &dyn Db, id: TriggerId, version: i64, paused: bool, progress: &Progress) -> Step<()> {
    let scan_at = place(progress, paused);
    let values: [(&str, &dyn ToSql); 14] = [
        (":id", &id.0),
        (":version", &version),
        (":paused", &paused),
        (":status", &progress.status.as_str()),
        (":next", &millis(progress.next_fire_at)),
        (":due", &millis(progress.due_at)),
        (":scan", &millis(scan_at)),
        (":previous", &millis(progress.previous_fire_at)),
        (":start", &progress.start_at.as_millis()),
        (":repeat", &progress.repeat_count),
        (":times", &progress.times_triggered),
        (":through", &millis(progress.fired_through)),
        (":awaiting", &progress.awaiting_run.as_ref().map(RunId::as_bytes)),
        (":tzdata", &release(progress.tzdata)),
    ];
    execute(db, sql!("save_trigger_state", postgres, mysql), &values)?;
    Ok(())
}

/// The place in the due index of a trigger whose progress has been set from outside.
pub(crate) fn place(progress: &Progress, paused: bool) -> Option<Timestamp> {
    progress.due_at.filter(|_| progress.status == TriggerStatus::Active && !paused)
}

/// Whether triggers that are to end are there, and stand where whoever decided it has seen them.
pub(crate) fn check_ends(triggers: &[Kept], key: &JobKey, ends: &[TriggerEnd]) -> Step<()> {
    for end in ends {
        let there = triggers.iter().find(|kept| kept.named.row.id == end.id);
        let there = there.map(|kept| kept.named.row.progress.fired_through);
        if there != Some(end.expected_fired_through) {
            let why = format!("has fired through {there:?}, not {:?}", end.expected_fired_through);
            return Err(conflict("trigger", format!("{key}/{}", end.id), why).into());
        }
    }
    Ok(())
}

/// Deletes a trigger and leaves a tombstone, and a record of what had passed.
pub(crate) fn bury(
    session: &mut Session<impl Batches>,
    trigger: &Kept,
    ends: &[TriggerEnd],
    at: Timestamp,
) -> Step<()> {
    let id = trigger.named.row.id;
    let this: [(&str, &dyn ToSql); 1] = [(":trigger", &id.0)];
    session.note_trigger(id)?;
    let db = &session.connection;
    after::forget(db, id)?;
    leave_gap(db, trigger, ends, at)?;
    execute(db, sql!("tombstone_add", mysql), &[(":at", &at.as_millis()), (":trigger", &id.0)])?;
    execute(db, sql!("trigger_remove"), &this)?;
    execute(db, sql!("trigger_state_remove"), &this)?;
    Ok(())
}

/// Records what has passed of a trigger that is about to go, if something has.
pub(crate) fn leave_gap(db: &dyn Db, trigger: &Kept, ends: &[TriggerEnd], at: Timestamp) -> Step<()> {
    let TriggerRow { id, job, progress, .. } = &trigger.named.row;
    let Some(TriggerEnd { gap, .. }) = ends.iter().find(|end| end.id == *id) else { return Ok(()) };
    let through = progress.fired_through.max(Some(gap.last));
    execute(db, sql!("trigger_through"), &[(":through", &millis(through)), (":id", &id.0)])?;
    gap::add(db, *job, *id, at, gap)
}

pub(crate) fn conflict(what: &'static str, key: String, why: String) -> Error {
    Error::Conflict { what, key, why }
}
