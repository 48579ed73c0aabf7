//! Reading triggers and definitions.

use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_core::batch::{Progress, TriggerRow, TriggerStatus};
use mainspring_core::cluster::Shard;
use mainspring_core::job::{Job, JobKey};
use mainspring_core::{JobId, JobVersion, Timestamp, TriggerId, TzdataVersion};
use rustc_hash::FxHashMap;

use super::db::{
    Db, Fault, Lock, Row, Step, ToSql, instant, known, maybe_instant, maybe_run_id, on_servers, read, read_known,
    read_one, sql, word,
};
use super::{Batches, list};
use crate::error::Error;
use crate::row::{NamedTrigger, VersionedJob};

/// Definitions or triggers that are read in one statement.
const LISTED_MAX: usize = 1_000;

/// A position in the due index.
pub(crate) type Place = (Timestamp, TriggerId);

/// See [`crate::Store::window`].
pub(crate) fn window(
    db: &dyn Db,
    until: Timestamp,
    after: Option<Place>,
    limit: u32,
) -> Step<(Vec<TriggerRow>, Option<Place>)> {
    let (after_at, after_id) = after.map_or((i64::MIN, i64::MIN), |(at, id)| (at.as_millis(), id.0));
    let values: [(&str, &dyn ToSql); 4] =
        [(":until", &until.as_millis()), (":after_at", &after_at), (":after_id", &after_id), (":limit", &limit)];
    let rows = read(db, sql!("window"), &values, placed)?;
    Ok(page(rows, i64::from(limit)))
}

/// A trigger of the due index with its place there; the place alone if the trigger cannot be read.
pub(crate) fn placed(row: &Row<'_>) -> Step<(Option<TriggerRow>, Place)> {
    Ok((known(trigger_row(row))?, (instant(row, 15)?, TriggerId(row.get(0)?))))
}

/// A page of rows, and where it ends, if it is full.
pub(crate) fn page(rows: Vec<(Option<TriggerRow>, Place)>, limit: i64) -> (Vec<TriggerRow>, Option<Place>) {
    let full = i64::try_from(rows.len()) == Ok(limit);
    let last = rows.last().filter(|_| full).map(|(_, place)| *place);
    (rows.into_iter().filter_map(|(row, _)| row).collect(), last)
}

/// See [`crate::Store::trigger_rows`].
pub(crate) fn rows(db: &dyn Db, ids: &[TriggerId]) -> Step<Vec<TriggerRow>> {
    let mut found = Vec::with_capacity(ids.len());
    for ids in ids.chunks(LISTED_MAX) {
        let ids = list::of_numbers(ids.iter().map(|id| id.0));
        found.extend(read_known(db, sql!("triggers_by_id", postgres, mysql), &[(":triggers", &ids)], trigger_row)?);
    }
    Ok(found)
}

/// See [`crate::Store::stranded`].
pub(crate) fn stranded(db: &dyn Db) -> Step<Vec<TriggerRow>> {
    read_known(db, sql!("stranded"), &[], trigger_row)
}

/// See [`crate::Store::definition`].
pub(crate) fn definition(db: &dyn Db, job: JobId, version: JobVersion) -> Step<Arc<Job>> {
    let values: [(&str, &dyn ToSql); 2] = [(":job", &job.0), (":version", &version.base().0)];
    let found = read_one(db, sql!("definition"), &values, |row| job_at(row, 0))?;
    let missing = || Error::NotFound { what: "definition", key: format!("{job} version {version}") };
    Ok(found.and_then(|job| part(&job, version)).ok_or_else(missing)?)
}

/// What a version of a job means: the whole, or one of its tasks.
pub(crate) fn part(job: &Arc<Job>, version: JobVersion) -> Option<Arc<Job>> {
    match version.task() {
        None => Some(Arc::clone(job)),
        Some(_) => job.part(version).cloned().map(Arc::new),
    }
}

/// See [`crate::Store::definitions`].
pub(crate) fn definitions<C: Batches>(db: &C, keys: &[(JobId, JobVersion)]) -> Step<Vec<VersionedJob>> {
    if keys.iter().all(|(_, version)| version.task().is_none()) {
        return wholes(db, keys);
    }
    // Each version of a workflow is read once, however many of its tasks are asked for.
    let bases: BTreeSet<(JobId, JobVersion)> = keys.iter().map(|(job, version)| (*job, version.base())).collect();
    let wholes = wholes(db, &bases.into_iter().collect::<Vec<_>>())?;
    let wholes: FxHashMap<(JobId, JobVersion), _> = wholes.into_iter().collect();
    let found = |(job, version): &(JobId, JobVersion)| {
        let definition = match wholes.get(&(*job, version.base()))? {
            Ok(whole) => Ok(part(whole, *version)?),
            Err(why) => Err(why.clone()),
        };
        Some(((*job, *version), definition))
    };
    Ok(keys.iter().filter_map(found).collect())
}

