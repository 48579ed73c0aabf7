//! Requests about runs: asking for them, ending them, looking at them.

use std::collections::BTreeSet;

use mainspring_core::batch::{Placed, Rearm};
use mainspring_core::job::{GateRule, JobKey};
use mainspring_core::line::Line;
use mainspring_core::overlap::{Admission, admit_asked};
use mainspring_core::routing::Shard;
use mainspring_core::run::{AttemptOutcome, Origin, RunState};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};

use super::Batches;
use super::complete::arm;
use super::correct::note_repeat;
use super::db::{
    Db, Lock, Row, Sql, Step, ToSql, Values, execute, exists, instant, known, maybe_instant, maybe_run_id, maybe_word,
    millis, read, read_known, read_one, run_id, sql, word,
};
use super::fire::{is_known, named};
use super::gate::Gates;
use super::job;
use super::replace::{Ending, Notes, Unfinished, end_unstarted, replace, request_end, unfinished};
use super::route::end_shards;
use super::session::{RunChanges, Session};
use super::workflow::{item_of, repeat};
use crate::error::Error;
use crate::row::{Asked, AskedRun, AttemptInfo, CalledBy, Caller, Cancelled, RunInfo, RunQuery};
use crate::worker::executor_of;

/// See [`crate::Store::ask_run`].
pub(crate) fn ask(session: &mut Session<impl Batches>, asked: &AskedRun) -> Step<Asked> {
    let db = &session.connection;
    let missing = || Error::NotFound { what: "job", key: format!("{} version {}", asked.job, asked.job_version) };
    db.lock(sql!("lock_job"), Lock::Share, &[(":id", &asked.job.0)])?;
    let version: [(&str, &dyn ToSql); 2] = [(":job", &asked.job.0), (":version", &asked.job_version.0)];
    let job = job::by_id(db, asked.job)?.ok_or_else(missing)?;
    if !exists(db, sql!("definition"), &version)? {
        return Err(missing().into());
    }
    let has_caller = |by: &CalledBy| may_call(db, asked.id, by);
    if is_known(db, asked.id)? || !asked.caller.as_ref().map_or(Ok(true), has_caller)? {
        return Ok(Asked { placed: Placed::Known });
    }
    let rule = job.definition.gate();
    let mut notes = Notes::default();
    let (state, placed) = admit(db, &mut session.runs, &mut notes, asked, rule)?;
    let expires_at = job.definition.start_timeout_ms.map(|ms| asked.at + ms);
    insert(db, asked, state, rule.is_some(), expires_at)?;
    if let Some(CalledBy { caller: Caller { run, task }, backfilled, .. }) = &asked.caller {
        let values: [(&str, &dyn ToSql); 6] = [
            (":child", asked.id.as_bytes()),
            (":parent", run.as_bytes()),
            (":task", task),
            (":job", &asked.job.0),
            (":fire_time", &asked.fire_time.as_millis()),
            (":backfilled", backfilled),
        ];
        execute(db, sql!("call_add"), &values)?;
    }
    if let (Some(of), Some(it)) = (asked.rerun_of, &asked.repeat) {
        repeat(db, of, asked.id, it)?;
    }
    if let Some(of) = asked.rerun_of {
        note_repeat(db, of, asked.at)?;
    }
    session.runs.push(asked.id, asked.job, state);
    session.flush_runs(asked.at)?;
    notes.pass_on(session)?;
    session.note_queued();
    Ok(Asked { placed })
}

/// Whether a task of a workflow run still names a run, which was not made before. Its row stays as it is until the end of the transaction:
/// whoever sets the task back either finds the run or comes first.
fn may_call(db: &dyn Db, run: RunId, by: &CalledBy) -> Step<bool> {
    let parent: (&str, &dyn ToSql) = (":run", by.caller.run.as_bytes());
    db.lock(sql!("lock_workflow"), Lock::Share, &[parent])?;
    let item = item_of(by.item);
    let row: [(&str, &dyn ToSql); 4] = [parent, (":task", &by.task), (":item", &item), (":child", run.as_bytes())];
    Ok(exists(db, sql!("call_named"), &row)? && !exists(db, sql!("call_has"), &[(":id", run.as_bytes())])?)
}

