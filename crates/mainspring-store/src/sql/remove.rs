//! Deleting jobs: one by one, or many with a few statements for all of them, where the database takes lists.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::job::JobKey;
use mainspring_core::{JobId, RunId, Timestamp};
use serde_json::json;

use super::db::{Step, ToSql, execute, on_servers, read, run_id, sql};
use super::gate::Gates;
use super::list::lists;
use super::names::check;
use super::replace::{Ending, end_one, end_unstarted};
use super::save::many;
use super::save::{bury, check_ends, leave_gap};
use super::session::Session;
use super::trigger::{self, Kept};
use super::{Batches, deadline, job};
use crate::error::Error;
use crate::row::{Expect, JobDelete, TriggerEnd};

/// Why runs of a deleted job end.
const REASON: &str = "job deleted";

/// See [`crate::Store::delete_jobs`]. They are locked in their order, as saves lock them.
pub(crate) fn delete_all<C: Batches>(session: &mut Session<C>, deletes: &[JobDelete], at: Timestamp) -> Step<()> {
    let mut ordered: Vec<_> = deletes.iter().collect();
    ordered.sort_by(|a, b| a.key.cmp(&b.key));
    if C::LISTS && ordered.len() > 1 {
        return together(session, &ordered, at);
    }
    ordered.into_iter().try_for_each(|it| delete(session, &it.key, it.expect, &it.ends, at))
}

/// A job that is to go, as the database has it.
struct Doomed<'a> {
    key: &'a JobKey,
    id: JobId,
    triggers: Vec<Kept>,
    ends: &'a [TriggerEnd],
}

/// Deletes jobs with as many statements as for one, but for their unfinished runs and what their triggers leave.
fn together(session: &mut Session<impl Batches>, deletes: &[&JobDelete], at: Timestamp) -> Step<()> {
    let doomed = look(session, deletes)?;
    bury_all(session, &doomed, at)?;
    end_runs(session, &doomed, at)?;
    let db = &session.connection;
    for jobs in lists(doomed.iter().map(|job| json!(job.id.0))) {
        db.post(on_servers!("many_jobs_remove", postgres, mysql), &[(":jobs", &jobs), (":at", &at.as_millis())], None)?;
        db.post(on_servers!("many_jobs_forget", postgres, mysql), &[(":jobs", &jobs)], None)?;
    }
    session.flush_runs(at)?;
    session.wakes = true;
    let events = doomed.iter().map(|job| {
        let event = json!({ "key": job.key.to_string(), "change": "deleted" });
        json!([at.as_millis(), event.to_string()])
    });
    many::insert(&session.connection, on_servers!("many_events", postgres, mysql), events)
}

/// Locks the jobs and their triggers, and checks that they are as expected.
fn look<'a>(session: &Session<impl Batches>, deletes: &[&'a JobDelete]) -> Step<Vec<Doomed<'a>>> {
    let db = &session.connection;
    let keys: BTreeSet<&JobKey> = deletes.iter().map(|it| &it.key).collect();
    many::lock_jobs(db, &keys)?;
    let mut found = many::found(db, &keys, true)?;
    let doomed = deletes.iter().map(|JobDelete { key, expect, ends }| {
        let prior = found.remove(key).unwrap_or_default();
        let job = prior.job.ok_or_else(|| Error::NotFound { what: "job", key: key.to_string() })?;
        check(*expect, Some(job.change), "job", || key.to_string())?;
        check_ends(&prior.triggers, key, ends)?;
        Ok(Doomed { key, id: job.id, triggers: prior.triggers, ends })
    });
    doomed.collect()
}

