//! Recording ends of attempts.

use std::collections::{BTreeSet, HashMap, HashSet};

use mainspring_core::batch::{AttemptDetail, Completion, CompletionBatch, CompletionOutcome, Rearm};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{JobId, RunId, Timestamp, TriggerId};

use super::Batches;
use super::data;
use super::db::{Db, Row, Sql, Step, ToSql, Values, execute, exists, millis, read, release, run_id, sql};
use super::gate::Gates;
use super::job;
use super::list;
use super::session::Session;
use crate::Error;

/// See [`crate::Store::complete`].
pub(crate) fn complete(session: &mut Session<impl Batches>, batch: &CompletionBatch) -> Step<CompletionOutcome> {
    let outcome = record(session, batch)?;
    session.flush_own_runs(batch.at)?;
    Ok(outcome)
}

/// The same, before anybody is told.
pub(super) fn record(session: &mut Session<impl Batches>, batch: &CompletionBatch) -> Step<CompletionOutcome> {
    let owner = session.number_of(batch.id.incarnation)?;
    let mut outcome = CompletionOutcome::default();
    let mut left = Left::default();
    let mut kept = data::Left::default();
    let (mut noted, mut rearms) = (Vec::new(), Vec::new());
    let mut holders = Vec::with_capacity(batch.entries.len());
    for entry in &batch.entries {
        holders.push(entry.held_by.map_or(Ok(owner), |worker| session.number_of(worker))?);
    }
    let ends = session.connection.end_usual(batch, &holders)?;
    // Gates before runs, as whoever ends a run of a job under its gate does.
    let open = batch.entries.iter().zip(&ends).filter(|(_, end)| matches!(end, End::Open));
    let open: Vec<&Completion> = open.map(|(entry, _)| entry).collect();
    left.gates.load(&session.connection, &open.iter().map(|entry| entry.job).collect())?;
    let mut running = running(&session.connection, &open)?;
    for (((index, entry), end), holder) in (0_u32..).zip(&batch.entries).zip(ends).zip(holders) {
        let state = match end {
            End::Final(state) => state,
            End::Open => {
                let is_meant = |open: &&Open| (open.attempt, open.holder) == (entry.attempt, Some(holder));
                let Some(open) = running.get(&entry.run).filter(is_meant).copied() else {
                    outcome.refused.push(index);
                    continue;
                };
                running.remove(&entry.run);
                end_unusual(session, entry, open, &mut left, &mut noted)?
            }
        };
        kept.note(entry);
        session.runs.end(entry.run, entry.job, entry.job_version, state);
        rearms.extend(entry.rearm.filter(|_| state.is_final()).map(|rearm| (rearm, entry.run)));
    }
    outcome.rearmed = arm_all(&session.connection, &rearms)?;
    fill_slots(session, left, &mut outcome)?;
    kept.keep(&session.connection)?;
    for trigger in noted {
        session.note_trigger(trigger)?;
    }
    session.connection.note_elsewhere(owner, &outcome)?;
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
        if finish(db, entry, state, holders[index])? {
            ends[index] = End::Final(state);
        }
    }
    Ok(ends)
}

/// Moves a run to history. False: it is not open, or counts in a gate.
fn finish(db: &dyn Db, entry: &Completion, state: RunState, holder: i64) -> Step<bool> {
    db.make_room(&mut std::iter::once(entry.run))?;
    if with_end(entry, state, (holder, false), |values| execute(db, sql!("complete_append"), values))? == 0 {
        return Ok(false);
    }
    execute(db, sql!("complete_remove"), &[(":id", entry.run.as_bytes())])?;
    Ok(true)
}

