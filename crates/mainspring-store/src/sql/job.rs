//! Reading jobs.

use std::collections::BTreeSet;

use mainspring_core::job::{GateRule, JobKey};
use mainspring_core::{JobId, JobVersion};

use super::db::{Db, Lock, Row, Step, ToSql, instant, known, read, read_known, read_one, read_page, sql};
use super::save::{Prior, many};
use super::trigger::{self, job_at, kept};
use super::{Batches, list};
use crate::row::{JobPrior, JobQuery, JobRow, NamedTrigger, SavedBy, TriggerInfo, TriggerQuery, VersionRow};

/// See [`crate::Store::job`].
pub(crate) fn by_key(db: &dyn Db, key: &JobKey) -> Step<Option<JobRow>> {
    let values: [(&str, &dyn ToSql); 2] = [(":namespace", &key.namespace), (":name", &key.name)];
    read_one(db, sql!("job"), &values, row)
}

/// Locks a job, if there is one of that key.
pub(crate) fn lock_key(db: &dyn Db, key: &JobKey) -> Step<()> {
    db.lock(sql!("lock_job_key"), Lock::Write, &[(":namespace", &key.namespace), (":name", &key.name)])
}

/// See [`crate::Store::jobs_by_id`].
pub(crate) fn by_ids(db: &dyn Db, jobs: &[JobId]) -> Step<Vec<JobRow>> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let jobs = list::of_numbers(jobs.iter().map(|job| job.0));
    read_known(db, sql!("jobs_by_id", postgres, mysql), &[(":jobs", &jobs)], row)
}

/// A job that is not deleted.
pub(crate) fn by_id(db: &dyn Db, id: JobId) -> Step<Option<JobRow>> {
    read_one(db, sql!("job_by_id"), &[(":id", &id.0)], row)
}

/// The limits of those jobs that are not deleted and have one.
pub(crate) fn limits(db: &dyn Db, jobs: &BTreeSet<JobId>) -> Step<Vec<(JobId, GateRule)>> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let jobs = list::of_numbers(jobs.iter().map(|job| job.0));
    let mut jobs = read(db, sql!("jobs_by_id", postgres, mysql), &[(":jobs", &jobs)], row)?;
    // In one order, as they are locked.
    jobs.sort_unstable_by_key(|job| job.id);
    Ok(jobs.into_iter().filter_map(|job| Some((job.id, job.definition.gate()?))).collect())
}

pub(crate) fn row(row: &Row<'_>) -> Step<JobRow> {
    Ok(JobRow {
        id: JobId(row.get(0)?),
        version: JobVersion(row.get(1)?),
        change: row.get(2)?,
        paused: row.get(3)?,
        created_at: instant(row, 4)?,
        updated_at: instant(row, 5)?,
        definition: job_at(row, 6)?,
    })
}

/// See [`crate::Store::versions`].
pub(crate) fn versions(db: &dyn Db, job: JobId, before: Option<JobVersion>, limit: u32) -> Step<Vec<VersionRow>> {
    let before = before.map_or(i64::MAX, |version| version.0);
    read_page(db, sql!("versions"), &[(":job", &job.0), (":before", &before)], limit, |row| {
        let saved_by = match (row.get(3)?, row.get(4)?) {
            (Some(by), Some(from)) => Some(SavedBy { by, from }),
            _ => None,
        };
        let version = JobVersion(row.get(0)?);
        Ok(VersionRow { version, saved_at: instant(row, 1)?, saved_by, definition: job_at(row, 2)? })
    })
}

/// See [`crate::Store::prior`].
pub(crate) fn prior(db: &dyn Db, key: &JobKey) -> Step<JobPrior> {
    let job = by_key(db, key)?;
    let triggers = match &job {
        Some(job) => trigger::of_job(db, job.id)?,
        None => Vec::new(),
    };
    Ok(seen(Prior { job, triggers, buried: trigger::tombstones(db, key)? }))
}

/// See [`crate::Store::priors`].
pub(crate) fn priors<C: Batches>(db: &C, keys: &[JobKey]) -> Step<Vec<JobPrior>> {
    if !C::LISTS || keys.len() < 2 {
        return keys.iter().map(|key| prior(db, key)).collect();
    }
    let found = many::found(db, &keys.iter().collect(), false)?;
    Ok(keys.iter().map(|key| seen(found.get(key).cloned().unwrap_or_default())).collect())
}

fn seen(Prior { job, triggers, buried }: Prior) -> JobPrior {
    JobPrior {
        job,
        triggers: triggers.into_iter().map(|kept| kept.named).collect(),
        tombstones: buried.into_iter().map(|buried| buried.stone).collect(),
    }
}

/// See [`crate::Store::jobs`].
pub(crate) fn list(db: &dyn Db, query: &JobQuery) -> Step<Vec<JobRow>> {
    let (namespace, name) = start(query.after.as_ref(), query.namespace.as_deref());
    let label = query.label.as_ref();
    let values: [(&str, &dyn ToSql); 7] = [
        (":after_namespace", &namespace),
        (":after_name", &name),
        (":namespace", &query.namespace),
        (":contains", &query.name_contains),
        (":paused", &query.paused),
        (":label", &label.map(|label| &label.0)),
        (":label_value", &label.map(|label| &label.1)),
    ];
    read_page(db, sql!("jobs", mysql), &values, query.limit, row)
}

/// Where a list begins: after a key, or before the first name of a namespace (no name is empty).
fn start<'a>(after: Option<&'a JobKey>, namespace: Option<&'a str>) -> (&'a str, &'a str) {
    after.map_or((namespace.unwrap_or_default(), ""), |key| (&key.namespace, &key.name))
}

/// See [`crate::Store::triggers`].
pub(crate) fn triggers(db: &dyn Db, query: &TriggerQuery) -> Step<Vec<TriggerInfo>> {
    let after = query.after.as_ref();
    let (namespace, job) = start(after.map(|after| &after.0), query.namespace.as_deref());
    let name = after.map_or("", |after| after.1.as_str());
    let values: [(&str, &dyn ToSql); 5] = [
        (":after_namespace", &namespace),
        (":after_job", &job),
        (":after_name", &name),
        (":namespace", &query.namespace),
        (":job", &query.job),
    ];
    let mut limit = query.limit;
    loop {
        let rows = read_page(db, sql!("triggers", mysql), &values, limit, |row| Ok(kept(row)?.named))?;
        let (seen, found) = (rows.len(), with_jobs(db, rows)?);
        let passed = u32::try_from(seen - found.len()).unwrap_or(u32::MAX);
        if passed == 0 || found.len() >= query.limit as usize || seen < limit as usize {
            return Ok(found.into_iter().take(query.limit as usize).collect());
        }
        limit = query.limit.saturating_add(passed);
    }
}

/// Adds their jobs to triggers. Triggers whose job cannot be read are left out.
fn with_jobs(db: &dyn Db, triggers: Vec<NamedTrigger>) -> Step<Vec<TriggerInfo>> {
    let mut found: Vec<TriggerInfo> = Vec::with_capacity(triggers.len());
    let mut unreadable = None;
    for trigger in triggers {
        let id = trigger.row.job;
        let before = found.last().filter(|info| info.job.id == id).map(|info| info.job.clone());
        let job = match before {
            None if unreadable == Some(id) => None,
            None => known(by_id(db, id))?.flatten(),
            job => job,
        };
        match job {
            Some(job) => found.push(TriggerInfo { job, trigger }),
            None => unreadable = Some(id),
        }
    }
    Ok(found)
}
