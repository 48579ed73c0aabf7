//! From `scheduled` over `queued` to `running`, what a new process start takes over, and what the engine has to hear.

use mainspring_core::batch::{ClaimedRun, Heard, LiveRun, Queues};
use mainspring_core::cluster::ShardSet;
use mainspring_core::line::Line;
use mainspring_core::run::RunState;
use mainspring_core::{BatchId, Incarnation, JobId, JobVersion, Timestamp, TriggerId};

use super::db::{Db, Row, Step, ToSql, execute, instant, maybe_instant, read, read_one, run_id, sql};
use super::repeat::Taking;
use super::replace::expire;
use super::session::Session;
use super::{Batches, list, queues as set, workflow};
use crate::row::{Changes, Released};

/// See [`crate::Store::adopt`].
pub(crate) fn adopt<C: Batches>(
    session: &mut Session<C>,
    incarnation: Incarnation,
    at: Timestamp,
) -> Step<Vec<LiveRun>> {
    let number = session.number_of(incarnation)?;
    let db = &session.connection;
    db.raise_fence(number)?;
    let this: [(&str, &dyn ToSql); 1] = [(":incarnation", &number)];
    execute(db, sql!("adopt_started"), &[(":at", &at.as_millis()), (":incarnation", &number)])?;
    let running = read(db, sql!("adopt_read"), &this, live_run)?;
    execute(db, sql!("adopt"), &this)?;
    if !C::TELLS_AGAIN {
        execute(db, sql!("adopt_changes"), &[])?;
    }
    Ok(running)
}

pub(crate) fn live_run(row: &Row<'_>) -> Step<LiveRun> {
    let (claimed, claimed_at) = (claimed_run(row)?, maybe_instant(row, 8)?);
    Ok(LiveRun { claimed, state: RunState::Running, claimed_at, ends: row.get(9)? })
}

/// A run that waits, or has waited, and the line in which.
pub(crate) fn queued_run(row: &Row<'_>, line: usize) -> Step<ClaimedRun> {
    let queue = Line::parse(row.get(line)?).queue().to_owned();
    Ok(ClaimedRun { queue: Some(queue), ..claimed_run(row)? })
}

fn claimed_run(row: &Row<'_>) -> Step<ClaimedRun> {
    Ok(ClaimedRun {
        run: run_id(row, 0)?,
        job: JobId(row.get(1)?),
        job_version: JobVersion(row.get(2)?),
        trigger: row.get::<Option<i64>>(3)?.map(TriggerId),
        fire_time: instant(row, 4)?,
        due_at: instant(row, 5)?,
        attempt: row.get(6)?,
        input: row.get(7)?,
        queue: None,
    })
}

/// See [`crate::Store::claim`].
pub(crate) fn claim(
    session: &mut Session<impl Batches>,
    id: BatchId,
    queues: &Queues,
    limit: u32,
    at: Timestamp,
) -> Step<Vec<ClaimedRun>> {
    let claimed = take(session, id, queues, limit, at)?;
    session.flush_runs(at)?;
    Ok(claimed)
}

/// The same, before anybody is told.
pub(super) fn take(
    session: &mut Session<impl Batches>,
    id: BatchId,
    queues: &Queues,
    limit: u32,
    at: Timestamp,
) -> Step<Vec<ClaimedRun>> {
    let owner = session.number_of(id.incarnation)?;
    let db = &session.connection;
    db.share_fence(owner)?;
    let taking = Taking::claim(db, owner, id.sequence)?;
    if let Some(before) = taking.repeated()? {
        return Ok(before.into_iter().map(|live| live.claimed).collect());
    }
    let claimed = set::claim((db, &session.task_labels), owner, queues, limit, at, id.sequence)?;
    taking.keep(&claimed)?;
    for run in &claimed {
        session.runs.push(run.run, run.job, RunState::Running);
    }
    Ok(claimed)
}

/// See [`crate::Store::adopt_from`].
pub(crate) fn adopt_from(
    session: &mut Session<impl Batches>,
    dead: Incarnation,
    id: BatchId,
    limit: u32,
) -> Step<Vec<LiveRun>> {
    let (dead, by) = (session.number_of(dead)?, session.number_of(id.incarnation)?);
    let db = &session.connection;
    let taking = Taking::adoption(db, by, dead, id.sequence)?;
    if let Some(mut before) = taking.repeated()? {
        before.iter_mut().for_each(|live| live.claimed.queue = None);
        return Ok(before);
    }
    let taken = db.adopt(dead, by, limit)?;
    taking.keep(taken.iter().map(|live| &live.claimed))?;
    Ok(taken)
}

/// Claims the runs that come first, one by one.
pub(crate) fn claim_by_rows(
    db: &dyn Db,
    owner: i64,
    queue: Option<&str>,
    limit: u32,
    at: Timestamp,
) -> Step<Vec<ClaimedRun>> {
    let run = |row: &Row<'_>| queued_run(row, 8);
    let mut claimed = match queue {
        None => read(db, sql!("claim_read"), &[(":limit", &limit)], run)?,
        Some(queue) => read(db, sql!("claim_queue_read"), &[(":queue", &queue), (":limit", &limit)], run)?,
    };
    for run in &mut claimed {
        let values: [(&str, &dyn ToSql); 3] =
            [(":at", &at.as_millis()), (":owner", &owner), (":id", run.run.as_bytes())];
        execute(db, sql!("claim"), &values)?;
        run.attempt += 1;
    }
    Ok(claimed)
}

