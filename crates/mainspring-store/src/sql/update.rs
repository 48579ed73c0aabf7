//! Pausing, resuming and re-arming jobs.

use mainspring_core::batch::Progress;
use mainspring_core::job::JobKey;
use mainspring_core::{Timestamp, TriggerId};

use super::Batches;
use super::db::{Lock, Row, Step, ToSql, execute, read_one, sql};
use super::fire::write_progress;
use super::names::check;
use super::save::{conflict, place};
use super::session::Session;
use super::trigger::{self, Kept};
use super::{gap, job};
use crate::error::Error;
use crate::row::{Expect, JobRow, JobUpdate, TriggerUpdate};

/// See [`crate::Store::update_job`].
pub(crate) fn update(session: &mut Session<impl Batches>, update: &JobUpdate) -> Step<JobRow> {
    let missing = || Error::NotFound { what: "job", key: update.job.to_string() };
    session.connection.lock(sql!("lock_job"), Lock::Write, &[(":id", &update.job.0)])?;
    trigger::lock(&session.connection, update.job)?;
    let before = job::by_id(&session.connection, update.job)?.ok_or_else(missing)?;
    let key = before.definition.key.clone();
    check(Expect::Change(update.expected_change), Some(before.change), "job", || key.to_string())?;
    let mut triggers = trigger::of_job(&session.connection, update.job)?;
    for write in &update.triggers {
        check_trigger(&triggers, &key, write)?;
    }
    let after = write_job(session, &before, update)?;
    for write in &update.triggers {
        apply(session, &mut triggers, update, write, &key)?;
    }
    let all = update.paused.is_some();
    let named = |kept: &&Kept| update.triggers.iter().any(|write| write.id == kept.named.row.id);
    for kept in triggers.iter().filter(|kept| all || named(kept)) {
        let paused = kept.named.own_pause || after.paused;
        let id = kept.named.row.id;
        execute(&session.connection, sql!("update_trigger_version"), &[(":paused", &paused), (":id", &id.0)])?;
    }
    note(session, update, &triggers)?;
    Ok(after)
}

/// Notes what has changed: in the order of the definition if all has, and of the update otherwise.
fn note(session: &mut Session<impl Batches>, update: &JobUpdate, triggers: &[Kept]) -> Step<()> {
    let ids: Vec<TriggerId> = match update.paused {
        Some(_) => triggers.iter().map(|kept| kept.named.row.id).collect(),
        None => update.triggers.iter().map(|write| write.id).collect(),
    };
    ids.into_iter().try_for_each(|id| session.note_trigger(id))
}

fn check_trigger(triggers: &[Kept], key: &JobKey, write: &TriggerUpdate) -> Step<()> {
    let there = triggers.iter().find(|kept| kept.named.row.id == write.id);
    let kept = there.ok_or_else(|| Error::NotFound { what: "trigger", key: write.id.to_string() })?;
    let next = kept.named.row.progress.next_fire_at;
    if next != write.expected_next {
        let why = format!("fires next at {next:?}, not {:?}", write.expected_next);
        return Err(conflict("trigger", format!("{key}/{}", kept.named.name), why).into());
    }
    Ok(())
}

fn write_job(session: &Session<impl Batches>, before: &JobRow, update: &JobUpdate) -> Step<JobRow> {
    let after = JobRow {
        change: before.change + 1,
        paused: update.paused.unwrap_or(before.paused),
        updated_at: update.at,
        ..before.clone()
    };
    let values: [(&str, &dyn ToSql); 4] = [
        (":paused", &after.paused),
        (":at", &update.at.as_millis()),
        (":id", &update.job.0),
        (":change", &before.change),
    ];
    execute(&session.connection, sql!("update_job"), &values)?;
    if let Some(paused) = update.paused {
        session.event(update.at, "job", &before.definition.key.to_string(), pause_word(paused))?;
    }
    Ok(after)
}

fn apply(
    session: &Session<impl Batches>,
    triggers: &mut [Kept],
    update: &JobUpdate,
    write: &TriggerUpdate,
    key: &JobKey,
) -> Step<()> {
    let db = &session.connection;
    let there = triggers.iter_mut().find(|kept| kept.named.row.id == write.id);
    let kept = there.expect("check_trigger has found it");
    if let Some(progress) = write.progress {
        let before = kept.named.row.progress.fired_through.filter(|_| write.reanchor.is_none());
        let fired_through = before.max(progress.fired_through);
        let progress = Progress { fired_through, ..progress };
        write_progress(db, write.id.0, &progress, place(&progress, kept.named.row.paused), None)?;
        kept.named.row.progress = progress;
    }
    if let Some(paused) = write.paused {
        execute(db, sql!("update_trigger_pause"), &[(":paused", &paused), (":id", &write.id.0)])?;
        kept.named.own_pause = paused;
    }
    let word = write.paused.map_or("updated", pause_word);
    session.event(update.at, "trigger", &format!("{key}/{}", kept.named.name), word)?;
    for cut in write.reanchor.iter().flatten() {
        execute(db, sql!("gap_remove"), &[(":seq", &cut.seq), (":trigger", &write.id.0)])?;
    }
    let rests = write.reanchor.iter().flatten().filter_map(|cut| cut.rest.as_ref());
    rests.chain(&write.gap).try_for_each(|gap| gap::add(db, update.job, write.id, update.at, gap))
}

const fn pause_word(paused: bool) -> &'static str {
    if paused { "paused" } else { "resumed" }
}

/// See [`crate::Store::set_trigger_error`].
pub(crate) fn set_trigger_error(
    session: &mut Session<impl Batches>,
    id: TriggerId,
    version: i64,
    reason: &str,
    at: Timestamp,
) -> Step<bool> {
    let db = &session.connection;
    let this: (&str, &dyn ToSql) = (":id", &id.0);
    if execute(db, sql!("set_trigger_error"), &[this, (":version", &version)])? == 0 {
        return Ok(false);
    }
    execute(db, sql!("set_trigger_error_reason"), &[(":reason", &reason), this])?;
    let key = |row: &Row<'_>| Ok(format!("{}/{}/{}", row.get::<&str>(0)?, row.get::<&str>(1)?, row.get::<&str>(2)?));
    let key = read_one(db, sql!("trigger_key"), &[this], key)?.unwrap_or_else(|| id.to_string());
    session.event(at, "trigger", &key, "error")?;
    session.note_trigger(id)?;
    Ok(true)
}
