//! Namespaces and calendars.

use mainspring_core::{Timestamp, TriggerId};

use super::Batches;
use super::db::{Db, Lock, Row, Step, ToSql, execute, instant, read, read_one, sql};
use super::save::conflict;
use super::session::Session;
use crate::error::{Error, Result};
use crate::row::{CalendarRow, Expect, NamespaceRow};

/// Compares what a request expects with the `change` that is there.
pub(crate) fn check(
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
    Err(conflict(what, key(), why))
}

/// See [`crate::Store::create_namespace`].
pub(crate) fn create_namespace(session: &Session<impl Batches>, name: &str, at: Timestamp) -> Step<NamespaceRow> {
    ensure_namespace(session, name, at)?;
    let missing = || Error::NotFound { what: "namespace", key: name.to_owned() };
    Ok(namespace(&session.connection, name)?.ok_or_else(missing)?)
}

/// Makes a namespace, unless it is there. Does not count its jobs.
pub(crate) fn ensure_namespace(session: &Session<impl Batches>, name: &str, at: Timestamp) -> Step<()> {
    session.connection.lock(sql!("lock_namespace"), Lock::Share, &[(":name", &name)])?;
    let values: [(&str, &dyn ToSql); 2] = [(":name", &name), (":at", &at.as_millis())];
    if execute(&session.connection, sql!("create_namespace"), &values)? > 0 {
        session.event(at, "namespace", name, "created")?;
    }
    Ok(())
}

fn namespace(db: &dyn Db, name: &str) -> Step<Option<NamespaceRow>> {
    Ok(read_one(db, sql!("namespace"), &[(":name", &name)], namespace_row)?)
}

fn namespace_row(row: &Row<'_>) -> Step<NamespaceRow> {
    Ok(NamespaceRow { name: row.get(0)?, created_at: instant(row, 1)?, job_count: row.get::<i64>(2)?.unsigned_abs() })
}

/// See [`crate::Store::namespaces`].
pub(crate) fn namespaces(db: &dyn Db, after: &str, limit: u32) -> Step<Vec<NamespaceRow>> {
    Ok(read(db, sql!("namespaces"), &[(":after", &after), (":limit", &limit)], namespace_row)?)
}

/// See [`crate::Store::delete_namespace`].
pub(crate) fn delete_namespace(session: &Session<impl Batches>, name: &str) -> Step<()> {
    let db = &session.connection;
    let missing = || Error::NotFound { what: "namespace", key: name.to_owned() };
    db.lock(sql!("lock_namespace"), Lock::Write, &[(":name", &name)])?;
    let jobs = namespace(db, name)?.ok_or_else(missing)?.job_count;
    let count = read_one(db, sql!("calendar_count"), &[(":namespace", &name)], |row| row.get::<i64>(0))?;
    let calendars = count.unwrap_or(0);
    if jobs > 0 || calendars > 0 {
        let why = format!("still has {jobs} jobs and {calendars} calendars");
        return Err(conflict("namespace", name.to_owned(), why).into());
    }
    execute(db, sql!("delete_namespace"), &[(":name", &name)])?;
    session.event(newest(db)?, "namespace", name, "deleted")
}

/// The instant of the newest event: requests without a time of their own are recorded under it.
fn newest(db: &dyn Db) -> Step<Timestamp> {
    let found = read_one(db, sql!("newest_event_at"), &[], |row| instant(row, 0))?;
    Ok(found.unwrap_or(Timestamp::UNIX_EPOCH))
}

/// See [`crate::Store::calendar`].
pub(crate) fn calendar(db: &dyn Db, namespace: &str, name: &str) -> Step<Option<CalendarRow>> {
    let values: [(&str, &dyn ToSql); 2] = [(":namespace", &namespace), (":name", &name)];
    Ok(read_one(db, sql!("calendar"), &values, calendar_row)?)
}

fn calendar_row(row: &Row<'_>) -> Step<CalendarRow> {
    Ok(CalendarRow {
        namespace: row.get(0)?,
        name: row.get(1)?,
        change: row.get(2)?,
        definition: row.get(3)?,
        updated_at: instant(row, 4)?,
    })
}

/// See [`crate::Store::calendars`].
pub(crate) fn calendars(db: &dyn Db, namespace: &str, after: &str, limit: u32) -> Step<Vec<CalendarRow>> {
    let values: [(&str, &dyn ToSql); 3] = [(":namespace", &namespace), (":after", &after), (":limit", &limit)];
    Ok(read(db, sql!("calendars"), &values, calendar_row)?)
}

/// See [`crate::Store::save_calendar`].
pub(crate) fn save_calendar(
    session: &mut Session<impl Batches>,
    row: CalendarRow,
    expect: Expect,
) -> Step<CalendarRow> {
    let shown = || format!("{}/{}", row.namespace, row.name);
    lock_calendar(&session.connection, &row.namespace, &row.name)?;
    let before = calendar(&session.connection, &row.namespace, &row.name)?;
    check(expect, before.as_ref().map(|row| row.change), "calendar", shown)?;
    if let Some(before) = before.as_ref().filter(|before| before.definition == row.definition) {
        return Ok(before.clone());
    }
    let change = before.map_or(1, |before| before.change + 1);
    ensure_namespace(session, &row.namespace, row.updated_at)?;
    for trigger in users(&session.connection, &row.namespace, &row.name)? {
        execute(&session.connection, sql!("calendar_touch"), &[(":trigger", &trigger.0)])?;
        session.note_trigger(trigger)?;
    }
    session.event(row.updated_at, "calendar", &shown(), if change == 1 { "created" } else { "updated" })?;
    let values: [(&str, &dyn ToSql); 5] = [
        (":namespace", &row.namespace),
        (":name", &row.name),
        (":change", &change),
        (":definition", &row.definition),
        (":at", &row.updated_at.as_millis()),
    ];
    execute(&session.connection, sql!("save_calendar"), &values)?;
    Ok(CalendarRow { change, ..row })
}

/// See [`crate::Store::delete_calendar`].
pub(crate) fn delete_calendar(
    session: &Session<impl Batches>,
    namespace: &str,
    name: &str,
    expect: Expect,
) -> Step<()> {
    let db = &session.connection;
    let key = || format!("{namespace}/{name}");
    let missing = || Error::NotFound { what: "calendar", key: key() };
    lock_calendar(db, namespace, name)?;
    let row = calendar(db, namespace, name)?.ok_or_else(missing)?;
    check(expect, Some(row.change), "calendar", key)?;
    let users = users(db, namespace, name)?.len();
    if users > 0 {
        return Err(conflict("calendar", key(), format!("is used by {users} triggers")).into());
    }
    execute(db, sql!("delete_calendar"), &[(":namespace", &namespace), (":name", &name)])?;
    session.event(newest(db)?, "calendar", &key(), "deleted")
}

fn lock_calendar(db: &dyn Db, namespace: &str, name: &str) -> Step<()> {
    db.lock(sql!("lock_calendar"), Lock::Write, &[(":namespace", &namespace), (":name", &name)])
}

fn users(db: &dyn Db, namespace: &str, name: &str) -> Step<Vec<TriggerId>> {
    let values: [(&str, &dyn ToSql); 2] = [(":name", &name), (":namespace", &namespace)];
    Ok(read(db, sql!("calendar_users"), &values, |row| row.get(0).map(TriggerId))?)
}
