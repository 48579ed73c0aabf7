//! What jobs keep between their runs.

use std::collections::BTreeMap;

use mainspring_core::batch::Completion;
use mainspring_core::run::AttemptOutcome;
use mainspring_core::{JobId, RunId, Timestamp};

use super::Batches;
use super::db::{Db, Sql, Step, ToSql, Values, execute, instant, maybe_run_id, read_one, sql};
use super::session::Session;
use crate::data::JobData;
use crate::error::Error;

/// What the attempts of a batch leave behind, by job. Of several runs of a job the last one has the word.
#[derive(Default)]
pub(crate) struct Left<'a>(BTreeMap<JobId, (&'a Completion, &'a str)>);

impl<'a> Left<'a> {
    /// Notes what an attempt whose end counts leaves behind.
    pub(crate) fn note(&mut self, entry: &'a Completion) {
        let data = entry.detail.as_ref().and_then(|detail| detail.data.as_deref());
        if let Some(data) = data.filter(|_| entry.outcome == AttemptOutcome::Succeeded) {
            self.0.insert(entry.job, (entry, data));
        }
    }

    /// Keeps it, in order of jobs.
    pub(crate) fn keep(self, db: &dyn Db) -> Step<()> {
        for (job, (entry, data)) in self.0 {
            with_values(job, data, Some(entry.run), entry.ended_at, |values| db.post(SET, values, None))?;
        }
        Ok(())
    }
}

/// Sets the data of a job that is there.
const SET: Sql = sql!("data_set", mysql);

fn with_values<T>(
    job: JobId,
    data: &str,
    run: Option<RunId>,
    at: Timestamp,
    set: impl FnOnce(&Values<'_>) -> Step<T>,
) -> Step<T> {
    let run = run.map(|run| *run.as_bytes());
    let values: [(&str, &dyn ToSql); 4] =
        [(":data", &data), (":run", &run), (":at", &at.as_millis()), (":job", &job.0)];
    set(&values)
}

/// See [`crate::Store::job_data`].
pub(crate) fn of_job(db: &dyn Db, job: JobId) -> Step<Option<JobData>> {
    read_one(db, sql!("data"), &[(":job", &job.0)], |row| {
        Ok(JobData {
            data: row.get(0)?,
            revision: row.get(1)?,
            run: maybe_run_id(row, 2)?,
            changed_at: instant(row, 3)?,
        })
    })
}

/// See [`crate::Store::set_job_data`].
pub(crate) fn change(
    session: &Session<impl Batches>,
    job: JobId,
    data: &str,
    expect: Option<i64>,
    at: Timestamp,
) -> Step<JobData> {
    let db = &session.connection;
    // First, so that the revision that is read is the one before, whoever else sets it.
    with_values(job, data, None, at, |values| execute(db, SET, values))?;
    let kept = of_job(db, job)?.ok_or_else(|| Error::NotFound { what: "job", key: job.to_string() })?;
    let found = kept.revision - 1;
    match expect.filter(|expected| *expected != found) {
        Some(expected) => Err(crate::data::conflict(job, expected, found).into()),
        None => Ok(kept),
    }
}
