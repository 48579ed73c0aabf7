//! Saves of many jobs: a few statements for each thousand of them, where the database takes lists.
//!
//! A list travels as one parameter, in JSON. What the writes find is read for all of them; jobs that are new, as most
//! are in a large save, are made together. Jobs that change are written one by one, as in a small save.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::job::JobKey;
use mainspring_core::{JobId, JobVersion, TriggerId, shard_of};
use serde_json::{Value, json};

use super::{Prior, place, settled};
use crate::row::{JobRow, JobWrite, Saved, Tombstone};
use crate::sql::Batches;
use crate::sql::db::{Db, Lock, Row, Sql, Step, execute, maybe_instant, millis, on_servers, read, release};
use crate::sql::list::{hex, lists};
use crate::sql::session::Session;
use crate::sql::trigger::{Buried, kept};
use crate::sql::{after, deadline, job, names};

/// Locks the jobs of keys, in their order.
pub(crate) fn lock_jobs(db: &dyn Db, keys: &BTreeSet<&JobKey>) -> Step<()> {
    for keys in key_lists(keys) {
        db.lock(on_servers!("many_lock_jobs", postgres, mysql), Lock::None, &[(":keys", &keys)])?;
    }
    Ok(())
}

/// What the writes find, locked.
pub(super) fn priors(db: &dyn Db, keys: &BTreeSet<&JobKey>, writes: &[JobWrite]) -> Step<Vec<Prior>> {
    let mut found = found(db, keys, true)?;
    Ok(writes.iter().map(|write| found.remove(&write.definition.key).unwrap_or_default()).collect())
}

/// What there is of keys, as far as there is something. `locks`: no fire comes between before the transaction ends.
pub(crate) fn found(db: &dyn Db, keys: &BTreeSet<&JobKey>, locks: bool) -> Step<BTreeMap<JobKey, Prior>> {
    let mut found: BTreeMap<JobKey, Prior> = BTreeMap::new();
    let mut by_id = BTreeMap::new();
    for keys in key_lists(keys) {
        let jobs = read(db, on_servers!("many_jobs", postgres, mysql), &[(":keys", &keys)], |row| {
            Ok((key_at(row, 7)?, job::row(row)?))
        })?;
        for (key, job) in jobs {
            by_id.insert(job.id, key.clone());
            found.entry(key).or_default().job = Some(job);
        }
        let stones = read(db, on_servers!("many_tombstones", postgres, mysql), &[(":keys", &keys)], buried)?;
        for (key, stone) in stones {
            found.entry(key).or_default().buried.push(stone);
        }
    }
    for jobs in lists(by_id.keys().map(|id| json!(id.0))) {
        if locks {
            db.lock(on_servers!("many_lock_triggers", postgres, mysql), Lock::None, &[(":jobs", &jobs)])?;
        }
        for kept in read(db, on_servers!("many_triggers", postgres, mysql), &[(":jobs", &jobs)], kept)? {
            let prior = by_id.get(&kept.named.row.job).and_then(|key| found.get_mut(key));
            prior.expect("it was asked for").triggers.push(kept);
        }
    }
    Ok(found)
}

fn key_at(row: &Row<'_>, column: usize) -> Step<JobKey> {
    Ok(JobKey::new(row.get::<String>(column)?, row.get::<String>(column + 1)?))
}

fn buried(row: &Row<'_>) -> Step<(JobKey, Buried)> {
    let stone = Tombstone { name: row.get(0)?, id: TriggerId(row.get(1)?), fired_through: maybe_instant(row, 2)? };
    Ok((key_at(row, 4)?, Buried { stone, version: row.get(3)? }))
}

/// Makes the jobs that are new and continue nothing. Answers them, in their places.
pub(super) fn create(
    session: &mut Session<impl Batches>,
    writes: &[JobWrite],
    priors: &[Prior],
) -> Step<Vec<Option<Saved>>> {
    let is_fresh = |prior: &Prior| prior.job.is_none() && prior.buried.is_empty();
    let fresh: Vec<&JobWrite> =
        writes.iter().zip(priors).filter(|(_, prior)| is_fresh(prior)).map(|(write, _)| write).collect();
    if fresh.is_empty() {
        return Ok(vec![None; writes.len()]);
    }
    let namespaces: BTreeMap<&String, _> =
        fresh.iter().rev().map(|write| (&write.definition.key.namespace, write.at)).collect();
    for (namespace, at) in namespaces {
        names::ensure_namespace(session, namespace, at)?;
    }
    let db = &session.connection;
    let jobs = insert_jobs(db, &fresh)?;
    insert_definitions(db, &fresh, &jobs)?;
    insert_triggers(db, &fresh, &jobs)?;
    jobs.iter().try_for_each(|job| deadline::place(db, job.id, None, &job.definition))?;
    let limited = jobs.iter().filter(|job| job.definition.gate().is_some());
    insert(db, on_servers!("many_gates", postgres, mysql), limited.map(|job| json!([job.id.0])))?;
    let events = jobs.iter().map(|job| {
        let event = json!({ "key": job.definition.key.to_string(), "change": "created" });
        json!([job.created_at.as_millis(), event.to_string()])
    });
    insert(db, on_servers!("many_events", postgres, mysql), events)?;
    session.wakes = true;
    let mut jobs = jobs.into_iter();
    let saved = |prior| is_fresh(prior).then(|| jobs.next()).flatten().map(|job| Saved { job, created: true });
    Ok(priors.iter().map(saved).collect())
}

