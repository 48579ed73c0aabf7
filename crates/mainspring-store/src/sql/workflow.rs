//! Runs of workflows: what there is to do, and one step at a time.

mod cancel;
mod end;
mod repair;
mod repeat;
mod step;
mod turn;

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::cluster::ShardSet;
use mainspring_core::job::JobKey;
use mainspring_core::run::RunState;
use mainspring_core::workflow::{Stop, TaskState};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp};

use super::Batches;
use super::cluster::mask;
use super::db::{
    Db, Fault, Lock, Query, Row, Step, ToSql, execute, instant, known, maybe_instant, maybe_run_id, maybe_word,
    on_servers, read, read_one, read_page, run_id, sql, word,
};
use super::list;
use super::session::Session;
use crate::workflow::{Message, MessageBody, TaskRequest, TaskRow, WorkflowDue, WorkflowRow, shared};

pub(crate) use repair::repair;
pub(crate) use repeat::repeat;
pub(crate) use step::{note_queued, steps, write};

/// Stands for the end of a run's time once that is reached.
const REACHED: i64 = -1;

/// The item of a task as a whole.
const WHOLE: i64 = -1;

pub(super) fn item_of(item: Option<u32>) -> i64 {
    item.map_or(WHOLE, i64::from)
}

/// See [`crate::Store::workflows_due`].
pub(crate) fn due(db: &dyn Db, shards: ShardSet, limit: u32) -> Step<Vec<WorkflowDue>> {
    let shards = mask(shards);
    let found = |begins: bool| {
        move |row: &Row<'_>| {
            let (job, job_version) = (JobId(row.get(1)?), JobVersion(row.get(2)?));
            Ok(WorkflowDue { run: run_id(row, 0)?, job, job_version, begins })
        }
    };
    let values: [(&str, &dyn ToSql); 2] = [(":shards", &shards), (":limit", &limit)];
    let begins = read(db, sql!("workflow_begins", mysql), &values, found(true))?;
    let hears = read(db, sql!("workflow_hears", postgres, mysql), &values, found(false))?;
    Ok(shared(begins, hears, limit))
}

/// See [`crate::Store::begin_workflows`].
pub(crate) fn begin<C: Batches>(session: &mut Session<C>, runs: &[RunId], at: Timestamp) -> Step<Vec<bool>> {
    let Session { connection: db, runs: changes, .. } = &mut *session;
    let wanted: BTreeSet<RunId> = runs.iter().copied().collect();
    let queries = wanted.iter().map(|run| [(":id", run.as_bytes() as &dyn ToSql)]).collect::<Vec<_>>();
    if C::LISTS {
        let wanted = list::of_runs(wanted.iter().copied());
        execute(db, on_servers!("workflow_lock_runs", postgres, mysql), &[(":runs", &wanted)])?;
    }
    let queries: Vec<Query<'_>> = queries.iter().map(|id| (sql!("workflow_begins_read"), &id[..])).collect();
    let mut waiting = BTreeMap::new();
    db.each_of(&queries, &mut |_, row| {
        waiting.insert(run_id(row, 0)?, JobId(row.get(1)?));
        Ok(())
    })?;
    for (run, job) in &waiting {
        let this: [(&str, &dyn ToSql); 1] = [(":run", run.as_bytes())];
        db.post(sql!("workflow_begin"), &[(":at", &at.as_millis()), (":id", run.as_bytes())], None)?;
        db.post(sql!("workflow_begun", mysql), &this, None)?;
        db.post(sql!("workflow_owe"), &this, None)?;
        changes.push(*run, *job, RunState::Running);
    }
    session.flush_runs(at)?;
    // A run that is named twice is begun once.
    Ok(runs.iter().map(|run| waiting.remove(run).is_some()).collect())
}

fn gone() -> Fault {
    Fault::Unreadable("a run is gone though it is locked".to_owned())
}

/// See [`crate::Store::workflows`]. Most are live: they are read in as many steps as one is.
pub(crate) fn workflows(db: &dyn Db, runs: &[RunId], inbox: u32) -> Step<Vec<Option<WorkflowRow>>> {
    let these = these(runs);
    let mut found: Vec<Option<WorkflowRow>> = vec![None; runs.len()];
    for kind in [sql!("workflow_live"), sql!("workflow_final")] {
        let open: Vec<usize> = (0..runs.len()).filter(|index| found[*index].is_none()).collect();
        let queries: Vec<Query<'_>> = open.iter().map(|index| (kind, &these[*index][..])).collect();
        db.each_of(&queries, &mut |place, row| {
            found[open[place]] = Some(about(runs[open[place]], row)?);
            Ok(())
        })?;
    }
    let queries: Vec<Query<'_>> = these.iter().map(|this| (sql!("workflow_tasks"), &this[..])).collect();
    db.each_of(&queries, &mut |place, row| {
        if let Some(found) = &mut found[place] {
            found.tasks.push(task(row)?);
        }
        Ok(())
    })?;
    for (row, inbox) in found.iter_mut().zip(inboxes(db, runs, inbox)?) {
        if let Some(row) = row {
            row.inbox = inbox;
        }
    }
    Ok(found)
}

/// See [`crate::Store::workflow_inboxes`].
pub(crate) fn inboxes(db: &dyn Db, runs: &[RunId], limit: u32) -> Step<Vec<Vec<Message>>> {
    let values: Vec<[(&str, &dyn ToSql); 2]> =
        these(runs).into_iter().map(|[run]| [run, (":limit", &limit as &dyn ToSql)]).collect();
    let queries: Vec<Query<'_>> = values.iter().map(|values| (sql!("workflow_inbox"), &values[..])).collect();
    let (mut inboxes, mut seen) = (vec![Vec::new(); runs.len()], vec![0; runs.len()]);
    db.each_of(&queries, &mut |place, row| {
        seen[place] += 1;
        inboxes[place].extend(known(message(row))?);
        Ok(())
    })?;
    for (index, run) in runs.iter().enumerate() {
        // Others take the places of what cannot be read.
        if seen[index] == limit && inboxes[index].len() < limit as usize {
            inboxes[index] = read_page(db, sql!("workflow_inbox"), &[(":run", run.as_bytes())], limit, message)?;
        }
    }
    Ok(inboxes)
}

