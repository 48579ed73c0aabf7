//! Past runs, which are brought from another scheduler.

use std::collections::HashSet;

use mainspring_core::RunId;
use mainspring_core::run::Origin;

use super::Batches;
use super::db::{Db, Lock, Step, ToSql, exists, read, run_id, sql};
use super::session::Session;
use super::{job, list};
use crate::error::Error;
use crate::past::{PastRun, PastRuns};

/// See [`crate::Store::add_past_runs`].
pub(crate) fn add(session: &Session<impl Batches>, past: &PastRuns) -> Step<Vec<bool>> {
    let db = &session.connection;
    let missing = || Error::NotFound { what: "job", key: format!("{} version {}", past.job, past.job_version) };
    // Of two requests that bring the same runs at a time, the second one finds what the first has kept.
    db.lock(sql!("lock_job"), Lock::Write, &[(":id", &past.job.0)])?;
    let version: [(&str, &dyn ToSql); 2] = [(":job", &past.job.0), (":version", &past.job_version.0)];
    if job::by_id(db, past.job)?.is_none() || !exists(db, sql!("definition"), &version)? {
        return Err(missing().into());
    }
    let runs = list::of_runs(past.runs.iter().map(|run| run.id));
    let known: HashSet<RunId> =
        read(db, sql!("runs_known", postgres, mysql), &[(":runs", &runs)], |row| run_id(row, 0))?.into_iter().collect();
    let is_new: Vec<bool> = past.runs.iter().map(|run| !known.contains(&run.id)).collect();
    let new = || past.runs.iter().zip(&is_new).filter(|(_, is_new)| **is_new).map(|(run, _)| run);
    db.make_room(&mut new().map(|run| run.id))?;
    new().try_for_each(|run| keep(db, past, run))?;
    Ok(is_new)
}

fn keep(db: &dyn Db, past: &PastRuns, run: &PastRun) -> Step<()> {
    for (number, attempt) in (1_u32..).zip(&run.earlier) {
        let values: [(&str, &dyn ToSql); 8] = [
            (":run", run.id.as_bytes()),
            (":attempt", &number),
            (":outcome", &attempt.outcome.as_str()),
            (":started_at", &attempt.started_at.as_millis()),
            (":ended_at", &attempt.ended_at.as_millis()),
            (":exit_code", &attempt.exit_code),
            (":error_code", &attempt.error_code),
            (":error", &attempt.error),
        ];
        db.post(sql!("past_attempt"), &values, None)?;
    }
    let last = &run.last;
    let values: [(&str, &dyn ToSql); 18] = [
        (":id", run.id.as_bytes()),
        (":job", &past.job.0),
        (":version", &past.job_version.0),
        (":state", &run.state().as_str()),
        (":origin", &Origin::Imported.as_str()),
        (":due_at", &run.due_at.as_millis()),
        (":at", &past.at.as_millis()),
        (":started_at", &last.started_at.as_millis()),
        (":ended_at", &last.ended_at.as_millis()),
        (":attempt", &run.attempt()),
        (":outcome", &last.outcome.as_str()),
        (":queue", &run.queue),
        (":reason", &run.reason),
        (":input", &run.input),
        (":output", &run.output),
        (":exit_code", &last.exit_code),
        (":error_code", &last.error_code),
        (":error", &last.error),
    ];
    db.post(sql!("past_add"), &values, None)
}