fn insert_jobs(db: &dyn Db, fresh: &[&JobWrite]) -> Step<Vec<JobRow>> {
    let rows = fresh.iter().map(|write| {
        let (JobKey { namespace, name }, at) = (&write.definition.key, write.at.as_millis());
        json!([namespace, name, shard_of(namespace, name), i64::from(write.paused), at, at])
    });
    insert(db, on_servers!("many_jobs_new", postgres, mysql), rows)?;
    let mut ids = BTreeMap::new();
    for keys in key_lists(&fresh.iter().map(|write| &write.definition.key).collect()) {
        let read = read(db, on_servers!("many_job_ids", postgres, mysql), &[(":keys", &keys)], |row| {
            Ok((key_at(row, 1)?, JobId(row.get(0)?)))
        })?;
        ids.extend(read);
    }
    let job = |write: &&JobWrite| JobRow {
        id: *ids.get(&write.definition.key).expect("it was made above"),
        version: JobVersion(1),
        change: 1,
        definition: write.definition.clone(),
        paused: write.paused,
        created_at: write.at,
        updated_at: write.at,
    };
    Ok(fresh.iter().map(job).collect())
}

fn insert_definitions(db: &dyn Db, fresh: &[&JobWrite], jobs: &[JobRow]) -> Step<()> {
    let versions = fresh.iter().zip(jobs).map(|(write, job)| {
        let text = serde_json::to_string(&*job.definition).expect("a definition is plain data");
        let saved = write.saved_by.as_ref();
        let (by, from) = (saved.map(|saved| &saved.by), saved.map(|saved| &saved.from));
        json!([job.id.0, text, job.definition.queue, job.updated_at.as_millis(), by, from])
    });
    insert(db, on_servers!("many_versions", postgres, mysql), versions)?;
    let labels = jobs.iter().flat_map(|job| {
        job.definition.labels.iter().map(|(name, value)| json!([job.id.0, name, value])).collect::<Vec<_>>()
    });
    insert(db, on_servers!("many_labels", postgres, mysql), labels)
}

fn insert_triggers(db: &dyn Db, fresh: &[&JobWrite], jobs: &[JobRow]) -> Step<()> {
    let all = || {
        fresh.iter().zip(jobs).flat_map(|(write, job)| (0_u32..).zip(&write.triggers).map(move |t| (job, *write, t)))
    };
    let rows = all().map(|(job, write, (position, trigger))| {
        let calendar = write.definition.triggers.get(position as usize).and_then(|trigger| trigger.calendar.as_ref());
        json!([job.id.0, position, trigger.name, i64::from(trigger.paused), trigger.jitter_ms, calendar])
    });
    insert(db, on_servers!("many_triggers_new", postgres, mysql), rows)?;
    let mut ids: BTreeMap<(JobId, u32), TriggerId> = BTreeMap::new();
    for jobs in lists(jobs.iter().map(|job| json!(job.id.0))) {
        let read = read(db, on_servers!("many_trigger_ids", postgres, mysql), &[(":jobs", &jobs)], |row| {
            Ok(((JobId(row.get(1)?), row.get(2)?), TriggerId(row.get(0)?)))
        })?;
        ids.extend(read);
    }
    let shard = |job: &JobRow| shard_of(&job.definition.key.namespace, &job.definition.key.name);
    let id = |job: &JobRow, position: u32| *ids.get(&(job.id, position)).expect("it was made above");
    for (job, write, (position, _)) in all() {
        after::place(db, id(job, position), None, &write.definition, position as usize)?;
    }
    let states = all().map(|(job, write, (position, trigger))| {
        let id = id(job, position);
        let (progress, paused) = (settled(id, trigger, None), trigger.paused || write.paused);
        json!([
            id.0,
            shard(job),
            i64::from(paused),
            progress.status.as_str(),
            millis(progress.next_fire_at),
            millis(progress.due_at),
            millis(place(&progress, paused)),
            millis(progress.previous_fire_at),
            progress.start_at.as_millis(),
            progress.repeat_count,
            progress.times_triggered,
            millis(progress.fired_through),
            progress.awaiting_run.map(hex),
            release(progress.tzdata),
        ])
    });
    insert(db, on_servers!("many_states", postgres, mysql), states)?;
    let changes = all().map(|(job, _, (position, _))| json!([id(job, position).0, shard(job)]));
    insert(db, on_servers!("many_changes", postgres, mysql), changes)
}

/// Inserts rows, in their order.
pub(crate) fn insert(db: &dyn Db, sql: Sql, rows: impl Iterator<Item = Value>) -> Step<()> {
    for rows in lists(rows) {
        execute(db, sql, &[(":rows", &rows)])?;
    }
    Ok(())
}

/// Keys as lists, in their order.
fn key_lists(keys: &BTreeSet<&JobKey>) -> Vec<String> {
    lists(keys.iter().map(|key| json!([key.namespace, key.name])))
}