/// Deletes their triggers, which leave tombstones.
fn bury_all(session: &mut Session<impl Batches>, doomed: &[Doomed<'_>], at: Timestamp) -> Step<()> {
    let db = &session.connection;
    for job in doomed {
        job.triggers.iter().try_for_each(|trigger| leave_gap(db, trigger, job.ends, at))?;
    }
    let ids: BTreeSet<i64> = doomed.iter().flat_map(|job| &job.triggers).map(|it| it.named.row.id.0).collect();
    for triggers in lists(ids.into_iter().map(|id| json!(id))) {
        db.post(on_servers!("many_note", postgres, mysql), &[(":triggers", &triggers)], None)?;
        let values: [(&str, &dyn ToSql); 2] = [(":at", &at.as_millis()), (":triggers", &triggers)];
        db.post(on_servers!("many_tombstones_new", postgres, mysql), &values, None)?;
        db.post(on_servers!("many_triggers_remove", postgres, mysql), &[(":triggers", &triggers)], None)?;
    }
    Ok(())
}

/// Cancels their runs that have not started, and asks for the end of workflow runs.
fn end_runs(session: &mut Session<impl Batches>, doomed: &[Doomed<'_>], at: Timestamp) -> Step<()> {
    let mut gates = Gates::default();
    gates.load(&session.connection, &doomed.iter().map(|job| job.id).collect())?;
    // Once more for shards that were made while the first look waited for their run.
    for look in 0..2 {
        for (run, begun) in unended(session, doomed)? {
            let Session { connection, runs, .. } = &mut *session;
            let notes = match begun {
                true if look > 0 => continue,
                true => end_one(connection, runs, &mut gates, run, REASON, at)?,
                false => end_unstarted(connection, runs, &mut gates, run, Ending::cancelled(REASON), at)?,
            };
            notes.pass_on(session)?;
        }
    }
    gates.write(&session.connection)
}

/// Their runs that no worker has, in their order by jobs: first workflow runs that have begun.
fn unended(session: &Session<impl Batches>, doomed: &[Doomed<'_>]) -> Step<Vec<(RunId, bool)>> {
    let mut found: BTreeMap<i64, Vec<(bool, RunId)>> = BTreeMap::new();
    for jobs in lists(doomed.iter().map(|job| json!(job.id.0))) {
        let rows =
            read(&session.connection, on_servers!("many_unended", postgres, mysql), &[(":jobs", &jobs)], |row| {
                Ok((row.get::<i64>(0)?, row.get::<bool>(1)?, run_id(row, 2)?))
            })?;
        rows.into_iter().for_each(|(job, begun, run)| found.entry(job).or_default().push((!begun, run)));
    }
    let mut ordered = Vec::new();
    for job in doomed {
        let mut runs = found.remove(&job.id.0).unwrap_or_default();
        runs.sort_unstable();
        ordered.extend(runs.into_iter().map(|(waits, run)| (run, !waits)));
    }
    Ok(ordered)
}

fn delete(
    session: &mut Session<impl Batches>,
    key: &JobKey,
    expect: Expect,
    ends: &[TriggerEnd],
    at: Timestamp,
) -> Step<()> {
    let missing = || Error::NotFound { what: "job", key: key.to_string() };
    job::lock_key(&session.connection, key)?;
    let before = job::by_key(&session.connection, key)?.ok_or_else(missing)?;
    check(expect, Some(before.change), "job", || key.to_string())?;
    trigger::lock(&session.connection, before.id)?;
    let triggers = trigger::of_job(&session.connection, before.id)?;
    check_ends(&triggers, key, ends)?;
    for trigger in &triggers {
        bury(session, trigger, ends, at)?;
    }
    let this: [(&str, &dyn ToSql); 1] = [(":job", &before.id.0)];
    let mut gates = Gates::default();
    gates.find(&session.connection, before.id)?;
    let begun: Vec<RunId> = read(&session.connection, sql!("workflow_of_job"), &this, |row| run_id(row, 0))?;
    for run in begun {
        let Session { connection, runs, .. } = &mut *session;
        end_one(connection, runs, &mut gates, run, REASON, at)?.pass_on(session)?;
    }
    // Once more for shards that were made while the first look waited for their run.
    for _ in 0..2 {
        let unstarted: Vec<RunId> = read(&session.connection, sql!("delete_job_runs"), &this, |row| run_id(row, 0))?;
        for run in unstarted {
            let Session { connection, runs, .. } = &mut *session;
            end_unstarted(connection, runs, &mut gates, run, Ending::cancelled(REASON), at)?.pass_on(session)?;
        }
    }
    gates.write(&session.connection)?;
    let db = &session.connection;
    execute(db, sql!("delete_job"), &[(":at", &at.as_millis()), (":id", &before.id.0)])?;
    execute(db, sql!("save_labels_remove"), &this)?;
    execute(db, sql!("data_remove"), &this)?;
    deadline::forget(db, before.id)?;
    execute(db, sql!("route_forget"), &this)?;
    execute(db, sql!("lane_remove"), &this)?;
    session.flush_runs(at)?;
    session.wakes = true;
    session.event(at, "job", &key.to_string(), "deleted")
}