/// Reads versions of whole jobs.
fn wholes<C: Batches>(db: &C, keys: &[(JobId, JobVersion)]) -> Step<Vec<VersionedJob>> {
    let mut found = Vec::with_capacity(keys.len());
    if C::LISTS && keys.len() > 1 {
        for keys in keys.chunks(LISTED_MAX) {
            let keys: Vec<(i64, i64)> = keys.iter().map(|(job, version)| (job.0, version.0)).collect();
            let keys = serde_json::to_string(&keys).expect("numbers have a text");
            found.extend(read(db, on_servers!("many_definitions", postgres, mysql), &[(":keys", &keys)], versioned)?);
        }
        return Ok(found);
    }
    for (job, version) in keys {
        let values: [(&str, &dyn ToSql); 2] = [(":job", &job.0), (":version", &version.0)];
        let definition = match read_one(db, sql!("definition"), &values, |row| job_at(row, 0)) {
            Err(Fault::Unreadable(why)) => Some(Err(why)),
            definition => definition?.map(Ok),
        };
        found.extend(definition.map(|definition| ((*job, *version), definition)));
    }
    Ok(found)
}

fn versioned(row: &Row<'_>) -> Step<VersionedJob> {
    let definition = match job_at(row, 2) {
        Err(Fault::Unreadable(why)) => Err(why),
        definition => Ok(definition?),
    };
    Ok(((JobId(row.get(0)?), JobVersion(row.get(1)?)), definition))
}

/// Reads a definition.
pub(crate) fn job_at(row: &Row<'_>, column: usize) -> Step<Arc<Job>> {
    let text: &str = row.get(column)?;
    let job =
        serde_json::from_str(text).map_err(|error| Fault::Unreadable(format!("the definition of a job: {error}")))?;
    Ok(Arc::new(job))
}

/// The first eighteen columns of the statements about triggers.
pub(crate) fn trigger_row(row: &Row<'_>) -> Step<TriggerRow> {
    Ok(TriggerRow {
        id: TriggerId(row.get(0)?),
        job: JobId(row.get(1)?),
        shard: Shard(row.get(16)?),
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
            tzdata: row.get::<Option<u32>>(17)?.map(TzdataVersion::from_number),
        },
    })
}

/// A trigger with what only requests look at.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) named: NamedTrigger,
    pub(crate) jitter_ms: i64,
}

pub(crate) fn kept(row: &Row<'_>) -> Step<Kept> {
    let named =
        NamedTrigger { name: row.get(18)?, own_pause: row.get(19)?, error: row.get(21)?, row: trigger_row(row)? };
    Ok(Kept { named, jitter_ms: row.get(20)? })
}

/// Locks the triggers of a job, so that no fire comes between.
pub(crate) fn lock(db: &dyn Db, job: JobId) -> Step<()> {
    db.lock(sql!("lock_triggers"), Lock::Write, &[(":job", &job.0)])
}

/// The triggers of a job, in the order of its definition.
pub(crate) fn of_job(db: &dyn Db, job: JobId) -> Step<Vec<Kept>> {
    read(db, sql!("triggers_of_job"), &[(":job", &job.0)], kept)
}

/// What a trigger that was deleted left behind.
#[derive(Clone, Debug)]
pub(crate) struct Buried {
    pub(crate) stone: crate::row::Tombstone,
    pub(crate) version: i64,
}

/// Tombstones of triggers of a job, by name.
pub(crate) fn tombstones(db: &dyn Db, key: &JobKey) -> Step<Vec<Buried>> {
    let values: [(&str, &dyn ToSql); 2] = [(":namespace", &key.namespace), (":job", &key.name)];
    let rows = read(db, sql!("tombstones_of_job"), &values, |row| {
        let stone = crate::row::Tombstone {
            name: row.get(0)?,
            id: TriggerId(row.get(1)?),
            fired_through: maybe_instant(row, 2)?,
        };
        Ok(Buried { stone, version: row.get(3)? })
    })?;
    Ok(rows)
}