/// See [`crate::Store::held`].
pub(crate) fn held(db: &dyn Db, by: &[u8; 16]) -> Step<Vec<LiveRun>> {
    read(db, sql!("held"), &[(":id", by)], live_run)
}

/// Takes over runs one by one.
pub(crate) fn adopt_by_rows(db: &dyn Db, dead: i64, by: i64, limit: u32) -> Step<Vec<LiveRun>> {
    let taken = read(db, sql!("adopt_from_read"), &[(":dead", &dead), (":limit", &limit)], live_run)?;
    for run in &taken {
        execute(db, sql!("adopt_from"), &[(":by", &by), (":id", run.claimed.run.as_bytes())])?;
    }
    Ok(taken)
}

/// See [`crate::Store::release_due`].
pub(crate) fn release_due(session: &mut Session<impl Batches>, at: Timestamp, limit: u32) -> Step<Released> {
    let db = &session.connection;
    let values: [(&str, &dyn ToSql); 2] = [(":at", &at.as_millis()), (":limit", &limit)];
    let due = read(db, sql!("release_due_read", mysql), &values, |row| Ok((run_id(row, 0)?, JobId(row.get(1)?))))?;
    let mut released = Released::default();
    for (run, job) in due {
        if execute(db, sql!("run_queue"), &[(":id", run.as_bytes()), (":from", &"scheduled")])? == 1 {
            session.runs.push(run, job, RunState::Queued);
            released.count += 1;
        }
    }
    released.expired = expire_due(session, at, limit)?;
    let mut of_workflows = workflow::next_expiring(&session.connection)?;
    if of_workflows.is_some_and(|next| next <= at) {
        workflow::expire(session, at, limit)?;
        of_workflows = workflow::next_expiring(&session.connection)?;
    }
    let db = &session.connection;
    let next = |statement| read_one(db, statement, &[], |row| maybe_instant(row, 0));
    let nexts = [next(sql!("release_due_next", mysql))?, next(sql!("expired_next", mysql))?];
    released.next_at = nexts.into_iter().flatten().flatten().chain(of_workflows).min();
    session.flush_runs(at)?;
    Ok(released)
}

/// Ends runs that have waited for too long: job by job, as their gates are locked.
fn expire_due(session: &mut Session<impl Batches>, at: Timestamp, limit: u32) -> Step<u32> {
    let values: [(&str, &dyn ToSql); 2] = [(":at", &at.as_millis()), (":limit", &limit)];
    let expired = |row: &Row<'_>| Ok((JobId(row.get(1)?), run_id(row, 0)?, row.get::<u32>(2)?));
    let mut due = read(&session.connection, sql!("expired_read", mysql), &values, expired)?;
    due.sort_unstable_by_key(|(job, run, _)| (*job, *run));
    let mut count = 0;
    for (job, run, attempt) in due {
        count += u32::from(expire(session, run, job, attempt, at)?);
    }
    Ok(count)
}

/// See [`crate::Store::read_changes`].
pub(crate) fn read_changes<C: Batches>(
    session: &mut Session<C>,
    by: Incarnation,
    shards: ShardSet,
    heard: &Heard,
    limit: u32,
) -> Step<Changes> {
    let owner = session.number_of(by)?;
    let db = &session.connection;
    db.share_fence(owner)?;
    forget(db, heard)?;
    let mut noted = db.noted_triggers(shards, limit.saturating_add(1))?;
    let more = noted.len() > limit as usize;
    noted.truncate(limit as usize);
    let cancels = read(db, sql!("noted_cancels"), &[(":owner", &owner)], |row| run_id(row, 0))?;
    let queued = db.take_queued()?;
    let queued = std::mem::take(&mut session.queued) || queued;
    let (numbers, triggers) = noted.into_iter().unzip();
    let mut told = Heard { triggers: numbers, cancels: cancels.clone() };
    if !C::TELLS_AGAIN {
        forget(db, &std::mem::take(&mut told))?;
    }
    Ok(Changes { triggers, cancels, queued, more, heard: told })
}

/// Removes changes that a process start has heard of.
fn forget(db: &dyn Db, heard: &Heard) -> Step<()> {
    if !heard.triggers.is_empty() {
        let numbers = list::of_numbers(heard.triggers.iter().copied());
        execute(db, sql!("forget_triggers", postgres, mysql), &[(":numbers", &numbers)])?;
    }
    if !heard.cancels.is_empty() {
        let runs = list::of_runs(heard.cancels.iter().copied());
        execute(db, sql!("forget_cancels", postgres, mysql), &[(":runs", &runs)])?;
    }
    Ok(())
}

/// A change of a trigger.
pub(crate) fn noted_trigger(row: &Row<'_>) -> Step<(i64, TriggerId)> {
    Ok((row.get(0)?, TriggerId(row.get(1)?)))
}