/// Asks the job's gate, if it has a limit, and counts the run in.
fn admit(
    db: &dyn Db,
    runs: &mut RunChanges,
    notes: &mut Notes,
    asked: &AskedRun,
    rule: Option<GateRule>,
) -> Step<(RunState, Placed)> {
    let Some(rule) = rule else { return Ok((RunState::Queued, Placed::Queued)) };
    let mut gates = Gates::default();
    let mut admission = admit_asked(*gates.of(db, asked.job)?, rule);
    if admission == Admission::Replace {
        admission = replace(db, runs, &mut gates, notes, asked.job, rule, asked.at)?;
    }
    let gate = gates.of(db, asked.job)?;
    let (state, placed, slots) = match admission {
        Admission::Start => (RunState::Queued, Placed::Queued, &mut gate.active),
        _ => (RunState::Held, Placed::Held, &mut gate.held),
    };
    *slots += 1;
    gates.write(db)?;
    Ok((state, placed))
}

fn insert(db: &dyn Db, asked: &AskedRun, state: RunState, gated: bool, expires_at: Option<Timestamp>) -> Step<()> {
    let values: [(&str, &dyn ToSql); 13] = [
        (":id", asked.id.as_bytes()),
        (":job", &asked.job.0),
        (":job_version", &asked.job_version.0),
        (":state", &state.as_str()),
        (":origin", &asked.origin.as_str()),
        (":gated", &gated),
        (":fire_time", &asked.fire_time.as_millis()),
        (":at", &asked.at.as_millis()),
        (":priority", &asked.priority),
        (":queue", &named(&asked.queue)),
        (":input", &asked.input),
        (":rerun_of", &asked.rerun_of.as_ref().map(RunId::as_bytes)),
        (":expires_at", &millis(expires_at)),
    ];
    execute(db, sql!("ask_run"), &values)?;
    Ok(())
}

/// See [`crate::Store::cancel_run`].
pub(crate) fn cancel(
    session: &mut Session<impl Batches>,
    run: RunId,
    reason: &str,
    rearm: Option<Rearm>,
    at: Timestamp,
) -> Step<Cancelled> {
    let db = &session.connection;
    let id: [(&str, &dyn ToSql); 1] = [(":id", run.as_bytes())];
    let mut gates = Gates::default();
    // The gate before the run, as whoever promotes runs does.
    if let Some(Unfinished { job, .. }) = unfinished(db, run)? {
        gates.find(db, job)?;
    }
    db.lock(sql!("lock_run"), Lock::Write, &id)?;
    let Some(Unfinished { job, state, is_held, .. }) = unfinished(db, run)? else {
        let over = read_one(db, sql!("history_state"), &id, |row| word(row, 0, RunState::from_word))?;
        let missing = || Error::NotFound { what: "run", key: run.to_string() };
        return Ok(Cancelled::AlreadyFinal(over.ok_or_else(missing)?));
    };
    if state == RunState::Running {
        request_end(db, run, is_held, reason, at)?;
        session.wakes = true;
        return Ok(Cancelled::Requested);
    }
    if state == RunState::Waiting
        && let Some(notes) = end_shards(db, &mut session.runs, run, job, reason, at)?
    {
        notes.pass_on(session)?;
        session.flush_runs(at)?;
        return Ok(Cancelled::Requested);
    }
    end_unstarted(db, &mut session.runs, &mut gates, run, Ending::cancelled(reason), at)?.pass_on(session)?;
    if let Some(rearm) = rearm {
        arm(&session.connection, rearm, run)?;
    }
    session.wakes = true;
    free_slot(session, gates, job)?;
    session.flush_runs(at)?;
    Ok(Cancelled::AtOnce)
}

/// See [`crate::Store::rearm`].
pub(crate) fn rearm(session: &Session<impl Batches>, run: RunId, rearm: Rearm) -> Step<bool> {
    let db = &session.connection;
    Ok(!exists(db, sql!("live_has"), &[(":id", run.as_bytes())])? && arm(db, rearm, run)?)
}

/// Gives a freed slot to held runs, or tells the engine that one is left.
pub(crate) fn free_slot(session: &mut Session<impl Batches>, gates: Gates, job: JobId) -> Step<()> {
    free_slots(session, gates, &BTreeSet::from([job]))
}

/// The same for several jobs.
pub(crate) fn free_slots(session: &mut Session<impl Batches>, mut gates: Gates, jobs: &BTreeSet<JobId>) -> Step<()> {
    let limits = job::limits(&session.connection, jobs)?;
    let Session { connection, runs, .. } = &mut *session;
    let promoted = gates.promote(connection, runs, &limits)?;
    let mut free = Vec::new();
    for (job, rule) in limits {
        let gate = gates.of(connection, job)?;
        free.extend((gate.active < rule.max_active && gate.held == 0).then_some(job));
    }
    gates.write(connection)?;
    if promoted > 0 {
        session.note_queued();
    }
    free.into_iter().try_for_each(|job| session.note_job(job))
}