/// The values of complete_append.
fn with_end<T>(
    entry: &Completion,
    state: RunState,
    (holder, gated): (i64, bool),
    append: impl FnOnce(&Values<'_>) -> Step<T>,
) -> Step<T> {
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
        (":owner", &holder),
        (":gated", &gated),
    ];
    append(&values)
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

/// An attempt under way.
#[derive(Clone, Copy)]
struct Open {
    attempt: u32,
    holder: Option<i64>,
    job: JobId,
    trigger: Option<TriggerId>,
    gated: bool,
    cancel_requested: bool,
}

/// Locks the runs of entries that are under way, and reads them.
fn running(db: &dyn Db, entries: &[&Completion]) -> Step<HashMap<RunId, Open>> {
    if entries.is_empty() {
        return Ok(HashMap::new());
    }
    let runs = entries.iter().map(|entry| entry.run).collect::<BTreeSet<RunId>>();
    let runs = list::of_runs(runs.into_iter());
    let open = read(db, sql!("complete_read", postgres, mysql), &[(":runs", &runs)], |row| {
        let open = Open {
            attempt: row.get(1)?,
            holder: row.get(2)?,
            job: JobId(row.get(3)?),
            trigger: row.get::<Option<i64>>(4)?.map(TriggerId),
            gated: row.get(5)?,
            cancel_requested: row.get(6)?,
        };
        Ok((run_id(row, 0)?, open))
    })?;
    Ok(open.into_iter().collect())
}

/// Ends an attempt that is followed by another one, or whose run counts in a gate.
fn end_unusual(
    session: &mut Session<impl Batches>,
    entry: &Completion,
    open: Open,
    left: &mut Left,
    noted: &mut Vec<TriggerId>,
) -> Step<RunState> {
    let db = &session.connection;
    let state = match entry.then {
        AfterAttempt::Final(verdict) => RunState::from(verdict),
        AfterAttempt::RetryAt(_) if open.cancel_requested => {
            noted.extend(awaiting(db, open.trigger, entry.run)?);
            RunState::Cancelled
        }
        AfterAttempt::RetryAt(not_before) => {
            retry(db, entry, not_before)?;
            return Ok(RunState::Scheduled);
        }
    };
    let changed =
        || Error::Unavailable { operation: "complete", source: "a run has changed though it is locked".into() };
    let held = (open.holder.unwrap_or_default(), true);
    db.make_room(&mut std::iter::once(entry.run))?;
    with_end(entry, state, held, |values| db.post(sql!("complete_append"), values, Some(changed)))?;
    db.post(sql!("complete_remove"), &[(":id", entry.run.as_bytes())], None)?;
    if open.gated {
        left.gates.leave(db, open.job, RunState::Running)?;
        left.jobs.insert(open.job);
    }
    Ok(state)
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
    db.post(sql!("complete_attempt"), &values, None)?;
    let values: [(&str, &dyn ToSql); 3] = [
        (":not_before", &not_before.as_millis()),
        (":deadline", &millis(entry.deadline)),
        (":id", entry.run.as_bytes()),
    ];
    db.post(sql!("complete_retry"), &values, None)
}

/// The trigger, if it awaits the run.
pub(crate) fn awaiting(db: &dyn Db, trigger: Option<TriggerId>, run: RunId) -> Step<Option<TriggerId>> {
    let Some(trigger) = trigger else { return Ok(None) };
    let values: [(&str, &dyn ToSql); 2] = [(":trigger", &trigger.0), (":run", run.as_bytes())];
    Ok(exists(db, sql!("awaiting"), &values)?.then_some(trigger))
}

/// Sets the next instant of a `delay` trigger, if it still awaits the run.
pub(crate) fn arm(db: &dyn Db, rearm: Rearm, run: RunId) -> Step<bool> {
    with_rearm(rearm, run, |values| Ok(execute(db, REARM, values)? == 1))
}

/// The same for all that a batch sets going. Answers those that still awaited their run.
fn arm_all(db: &dyn Db, rearms: &[(Rearm, RunId)]) -> Step<Vec<TriggerId>> {
    if rearms.is_empty() {
        return Ok(Vec::new());
    }
    let triggers = rearms.iter().map(|(rearm, _)| rearm.trigger.0).collect::<BTreeSet<i64>>();
    let triggers = list::of_numbers(triggers.into_iter());
    let awaited = |row: &Row<'_>| Ok((TriggerId(row.get(0)?), run_id(row, 1)?));
    let awaited = read(db, sql!("rearm_read", postgres, mysql), &[(":triggers", &triggers)], awaited)?;
    let awaited: HashSet<(TriggerId, RunId)> = awaited.into_iter().collect();
    let awaits = |(rearm, run): &&(Rearm, RunId)| awaited.contains(&(rearm.trigger, *run));
    let mut armed = Vec::new();
    for (rearm, run) in rearms.iter().filter(awaits) {
        with_rearm(*rearm, *run, |values| db.post(REARM, values, None))?;
        armed.push(rearm.trigger);
    }
    Ok(armed)
}

const REARM: Sql = sql!("rearm", mysql);

fn with_rearm<T>(rearm: Rearm, run: RunId, set: impl FnOnce(&Values<'_>) -> Step<T>) -> Step<T> {
    let values: [(&str, &dyn ToSql); 5] = [
        (":next", &millis(rearm.next_fire_at)),
        (":due", &millis(rearm.due_at)),
        (":tzdata", &release(rearm.tzdata)),
        (":id", &rearm.trigger.0),
        (":run", run.as_bytes()),
    ];
    set(&values)
}

/// Gives freed slots to held runs, and names the jobs that have one left. What counts is the limit that a job has
/// now, whatever it was when the runs were made.
fn fill_slots(session: &mut Session<impl Batches>, left: Left, outcome: &mut CompletionOutcome) -> Step<()> {
    let Session { connection, runs, .. } = session;
    let Left { mut gates, jobs } = left;
    let limits = job::limits(connection, &jobs)?;
    outcome.promoted = gates.promote(connection, runs, &limits)?;
    for (job, rule) in limits {
        let gate = gates.of(connection, job)?;
        if gate.active < rule.max_active && gate.held == 0 {
            outcome.freed.push(job);
        }
    }
    gates.write(connection)
}
