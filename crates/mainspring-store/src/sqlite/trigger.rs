//! Reading triggers and definitions.

use std::sync::Arc;

use mainspring_core::batch::{Progress, TriggerRow, TriggerStatus};
use mainspring_core::job::{Job, JobKey};
use mainspring_core::{JobId, JobVersion, Timestamp, TriggerId};
use rusqlite::types::Type;
use rusqlite::{Connection, Row, ToSql};

use super::sql::{Step, instant, maybe_instant, maybe_run_id, read, read_one, sql, unreadable, word};
use crate::error::Error;
use crate::row::NamedTrigger;

/// A position in the due index.
pub(super) type Place = (Timestamp, TriggerId);

/// See [`crate::Store::window`].
pub(super) fn window(
    db: &Connection,
    until: Timestamp,
    after: Option<Place>,
    limit: u32,
) -> Step<(Vec<TriggerRow>, Option<Place>)> {
    let (after_at, after_id) = after.map_or((i64::MIN, i64::MIN), |(at, id)| (at.as_millis(), id.0));
    let values: [(&str, &dyn ToSql); 4] =
        [(":until", &until.as_millis()), (":after_at", &after_at), (":after_id", &after_id), (":limit", &limit)];
    let rows = read(db, sql!("common/window"), &values, |row| Ok((trigger_row(row)?, instant(row, 15)?)))?;
    let full = rows.len() == limit as usize;
    let last = rows.last().filter(|_| full).map(|(row, place)| (*place, row.id));
    Ok((rows.into_iter().map(|(row, _)| row).collect(), last))
}

/// See [`crate::Store::trigger_rows`].
pub(super) fn rows(db: &Connection, ids: &[TriggerId]) -> Step<Vec<TriggerRow>> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(read_one(db, sql!("common/trigger_row"), &[(":id", &id.0)], trigger_row)?);
    }
    Ok(found)
}

/// See [`crate::Store::stranded`].
pub(super) fn stranded(db: &Connection) -> Step<Vec<TriggerRow>> {
    Ok(read(db, sql!("common/stranded"), &[], trigger_row)?)
}

/// See [`crate::Store::definition`].
pub(super) fn definition(db: &Connection, job: JobId, version: JobVersion) -> Step<Arc<Job>> {
    let values: [(&str, &dyn ToSql); 2] = [(":job", &job.0), (":version", &version.0)];
    let found = read_one(db, sql!("common/definition"), &values, |row| job_at(row, 0))?;
    let missing = || Error::NotFound { what: "definition", key: format!("{job} version {version}") };
    Ok(found.ok_or_else(missing)?)
}

/// Reads a definition.
pub(super) fn job_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Arc<Job>> {
    let text = row.get_ref(column)?.as_str()?;
    let job = serde_json::from_str(text).map_err(|error| {
        let why = format!("the definition of a job, at column {}", error.column());
        unreadable(column, Type::Text, why)
    })?;
    Ok(Arc::new(job))
}

/// The first fifteen columns of the statements about triggers.
pub(super) fn trigger_row(row: &Row<'_>) -> rusqlite::Result<TriggerRow> {
    Ok(TriggerRow {
        id: TriggerId(row.get(0)?),
        job: JobId(row.get(1)?),
        job_version: JobVersion(row.get(2)?),
        index: row.get(3)?,
        version: row.get(4)?,
        paused: row.get(5)?,
        progress: Progress {
            next_fire_at: maybe_instant(row, 6)?,
            due_at: maybe_instant(row, 7)?,
            previous_fire_at: maybe_instant(row, 8)?,
            start_at: instant(row, 9)?,
            repeat_count: row.get(10)?,
            times_triggered: row.get(11)?,
            fired_through: maybe_instant(row, 12)?,
            status: word(row, 13, TriggerStatus::from_word)?,
            awaiting_run: maybe_run_id(row, 14)?,
        },
    })
}

/// A trigger with what only requests look at.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) named: NamedTrigger,
    pub(super) jitter_ms: i64,
}

pub(super) fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    let named = NamedTrigger { name: row.get(16)?, own_pause: row.get(17)?, row: trigger_row(row)? };
    Ok(Kept { named, jitter_ms: row.get(18)? })
}

/// The triggers of a job, in the order of its definition.
pub(super) fn of_job(db: &Connection, job: JobId) -> Step<Vec<Kept>> {
    Ok(read(db, sql!("common/triggers_of_job"), &[(":job", &job.0)], kept)?)
}

/// What a trigger that was deleted left behind.
#[derive(Clone, Debug)]
pub(super) struct Buried {
    pub(super) stone: crate::row::Tombstone,
    pub(super) version: i64,
}

/// Tombstones of triggers of a job, by name.
pub(super) fn tombstones(db: &Connection, key: &JobKey) -> Step<Vec<Buried>> {
    let values: [(&str, &dyn ToSql); 2] = [(":namespace", &key.namespace), (":job", &key.name)];
    let rows = read(db, sql!("common/tombstones_of_job"), &values, |row| {
        let stone = crate::row::Tombstone {
            name: row.get(0)?,
            id: TriggerId(row.get(1)?),
            fired_through: maybe_instant(row, 2)?,
        };
        Ok(Buried { stone, version: row.get(3)? })
    })?;
    Ok(rows)
}
