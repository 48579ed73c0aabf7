//! Recording ends of attempts.

use std::collections::BTreeSet;

use mainspring_core::batch::{AttemptDetail, Completion, CompletionBatch, CompletionOutcome, Rearm};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{JobId, RunId, Timestamp, TriggerId};

use super::Batches;
use super::data;
use super::db::{Db, Lock, Step, ToSql, execute, exists, millis, read_one, release, sql};
use super::gate::Gates;
use super::job;
use super::session::Session;

/// See [`crate::Store::complete`].
pub(crate) fn complete(session: &mut Session<impl Batches>, batch: &CompletionBatch) -> Step<CompletionOutcome> {
    let owner = session.number_of(batch.id.incarnation)?;
    let mut outcome = CompletionOutcome::default();
    let mut left = Left::default();
    let mut kept = data::Left::default();
    let mut noted = Vec::new();
    let mut holders = Vec::with_capacity(batch.entries.len());
    for entry in &batch.entries {
        holders.push(entry.held_by.map_or(Ok(owner), |worker| session.number_of(worker))?);
    }
    let ends = session.connection.end_usual(batch, &holders)?;
    // Gates before runs, as whoever ends a run of a job under its gate does.
    let open = batch.entries.iter().zip(&ends).filter(|(_, end)| matches!(end, End::Open));
    for job in open.map(|(entry, _)| entry.job).collect::<BTreeSet<JobId>>() {
        left.gates.find(&session.connection, job)?;
    }
    for (((index, entry), end), holder) in (0_u32..).zip(&batch.entries).zip(ends).zip(holders) {
        let state = match end {
            End::Final(state) => state,
            End::Open => match end_unusual(session, entry, holder, &mut left, &mut noted)? {
                Some(state) => state,
                None => {
                    outcome.refused.push(index);
                    continue;
                }
            },
        };
        kept.note(entry);
        session.runs.push(entry.run, entry.job, state);
        if let Some(rearm) = entry.rearm.filter(|_| state.is_final()) {
            outcome.rearmed.extend(arm(&session.connection, rearm, entry.run)?.then_some(rearm.trigger));
        }
    }
    fill_slots(session, left, &mut outcome)?;
    kept.keep(&session.connection)?;
    for trigger in noted {
        session.note_trigger(trigger)?;
    }
    session.connection.note_elsewhere(owner, &outcome)?;
    session.flush_runs(batch.at)?;
    Ok(outcome)
}

/// The gates that runs have left, and whose they are.
#[derive(Default)]
struct Left {
    gates: Gates,
    jobs: BTreeSet<JobId>,
}

/// What the first pass made of an entry.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// In history, with this state.
    Final(RunState),
    /// To be looked at closer.
    Open,
}

/// The entries that may end in the usual way, in order of ids: neighbours in the history share pages.
pub(crate) fn usual(batch: &CompletionBatch) -> Vec<(usize, &Completion, RunState)> {
    let mut order: Vec<usize> = (0..batch.entries.len()).collect();
    order.sort_by_key(|index| batch.entries[*index].run);
    let mut first = None;
    let mut usual = Vec::with_capacity(order.len());
    for index in order {
        let entry = &batch.entries[index];
        // Where several entries name a run, the first one has the word.
        if first.replace(entry.run) == Some(entry.run) {
            continue;
        }
        if let AfterAttempt::Final(verdict) = entry.then {
            usual.push((index, entry, RunState::from(verdict)));
        }
    }
    usual
}

/// Moves what ends in the usual way to history, one by one.
pub(crate) fn end_by_rows(db: &dyn Db, batch: &CompletionBatch, holders: &[i64]) -> Step<Vec<End>> {
    let mut ends = vec![End::Open; batch.entries.len()];
    for (index, entry, state) in usual(batch) {
        if finish(db, entry, state, holders[index], false)? {
            ends[index] = End::Final(state);
        }
    }
    Ok(ends)
}

/// Moves a run to history. False: it is not open, or (unless `gated`) counts in a gate.
fn finish(db: &dyn Db, entry: &Completion, state: RunState, owner: i64, gated: bool) -> Step<bool> {
    let none = AttemptDetail::default();
    let detail = entry.detail.as_deref().unwrap_or(&none);
    let values: [(&str, &dyn ToSql); 15] = [
        (":state", &state.as_str()),
        (":started_at", &millis(entry.started_at)),
        (":ended_at", &entry.ended_at.as_millis()),
        (":outcome", &entry.outcome.as_str()),
        (":keep_reason", &(state == RunState::Cancelled)),
        (":reason", &reason(entry.outcome, state)),
        (":output", &detail.output),
        (":exit_code", &detail.exit_code),
        (":signal", &detail.signal),
        (":error_code", &detail.error_code),
        (":error", &detail.error),
        (":id", entry.run.as_bytes()),
        (":attempt", &entry.attempt),
        (":owner", &owner),
        (":gated", &gated),
    ];
    db.make_room(&mut std::iter::once(entry.run))?;
    if execute(db, sql!("complete_append"), &values)? == 0 {
        return Ok(false);
    }
    execute(db, sql!("complete_remove"), &[(":id", entry.run.as_bytes())])?;
    Ok(true)
}

