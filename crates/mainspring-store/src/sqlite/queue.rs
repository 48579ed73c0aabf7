//! From `scheduled` over `queued` to `running`, what a new process start takes over, and what the engine has to hear.

use mainspring_core::batch::{ClaimedRun, LiveRun};
use mainspring_core::run::RunState;
use mainspring_core::{Incarnation, JobId, JobVersion, RunId, Timestamp, TriggerId};
use rusqlite::{Row, ToSql};

use super::session::Session;
use super::sql::{Step, bind, execute, exists, instant, maybe_instant, read, read_one, run_id, sql};
use crate::error::Error;
use crate::row::{Changes, Released};

/// See [`crate::Store::adopt`].
pub(super) fn adopt(session: &mut Session, incarnation: Incarnation, at: Timestamp) -> Step<Vec<LiveRun>> {
    let number = session.number_of(incarnation)?;
    let db = &session.connection;
    let this: [(&str, &dyn ToSql); 1] = [(":incarnation", &number)];
    execute(db, sql!("common/adopt_register"), &this)?;
    execute(db, sql!("common/adopt_started"), &[(":at", &at.as_millis()), (":incarnation", &number)])?;
    let running = read(db, sql!("common/adopt_read"), &this, |row| {
        Ok(LiveRun { claimed: claimed_run(row)?, state: RunState::Running, claimed_at: maybe_instant(row, 8)? })
    })?;
    execute(db, sql!("common/adopt"), &this)?;
    Ok(running)
}

fn claimed_run(row: &Row<'_>) -> rusqlite::Result<ClaimedRun> {
    Ok(ClaimedRun {
        run: run_id(row, 0)?,
        job: JobId(row.get(1)?),
        job_version: JobVersion(row.get(2)?),
        trigger: row.get::<_, Option<i64>>(3)?.map(TriggerId),
        fire_time: instant(row, 4)?,
        due_at: instant(row, 5)?,
        attempt: row.get(6)?,
        input: row.get(7)?,
    })
}

/// See [`crate::Store::claim`].
pub(super) fn claim(session: &mut Session, limit: u32, at: Timestamp) -> Step<Vec<ClaimedRun>> {
    let db = &session.connection;
    let owner: Option<i64> = read_one(db, sql!("common/registered"), &[], |row| row.get(0))?;
    let owner = owner.ok_or_else(|| Error::Conflict {
        what: "store",
        key: "sqlite".into(),
        why: "has no process registered that could claim runs".into(),
    })?;
    let mut claimed = read(db, sql!("sqlite/claim_read"), &[(":limit", &limit)], claimed_run)?;
    let mut update = db.prepare_cached(sql!("sqlite/claim"))?;
    for run in &mut claimed {
        bind(&mut update, &[(":at", &at.as_millis()), (":owner", &owner), (":id", run.run.as_bytes())])?;
        update.raw_execute()?;
        run.attempt += 1;
        session.runs.push(run.run, run.job, RunState::Running);
    }
    drop(update);
    session.flush_runs(at)?;
    Ok(claimed)
}

/// See [`crate::Store::release_due`].
pub(super) fn release_due(session: &mut Session, at: Timestamp, limit: u32) -> Step<Released> {
    let db = &session.connection;
    let values: [(&str, &dyn ToSql); 2] = [(":at", &at.as_millis()), (":limit", &limit)];
    let due = read(db, sql!("common/release_due_read"), &values, |row| Ok((run_id(row, 0)?, JobId(row.get(1)?))))?;
    let mut released = Released::default();
    for (run, job) in due {
        execute(db, sql!("common/run_queue"), &[(":id", run.as_bytes()), (":from", &"scheduled")])?;
        session.runs.push(run, job, RunState::Queued);
        released.count += 1;
    }
    released.next_at = read_one(db, sql!("common/release_due_next"), &[], |row| maybe_instant(row, 0))?.flatten();
    session.flush_runs(at)?;
    Ok(released)
}

/// See [`crate::Store::take_changes`].
pub(super) fn take_changes(session: &mut Session, limit: u32) -> Step<Changes> {
    let db = &session.connection;
    let rows = read(db, sql!("common/take_triggers_read"), &[(":limit", &limit)], |row| {
        Ok((row.get::<_, i64>(0)?, TriggerId(row.get(1)?)))
    })?;
    if let Some((seq, _)) = rows.last() {
        execute(db, sql!("common/take_triggers"), &[(":seq", seq)])?;
    }
    let cancels: Vec<RunId> = read(db, sql!("common/take_cancels_read"), &[], |row| run_id(row, 0))?;
    if !cancels.is_empty() {
        execute(db, sql!("common/take_cancels"), &[])?;
    }
    let queued = execute(db, sql!("common/take_queued"), &[])? > 0;
    let more = exists(db, sql!("common/take_triggers_more"), &[])?;
    Ok(Changes { triggers: rows.into_iter().map(|(_, trigger)| trigger).collect(), cancels, queued, more })
}