/// See [`crate::Store::run`].
pub(crate) fn run(db: &dyn Db, run: RunId) -> Step<Option<RunInfo>> {
    Ok(find(db, run)?.map(|(info, _)| info))
}

/// A run, with the outcome of its last attempt if it is final and that has no record of its own.
fn find(db: &dyn Db, run: RunId) -> Step<Option<(RunInfo, Option<AttemptOutcome>)>> {
    let id: [(&str, &dyn ToSql); 1] = [(":id", run.as_bytes())];
    let live = read_one(db, sql!("run_live"), &id, info)?;
    Ok(match live {
        Some(live) => Some(live),
        None => read_one(db, sql!("run_final"), &id, info)?,
    })
}

/// See [`crate::Store::runs`]. Others take the places of runs that this program cannot read, so that fewer than the limit are the end.
pub(crate) fn list(db: &dyn Db, query: &RunQuery) -> Step<Vec<RunInfo>> {
    let least = query.from.map_or(RunId::from_bytes([0; 16]), RunId::floor);
    let end = query.to.map_or(RunId::from_bytes([u8::MAX; 16]), RunId::floor);
    let mut end = query.before.map_or(end, |before| before.min(end));
    let mut own = (least, RunId::from_bytes([u8::MAX; 16]));
    if let Some(parent) = query.parent {
        let Some((parent_info, _)) = find(db, parent)? else { return Ok(Vec::new()) };
        let (first, last) = parent.shard_bounds(parent_info.job);
        own = (least.max(first), after(last));
    }
    let mut found = Vec::new();
    loop {
        let rest = query.limit as usize - found.len();
        let mut ids = list_ids(db, query, (own.0, end.min(own.1)), rest)?;
        let calls = called_ids(db, query, (least, end), rest)?;
        ids.extend_from_slice(&calls);
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids.truncate(rest);
        let is_last = ids.len() < rest;
        end = ids.last().copied().unwrap_or(end);
        for id in ids {
            let run = known(run(db, id))?.flatten();
            found.extend(run.filter(|run| !calls.contains(&id) || query.takes(run)));
        }
        if is_last || found.len() == query.limit as usize {
            return Ok(found);
        }
    }
}