/// Whether something is left to hear, or to do, for each of the runs.
pub(super) fn are_told(db: &dyn Db, runs: &[RunId]) -> Step<Vec<bool>> {
    let these = these(runs);
    let queries: Vec<Query<'_>> = these.iter().map(|this| (sql!("workflow_told"), &this[..])).collect();
    let mut told = vec![false; runs.len()];
    db.each_of(&queries, &mut |place, _| {
        told[place] = true;
        Ok(())
    })?;
    Ok(told)
}

fn these(runs: &[RunId]) -> Vec<[(&str, &dyn ToSql); 1]> {
    runs.iter().map(|run| [(":run", run.as_bytes() as &dyn ToSql)]).collect()
}

/// See [`crate::Store::called_runs`].
pub(crate) fn called(db: &dyn Db, run: RunId) -> Step<Vec<(RunId, String)>> {
    let this: [(&str, &dyn ToSql); 1] = [(":run", run.as_bytes())];
    read(db, sql!("calls_live"), &this, |row| Ok((run_id(row, 0)?, row.get(1)?)))
}

fn about(run: RunId, row: &Row<'_>) -> Step<WorkflowRow> {
    Ok(WorkflowRow {
        run,
        job: JobId(row.get(0)?),
        key: JobKey::new(row.get::<String>(1)?, row.get::<String>(2)?),
        job_version: JobVersion(row.get(3)?),
        fire_time: instant(row, 4)?,
        priority: row.get(5)?,
        input: row.get(6)?,
        turn: row.get(7)?,
        stop: maybe_word(row, 8, Stop::from_word)?,
        paused: row.get(9)?,
        ended: maybe_word(row, 10, RunState::from_word)?,
        rerun_as: maybe_run_id(row, 11)?,
        timed_out: row.get::<Option<i64>>(12)? == Some(REACHED),
        tasks: Vec::new(),
        inbox: Vec::new(),
    })
}

fn task(row: &Row<'_>) -> Step<TaskRow> {
    Ok(TaskRow {
        task: row.get(0)?,
        item: u32::try_from(row.get::<i64>(1)?).ok(),
        state: word(row, 2, TaskState::from_word)?,
        generation: row.get(3)?,
        child: maybe_run_id(row, 4)?,
        reason: row.get(5)?,
        since: instant(row, 6)?,
    })
}

fn message(row: &Row<'_>) -> Step<Message> {
    let body = match maybe_run_id(row, 1)? {
        Some(child) => MessageBody::Ended { child, state: word(row, 2, RunState::from_word)? },
        None => {
            let request = serde_json::from_str(row.get::<&str>(3)?);
            MessageBody::Asked(request.map_err(|error| Fault::Unreadable(format!("a request to a workflow: {error}")))?)
        }
    };
    Ok(Message { id: row.get(0)?, body })
}

/// Counts tasks that wait for the end of a run that has ended and of which nothing is left to hear: none, unless something is broken.
pub(crate) fn stuck(db: &dyn Db) -> Step<u64> {
    let count = read_one(db, sql!("workflow_stuck"), &[], |row| row.get::<i64>(0))?;
    Ok(count.unwrap_or(0).unsigned_abs())
}

/// When the time of the next run is over.
pub(crate) fn next_expiring(db: &dyn Db) -> Step<Option<Timestamp>> {
    Ok(read_one(db, sql!("workflow_expired_next"), &[], |row| maybe_instant(row, 0))?.flatten())
}

/// Tells runs whose time is over of that, each once.
pub(crate) fn expire(session: &mut Session<impl Batches>, at: Timestamp, limit: u32) -> Step<()> {
    let values: [(&str, &dyn ToSql); 2] = [(":at", &at.as_millis()), (":limit", &limit)];
    let due: Vec<RunId> = read(&session.connection, sql!("workflow_expired_read"), &values, |row| run_id(row, 0))?;
    session.wakes |= !due.is_empty();
    let db = &session.connection;
    for run in due {
        // The run before the row of its workflow, as whoever ends it does.
        db.lock(sql!("lock_run"), Lock::Write, &[(":id", run.as_bytes())])?;
        let values: [(&str, &dyn ToSql); 2] = [(":run", run.as_bytes()), (":at", &at.as_millis())];
        if execute(db, sql!("workflow_expire"), &values)? == 1 {
            leave(db, run, &TaskRequest::time_out(at))?;
        }
    }
    Ok(())
}

/// See [`crate::Store::ask_workflow`].
pub(crate) fn ask(session: &mut Session<impl Batches>, run: RunId, request: &TaskRequest) -> Step<bool> {
    let db = &session.connection;
    db.lock(sql!("lock_run"), Lock::Write, &[(":id", run.as_bytes())])?;
    let asked = leave(db, run, request)?;
    session.wakes |= asked;
    Ok(asked)
}

/// Leaves a request in the inbox of a run that is locked. False: it is no live run of a workflow.
pub(super) fn leave(db: &dyn Db, run: RunId, request: &TaskRequest) -> Step<bool> {
    let request = serde_json::to_string(request).expect("a request is plain data");
    let values: [(&str, &dyn ToSql); 2] = [(":request", &request), (":run", run.as_bytes())];
    Ok(execute(db, sql!("workflow_ask"), &values)? == 1)
}
