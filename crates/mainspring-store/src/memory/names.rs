//! Namespaces and calendars.

use mainspring_core::job::JobKey;
use mainspring_core::{Timestamp, TriggerId};

use super::model::{Model, Trigger};
use crate::error::{Error, Result};
use crate::row::{CalendarRow, CalendarWrite, Expect, NamespaceRow};

/// Makes a namespace, unless it is there.
pub(super) fn ensure_namespace(model: &mut Model, name: &str, at: Timestamp) {
    if !model.namespaces.contains_key(name) {
        model.namespaces.insert(name.to_owned(), at);
        model.events.thing(at, "namespace", name.to_owned(), "created");
    }
}

/// See [`crate::Store::create_namespace`].
pub(super) fn create_namespace(model: &mut Model, name: &str, at: Timestamp) -> NamespaceRow {
    ensure_namespace(model, name, at);
    namespace(model, name, model.namespaces[name])
}

/// See [`crate::Store::namespaces`].
pub(super) fn namespaces(model: &Model, after: Option<&str>, limit: u32) -> Vec<NamespaceRow> {
    let later = model.namespaces.iter().filter(|(name, _)| after.is_none_or(|after| name.as_str() > after));
    later.take(limit as usize).map(|(name, created_at)| namespace(model, name, *created_at)).collect()
}

fn namespace(model: &Model, name: &str, created_at: Timestamp) -> NamespaceRow {
    let jobs = model.job_keys.range(JobKey::new(name, "")..).take_while(|(key, _)| key.namespace == name);
    let job_count = jobs.count() as u64;
    NamespaceRow { name: name.to_owned(), created_at, job_count }
}

/// See [`crate::Store::delete_namespace`].
pub(super) fn delete_namespace(model: &mut Model, name: &str) -> Result<()> {
    let missing = || Error::NotFound { what: "namespace", key: name.to_owned() };
    let created_at = *model.namespaces.get(name).ok_or_else(missing)?;
    let jobs = namespace(model, name, created_at).job_count;
    let calendars = calendars(model, name, None, u32::MAX).len();
    if jobs > 0 || calendars > 0 {
        let why = format!("still has {jobs} jobs and {calendars} calendars");
        return Err(Error::Conflict { what: "namespace", key: name.to_owned(), why });
    }
    model.namespaces.remove(name);
    model.events.thing(model.events.newest_at(), "namespace", name.to_owned(), "deleted");
    Ok(())
}

pub(super) fn calendar(model: &Model, namespace: &str, name: &str) -> Option<CalendarRow> {
    model.calendars.get(&(namespace.to_owned(), name.to_owned())).cloned()
}

/// See [`crate::Store::calendars`].
pub(super) fn calendars(model: &Model, namespace: &str, after: Option<&str>, limit: u32) -> Vec<CalendarRow> {
    let rows = model.calendars.range((namespace.to_owned(), String::new())..).map(|(_, row)| row);
    let rows = rows.take_while(|row| row.namespace == namespace);
    let rows = rows.filter(|row| after.is_none_or(|after| row.name.as_str() > after));
    rows.take(limit as usize).cloned().collect()
}

/// See [`crate::Store::save_calendar`].
pub(super) fn save_calendar(model: &mut Model, write: &CalendarWrite) -> Result<CalendarRow> {
    let key = (write.namespace.clone(), write.name.clone());
    let before = model.calendars.get(&key);
    let shown = || format!("{}/{}", write.namespace, write.name);
    check(write.expect, before.map(|row| row.change), "calendar", shown)?;
    if let Some(before) = before.filter(|before| before.definition == write.definition) {
        return Ok(before.clone());
    }
    let row = write.row(before.map_or(1, |before| before.change + 1));
    ensure_namespace(model, &row.namespace, row.updated_at);
    let mut affected: Vec<TriggerId> = write.affected().flat_map(|name| users(model, &write.namespace, name)).collect();
    affected.sort_unstable();
    for trigger in affected {
        rederive(model, trigger, write);
    }
    let word = if row.change == 1 { "created" } else { "updated" };
    model.events.thing(row.updated_at, "calendar", shown(), word);
    model.calendars.insert(key, row.clone());
    Ok(row)
}

/// Sets where a trigger stands that a calendar affects, and gives it a new version.
fn rederive(model: &mut Model, id: TriggerId, write: &CalendarWrite) {
    let trigger = model.triggers.get(id.0).expect("found by the caller");
    let rederived = (write.rederive)(&model.job(trigger.row.job).row.definition, &trigger.row);
    let row = &mut model.triggers.get_mut(id.0).expect("read above").row;
    row.version += 1;
    let job = row.job;
    if let Some((progress, passed)) = rederived {
        row.progress = progress;
        model.reindex(id);
        passed.into_iter().for_each(|passed| model.record_gap(job, id, write.at, passed));
    }
    model.note_trigger(id);
}

/// See [`crate::Store::delete_calendar`].
pub(super) fn delete_calendar(model: &mut Model, namespace: &str, name: &str, expect: Expect) -> Result<()> {
    let key = || format!("{namespace}/{name}");
    let Some(row) = calendar(model, namespace, name) else {
        return Err(Error::NotFound { what: "calendar", key: key() });
    };
    check(expect, Some(row.change), "calendar", key)?;
    let users = users(model, namespace, name).len();
    if users > 0 {
        let why = format!("is used by {users} triggers");
        return Err(Error::Conflict { what: "calendar", key: key(), why });
    }
    model.calendars.remove(&(row.namespace, row.name));
    model.events.thing(model.events.newest_at(), "calendar", key(), "deleted");
    Ok(())
}

/// Triggers that a calendar applies to, in order of ids.
fn users(model: &Model, namespace: &str, name: &str) -> Vec<TriggerId> {
    let uses = |trigger: &&Trigger| {
        let job = &model.job(trigger.row.job).row.definition;
        let definition = job.triggers.get(trigger.row.index as usize);
        job.key.namespace == namespace && definition.is_some_and(|d| d.calendar.as_deref() == Some(name))
    };
    model.triggers.iter().filter(uses).map(|trigger| trigger.row.id).collect()
}

/// Compares what a request expects with the `change` that is there.
pub(super) fn check(
    expect: Expect,
    there: Option<i64>,
    what: &'static str,
    key: impl FnOnce() -> String,
) -> Result<()> {
    let why = match (expect, there) {
        (Expect::Anything, _) | (Expect::Absent, None) => return Ok(()),
        (Expect::Change(expected), Some(there)) if expected == there => return Ok(()),
        (Expect::Absent, Some(_)) => "exists".to_owned(),
        (Expect::Change(_), None) => "is gone".to_owned(),
        (Expect::Change(expected), Some(there)) => format!("is at change {there}, not {expected}"),
    };
    Err(Error::Conflict { what, key: key(), why })
}