/// The ids of what a query wants, newest first, from one up to before another. They are found by an index, in both tables.
fn list_ids(db: &dyn Db, query: &RunQuery, (from, to): (RunId, RunId), limit: usize) -> Step<Vec<RunId>> {
    let states: String = query.states.iter().flat_map(|state| [",", state.as_str()]).collect();
    let states = (!states.is_empty()).then(|| states + ",");
    let job = query.job.map(|job| job.0);
    let bounds: [(&str, &dyn ToSql); 2] = [(":from", from.as_bytes()), (":to", to.as_bytes())];
    let versions = if query.with_tasks || query.parent.is_some() { i64::MAX } else { JobVersion::FIRST_OF_TASKS.0 };
    let parent = query.parent.as_ref().map(RunId::as_bytes);
    let most = u32::try_from(limit).unwrap_or(u32::MAX);
    let rest: [(&str, &dyn ToSql); 5] = [
        (":namespace", &query.namespace),
        (":versions", &versions),
        (":parent", &parent),
        (":states", &states),
        (":limit", &most),
    ];
    let line: [(&str, &dyn ToSql); 1] = [(":line", &query.line)];
    let ids = |sql: Sql, values: &Values<'_>| read(db, sql, values, |row| run_id(row, 0));
    let of_job: [(&str, &dyn ToSql); 1] = [(":job", &job)];
    let mut found = Vec::new();
    if query.wants(false) {
        let live = if query.line.is_some() {
            ids(sql!("runs_in_line", mysql), &[&bounds[..], &of_job, &line, &rest].concat())?
        } else {
            ids(sql!("runs_live"), &[&bounds[..], &of_job, &rest].concat())?
        };
        found.extend(live);
    }
    if query.wants(true) {
        found.extend(match job.filter(|_| query.parent.is_none()) {
            Some(_) => ids(sql!("runs_final_of_job"), &[&of_job[..], &bounds, &rest].concat())?,
            None => ids(sql!("runs_final"), &[&bounds[..], &rest].concat())?,
        });
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(limit);
    Ok(found)
}

/// The ids of runs that tasks of the parent have started, of whatever job and state, newest first, from one up to before another.
fn called_ids(db: &dyn Db, query: &RunQuery, (from, to): (RunId, RunId), limit: usize) -> Step<Vec<RunId>> {
    let Some(parent) = query.parent.filter(|_| query.with_calls) else { return Ok(Vec::new()) };
    let most = u32::try_from(limit).unwrap_or(u32::MAX);
    let values: [(&str, &dyn ToSql); 4] =
        [(":parent", parent.as_bytes()), (":from", from.as_bytes()), (":to", to.as_bytes()), (":limit", &most)];
    read(db, sql!("calls_of"), &values, |row| run_id(row, 0))
}

/// See [`crate::Store::called_for`].
pub(crate) fn called_for(db: &dyn Db, job: JobId, (first, last): (Timestamp, Timestamp)) -> Step<Vec<RunId>> {
    let values: [(&str, &dyn ToSql); 3] =
        [(":job", &job.0), (":first", &first.as_millis()), (":last", &last.as_millis())];
    read(db, sql!("calls_for"), &values, |row| run_id(row, 0))
}

/// The least id that is greater.
fn after(id: RunId) -> RunId {
    RunId::from_bytes(u128::from_be_bytes(*id.as_bytes()).saturating_add(1).to_be_bytes())
}

fn info(row: &Row<'_>) -> Step<(RunInfo, Option<AttemptOutcome>)> {
    let line: &str = row.get(16)?;
    let caller = match maybe_run_id(row, 35)? {
        Some(run) => Some(Caller { run, task: row.get(36)? }),
        None => None,
    };
    let (node, worker) = executor_of(row.get::<Option<String>>(37)?);
    let info = RunInfo {
        id: run_id(row, 0)?,
        job: JobId(row.get(1)?),
        key: JobKey::new(row.get::<String>(2)?, row.get::<String>(3)?),
        job_version: JobVersion(row.get(4)?).base(),
        trigger: row.get::<Option<i64>>(5)?.map(TriggerId),
        trigger_name: row.get(6)?,
        state: word(row, 7, RunState::from_word)?,
        origin: word(row, 8, Origin::from_word)?,
        fire_time: instant(row, 9)?,
        due_at: instant(row, 10)?,
        created_at: instant(row, 11)?,
        claimed_at: maybe_instant(row, 12)?,
        started_at: maybe_instant(row, 13)?,
        ended_at: maybe_instant(row, 14)?,
        attempt: row.get(15)?,
        queue: Line::parse(line).queue().to_owned(),
        worker: worker.or_else(|| Line::parse(line).worker().map(str::to_owned)),
        node,
        priority: row.get(17)?,
        not_before: maybe_instant(row, 18)?,
        cancel_requested_at: maybe_instant(row, 19)?,
        reason: row.get(20)?,
        input: row.get(21)?,
        output: row.get(22)?,
        exit_code: row.get(23)?,
        signal: row.get(24)?,
        error_code: row.get(25)?,
        error: row.get(26)?,
        rerun_of: maybe_run_id(row, 27)?,
        cause: maybe_run_id(row, 34)?,
        caller,
        expires_at: maybe_instant(row, 29)?,
        parent: maybe_run_id(row, 30)?,
        shard: shard(row)?,
        task: row.get(33)?,
    };
    Ok((info, maybe_word(row, 28, AttemptOutcome::from_word)?))
}

/// A run that waits for its shards knows their number alone.
fn shard(row: &Row<'_>) -> Step<Option<Shard>> {
    let (index, total): (Option<u32>, Option<u32>) = (row.get(31)?, row.get(32)?);
    Ok(index.zip(total).map(|(index, total)| Shard { index, total }))
}

/// See [`crate::Store::attempts`].
pub(crate) fn attempts(db: &dyn Db, run: RunId) -> Step<Vec<AttemptInfo>> {
    let mut attempts = read_known(db, sql!("attempts"), &[(":run", run.as_bytes())], attempt)?;
    let Some((info, outcome)) = find(db, run)? else { return Ok(attempts) };
    if outcome.is_some() || info.state == RunState::Running {
        attempts.push(AttemptInfo {
            attempt: info.attempt,
            outcome,
            claimed_at: info.claimed_at,
            started_at: info.started_at,
            ended_at: info.ended_at,
            exit_code: info.exit_code,
            signal: info.signal,
            error_code: info.error_code,
            error: info.error,
        });
    }
    Ok(attempts)
}

fn attempt(row: &Row<'_>) -> Step<AttemptInfo> {
    Ok(AttemptInfo {
        attempt: row.get(0)?,
        outcome: maybe_word(row, 1, AttemptOutcome::from_word)?,
        claimed_at: maybe_instant(row, 2)?,
        started_at: maybe_instant(row, 3)?,
        ended_at: maybe_instant(row, 4)?,
        exit_code: row.get(5)?,
        signal: row.get(6)?,
        error_code: row.get(7)?,
        error: row.get(8)?,
    })
}