/// The reason that is kept of a run which ends with an attempt. One that a worker took and that is skipped was vetoed.
pub(crate) const fn reason(outcome: AttemptOutcome, state: RunState) -> Option<&'static str> {
    match (state, outcome) {
        (RunState::Skipped, _) => Some("vetoed"),
        (_, AttemptOutcome::Lost) => Some("lost"),
        (_, AttemptOutcome::TimedOut) => Some("timed_out"),
        (_, AttemptOutcome::Succeeded | AttemptOutcome::Failed | AttemptOutcome::Cancelled) => None,
    }
}

/// Ends an attempt that is followed by another one, or whose run counts in a gate. Nothing: it is not open.
fn end_unusual(
    session: &mut Session<impl Batches>,
    entry: &Completion,
    owner: i64,
    left: &mut Left,
    noted: &mut Vec<TriggerId>,
) -> Step<Option<RunState>> {
    let db = &session.connection;
    db.lock(sql!("lock_run"), Lock::Write, &[(":id", entry.run.as_bytes())])?;
    let values: [(&str, &dyn ToSql); 3] =
        [(":id", entry.run.as_bytes()), (":attempt", &entry.attempt), (":owner", &owner)];
    let open = read_one(db, sql!("complete_read"), &values, |row| {
        Ok((JobId(row.get(0)?), row.get::<Option<i64>>(1)?, row.get::<bool>(2)?, row.get::<bool>(3)?))
    })?;
    let Some((job, trigger, gated, cancel_requested)) = open else { return Ok(None) };
    let state = match entry.then {
        AfterAttempt::Final(verdict) => RunState::from(verdict),
        AfterAttempt::RetryAt(_) if cancel_requested => {
            noted.extend(awaiting(db, trigger.map(TriggerId), entry.run)?);
            RunState::Cancelled
        }
        AfterAttempt::RetryAt(not_before) => {
            retry(db, entry, not_before)?;
            return Ok(Some(RunState::Scheduled));
        }
    };
    finish(db, entry, state, owner, true)?;
    if gated {
        left.gates.leave(db, job, RunState::Running)?;
        left.jobs.insert(job);
    }
    Ok(Some(state))
}

fn retry(db: &dyn Db, entry: &Completion, not_before: Timestamp) -> Step<()> {
    let none = AttemptDetail::default();
    let detail = entry.detail.as_deref().unwrap_or(&none);
    let values: [(&str, &dyn ToSql); 8] = [
        (":outcome", &entry.outcome.as_str()),
        (":started_at", &millis(entry.started_at)),
        (":ended_at", &entry.ended_at.as_millis()),
        (":exit_code", &detail.exit_code),
        (":signal", &detail.signal),
        (":error_code", &detail.error_code),
        (":error", &detail.error),
        (":id", entry.run.as_bytes()),
    ];
    execute(db, sql!("complete_attempt"), &values)?;
    let values: [(&str, &dyn ToSql); 3] = [
        (":not_before", &not_before.as_millis()),
        (":deadline", &millis(entry.deadline)),
        (":id", entry.run.as_bytes()),
    ];
    execute(db, sql!("complete_retry"), &values)?;
    Ok(())
}

/// The trigger, if it awaits the run.
pub(crate) fn awaiting(db: &dyn Db, trigger: Option<TriggerId>, run: RunId) -> Step<Option<TriggerId>> {
    let Some(trigger) = trigger else { return Ok(None) };
    let values: [(&str, &dyn ToSql); 2] = [(":trigger", &trigger.0), (":run", run.as_bytes())];
    Ok(exists(db, sql!("awaiting"), &values)?.then_some(trigger))
}

/// Sets the next instant of a `delay` trigger, if it still awaits the run.
pub(crate) fn arm(db: &dyn Db, rearm: Rearm, run: RunId) -> Step<bool> {
    let values: [(&str, &dyn ToSql); 5] = [
        (":next", &millis(rearm.next_fire_at)),
        (":due", &millis(rearm.due_at)),
        (":tzdata", &release(rearm.tzdata)),
        (":id", &rearm.trigger.0),
        (":run", run.as_bytes()),
    ];
    Ok(execute(db, sql!("rearm", mysql), &values)? == 1)
}

/// Gives freed slots to held runs, and names the jobs that have one left. What counts is the limit that a job has
/// now, whatever it was when the runs were made.
fn fill_slots(session: &mut Session<impl Batches>, left: Left, outcome: &mut CompletionOutcome) -> Step<()> {
    let Session { connection, runs, .. } = session;
    let Left { mut gates, jobs } = left;
    for job in jobs {
        let Some(rule) = job::limit(connection, job)? else { continue };
        outcome.promoted += gates.promote(connection, runs, job, rule)?;
        let gate = gates.of(connection, job)?;
        if gate.active < rule.max_active && gate.held == 0 {
            outcome.freed.push(job);
        }
    }
    gates.write(connection)
}
