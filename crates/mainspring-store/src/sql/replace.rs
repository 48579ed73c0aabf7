//! Runs that end before they are done: at once where no worker has them, by request where one has. And the rule of
//! `cancel_running`, by which a newer run takes the place of an older one.

use mainspring_core::job::GateRule;
use mainspring_core::overlap::{Admission, REPLACED, admit_replacing, to_replace};
use mainspring_core::run::{RunEvent, RunState, expiry, next_state};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};

use super::Batches;
use super::complete::awaiting;
use super::db::{Db, Lock, Row, Step, ToSql, execute, exists, read, read_one, run_id, sql, word};
use super::gate::Gates;
use super::route::end_shards;
use super::run::free_slot;
use super::session::{RunChanges, Session};
use super::workflow;
use crate::workflow::TaskRequest;

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
    let Some(live) = unfinished(db, run)? else { return Ok(Notes::default()) };
    match live.state {
        RunState::Running => {
            request_end(db, run, live.is_held, reason, at)?;
            return Ok(Notes::waking());
        }
        RunState::Waiting => {
            if let Some(notes) = end_shards(db, runs, run, live.job, reason, at)? {
                return Ok(notes);
            }
        }
        _ => {}
    }
    end_unstarted(db, runs, gates, run, Ending::cancelled(reason), at)
}

/// An unfinished run, as far as its end goes.
pub(crate) struct Unfinished {
    pub(crate) job: JobId,
    pub(crate) state: RunState,
    pub(crate) gated: bool,
    pub(crate) trigger: Option<TriggerId>,
    pub(crate) version: JobVersion,
    /// Whether somebody executes it, if it is running. Nobody does who begins a workflow.
    pub(crate) is_held: bool,
}

impl Unfinished {
    /// Takes it from the columns that begin at this one.
    pub(crate) fn read(row: &Row<'_>, first: usize) -> Step<Self> {
        Ok(Self {
            job: JobId(row.get(first)?),
            state: word(row, first + 1, RunState::from_word)?,
            gated: row.get(first + 2)?,
            trigger: row.get::<Option<i64>>(first + 3)?.map(TriggerId),
            version: JobVersion(row.get(first + 4)?),
            is_held: !row.get::<bool>(first + 5)?,
        })
    }
}

/// Reads a run that is unfinished.
pub(crate) fn unfinished(db: &dyn Db, run: RunId) -> Step<Option<Unfinished>> {
    read_one(db, sql!("cancel_read"), &[(":id", run.as_bytes())], |row| Unfinished::read(row, 0))
}

/// Asks for the end of a running run that is locked. A workflow's hears of it in its inbox: its tasks end first. The first request
/// stays.
pub(crate) fn request_end(db: &dyn Db, run: RunId, is_held: bool, reason: &str, at: Timestamp) -> Step<()> {
    let values: [(&str, &dyn ToSql); 3] = [(":at", &at.as_millis()), (":reason", &reason), (":id", run.as_bytes())];
    let is_first = execute(db, sql!("cancel_request"), &values)? == 1;
    if is_held {
        execute(db, sql!("note_cancel", mysql), &[(":run", run.as_bytes())])?;
    } else if is_first {
        workflow::leave(db, run, &TaskRequest::cancel(reason, at))?;
    }
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
    let Some(Unfinished { job, state, gated, trigger, version, .. }) = unfinished(db, run)? else {
        return Ok(Notes::default());
    };
    db.make_room(&mut std::iter::once(run))?;
    let Ending { event, reason } = ending;
    let Ok(over) = next_state(state, event) else { return Ok(Notes::default()) };
    let values: [(&str, &dyn ToSql); 4] =
        [(":state", &over.as_str()), (":at", &at.as_millis()), (":reason", &reason), (":id", run.as_bytes())];
    execute(db, sql!("cancel_unstarted"), &values)?;
    execute(db, sql!("complete_remove"), &id)?;
    if gated {
        gates.leave(db, job, state)?;
    }
    runs.end(run, job, version, over);
    Ok(Notes { triggers: awaiting(db, trigger, run)?.into_iter().collect(), wakes: false })
}
