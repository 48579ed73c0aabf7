//! Deadlines of runs: which jobs have one, and which runs have missed theirs.

use mainspring_core::job::Job;
use mainspring_core::{JobId, RunId, Timestamp};

use super::Batches;
use super::db::{Db, Step, ToSql, execute, exists, read, read_one, run_id, sql};
use super::run;
use super::session::Session;
use crate::row::{DeadlinesDue, MissedDeadline};

/// Keeps how long runs of a job may take, in place of what it said before.
pub(crate) fn place(db: &dyn Db, id: JobId, before: Option<&Job>, job: &Job) -> Step<()> {
    let was = before.and_then(|job| job.deadline_ms);
    if was == job.deadline_ms {
        return Ok(());
    }
    if was.is_some() {
        forget(db, id)?;
    }
    let Some(within) = job.deadline_ms else { return Ok(()) };
    db.post(sql!("deadline_set"), &[(":job", &id.0), (":within", &within)], None)
}

/// Forgets that a job has a deadline.
pub(crate) fn forget(db: &dyn Db, id: JobId) -> Step<()> {
    db.post(sql!("deadline_forget"), &[(":job", &id.0)], None)
}

/// See [`crate::Store::deadlines_due`].
pub(crate) fn due(db: &dyn Db, at: Timestamp, limit: u32) -> Step<DeadlinesDue> {
    let least = read_one(db, sql!("deadline_least"), &[], |row| row.get::<Option<i64>>(0))?.flatten();
    let mut runs = read(db, sql!("deadline_untold"), &[(":limit", &limit)], |row| run_id(row, 0))?;
    if let Some(least) = least {
        let bound = RunId::floor(at - least + 1);
        let values: [(&str, &dyn ToSql); 3] =
            [(":bound", bound.as_bytes()), (":at", &at.as_millis()), (":limit", &limit)];
        runs.extend(read(db, sql!("deadline_over"), &values, |row| run_id(row, 0))?);
    }
    Ok(DeadlinesDue { used: least.is_some() || !runs.is_empty(), runs })
}

/// See [`crate::Store::miss_deadlines`].
pub(crate) fn miss(session: &mut Session<impl Batches>, runs: &[RunId], at: Timestamp) -> Step<Vec<MissedDeadline>> {
    let mut missed = Vec::new();
    for id in runs {
        let db = &session.connection;
        let this: [(&str, &dyn ToSql); 1] = [(":run", id.as_bytes())];
        execute(db, sql!("deadline_note", mysql), &this)?;
        // The order in which the parameters stand in the text.
        if execute(db, sql!("deadline_tell"), &[(":at", &at.as_millis()), (":run", id.as_bytes())])? == 0 {
            continue;
        }
        let Some(info) = run::run(db, *id)? else { continue };
        session.event(at, "run", &format!("{}/{id}", info.key), "deadline_missed")?;
        missed.push(MissedDeadline { run: *id, job: info.job, job_version: info.job_version });
    }
    Ok(missed)
}

/// Whether a run has missed its deadline.
pub(crate) fn is_missed(db: &dyn Db, run: RunId) -> Step<bool> {
    exists(db, sql!("deadline_missed"), &[(":run", run.as_bytes())])
}
