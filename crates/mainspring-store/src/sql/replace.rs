//! Runs that end before they are done: at once where no worker has them, by request where one has. And the rule of
//! `cancel_running`, by which a newer run takes the place of an older one.

use mainspring_core::job::GateRule;
use mainspring_core::overlap::{Admission, REPLACED, admit_replacing, to_replace};
use mainspring_core::run::{RunEvent, RunState, expiry};
use mainspring_core::{JobId, RunId, Timestamp, TriggerId};

use super::Batches;
use super::complete::awaiting;
use super::db::{Db, Lock, Step, ToSql, execute, exists, read, read_one, run_id, sql, word};
use super::gate::Gates;
use super::route::end_shards;
use super::run::free_slot;
use super::session::{RunChanges, Session};

/// What the engine has to hear of, once the request is done.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    wakes: bool,
    triggers: Vec<TriggerId>,
}

impl Notes {
    /// Notes it in the outbox.
    pub(crate) fn pass_on(self, session: &mut Session<impl Batches>) -> Step<()> {
        session.wakes |= self.wakes;
        self.triggers.into_iter().try_for_each(|trigger| session.note_trigger(trigger))
    }

    /// That a worker has to end something.
    pub(crate) fn waking() -> Self {
        Self { wakes: true, ..Self::default() }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.wakes |= other.wakes;
        self.triggers.extend(other.triggers);
    }
}

/// Lets an older run make room for one more under `cancel_running`, and says whether that one can start. The gate is
/// locked, so that no run of the job comes or goes meanwhile.
pub(crate) fn replace(
    db: &dyn Db,
    runs: &mut RunChanges,
    gates: &mut Gates,
    notes: &mut Notes,
    job: JobId,
    rule: GateRule,
    at: Timestamp,
) -> Step<Admission> {
    let values: [(&str, &dyn ToSql); 1] = [(":job", &job.0)];
    let standing: Vec<RunId> = read(db, sql!("standing", mysql), &values, |row| run_id(row, 0))?;
    let values: [(&str, &dyn ToSql); 2] = [(":job", &job.0), (":limit", &1_i64)];
    let held = read_one(db, sql!("gate_promote", mysql), &values, |row| run_id(row, 0))?;
    if let Some(run) = to_replace(rule, *gates.of(db, job)?, held, &standing) {
        notes.add(end_one(db, runs, gates, run, REPLACED, at)?);
    }
    Ok(admit_replacing(*gates.of(db, job)?, rule))
}

/// Ends a run, or asks for its end. It is locked before its state is looked at: a worker may claim it just now.
pub(crate) fn end_one(
    db: &dyn Db,
    runs: &mut RunChanges,
    gates: &mut Gates,
    run: RunId,
    reason: &str,
    at: Timestamp,
) -> Step<Notes> {
    let id: [(&str, &dyn ToSql); 1] = [(":id", run.as_bytes())];
    db.lock(sql!("lock_run"), Lock::Write, &id)?;
    let found =
        read_one(db, sql!("cancel_read"), &id, |row| Ok((JobId(row.get(0)?), word(row, 1, RunState::from_word)?)))?;
    match found {
        Some((_, RunState::Running)) => {
            request_end(db, run, reason, at)?;
            return Ok(Notes::waking());
        }
        Some((job, RunState::Waiting)) => {
            if let Some(notes) = end_shards(db, runs, run, job, reason, at)? {
                return Ok(notes);
            }
        }
        _ => {}
    }
    end_unstarted(db, runs, gates, run, Ending::cancelled(reason), at)
}

/// Asks for the end of a running run.
pub(crate) fn request_end(db: &dyn Db, run: RunId, reason: &str, at: Timestamp) -> Step<()> {
    let values: [(&str, &dyn ToSql); 3] = [(":at", &at.as_millis()), (":reason", &reason), (":id", run.as_bytes())];
    execute(db, sql!("cancel_request"), &values)?;
    execute(db, sql!("note_cancel", mysql), &[(":run", run.as_bytes())])?;
    Ok(())
}

/// How a run ends that no worker has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending<'a> {
    pub(crate) event: RunEvent,
    pub(crate) reason: Option<&'a str>,
}

impl<'a> Ending<'a> {
    pub(crate) const fn cancelled(reason: &'a str) -> Self {
        Self { event: RunEvent::CancelledUnstarted, reason: Some(reason) }
    }
}

/// Ends a run that has waited for too long, and gives its slot to others. False: it waits no more.
pub(crate) fn expire(
    session: &mut Session<impl Batches>,
    run: RunId,
    job: JobId,
    attempt: u32,
    at: Timestamp,
) -> Step<bool> {
    let mut gates = Gates::default();
    let db = &session.connection;
    gates.find(db, job)?;
    db.lock(sql!("lock_run"), Lock::Write, &[(":id", run.as_bytes())])?;
    if !exists(db, sql!("expired"), &[(":id", run.as_bytes()), (":attempt", &attempt), (":at", &at.as_millis())])? {
        return Ok(false);
    }
    let (event, reason) = expiry(attempt);
    let ending = Ending { event, reason: Some(reason) };
    end_unstarted(db, &mut session.runs, &mut gates, run, ending, at)?.pass_on(session)?;
    free_slot(session, gates, job)?;
    Ok(true)
}

/// Ends a run that no worker has. Nothing happens to one that a worker has by now.
pub(crate) fn end_unstarted(
    db: &dyn Db,
    runs: &mut RunChanges,
    gates: &mut Gates,
    run: RunId,
    ending: Ending<'_>,
    at: Timestamp,
) -> Step<Notes> {
    let id: [(&str, &dyn ToSql); 1] = [(":id", run.as_bytes())];
    db.lock(sql!("lock_run"), Lock::Write, &id)?;
    let live = read_one(db, sql!("cancel_read"), &id, |row| {
        let trigger = row.get::<Option<i64>>(3)?.map(TriggerId);
        Ok((JobId(row.get(0)?), word(row, 1, RunState::from_word)?, row.get::<bool>(2)?, trigger))
    })?;
    let Some((job, state, gated, trigger)) = live else { return Ok(Notes::default()) };
    db.make_room(&mut std::iter::once(run))?;
    let Ending { event, reason } = ending;
    let Ok(over) = state.on(event) else { return Ok(Notes::default()) };
    let values: [(&str, &dyn ToSql); 4] =
        [(":state", &over.as_str()), (":at", &at.as_millis()), (":reason", &reason), (":id", run.as_bytes())];
    execute(db, sql!("cancel_unstarted"), &values)?;
    execute(db, sql!("complete_remove"), &id)?;
    if gated {
        gates.leave(db, job, state)?;
    }
    runs.push(run, job, over);
    Ok(Notes { triggers: awaiting(db, trigger, run)?.into_iter().collect(), wakes: false })
}
