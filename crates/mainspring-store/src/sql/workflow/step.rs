//! One step of a workflow run. Where the database takes lists, a few statements do for thousands of tasks.

use std::collections::HashSet;

use mainspring_core::run::{RunEvent, RunState, Verdict, next_state};
use mainspring_core::{JobId, JobVersion, RunId, TriggerId};
use serde_json::{Value, json};

use super::cancel::cancel;
use super::{REACHED, gone, item_of};
use crate::error::Error;
use crate::sql::Batches;
use crate::sql::awaits;
use crate::sql::complete::awaiting;
use crate::sql::db::{Db, Lock, Row, Step, ToSql, execute, millis, on_servers, read, read_one, run_id, sql};
use crate::sql::gate::Gates;
use crate::sql::list::{self, hex, lists};
use crate::sql::run::free_slot;
use crate::sql::session::Session;
use crate::workflow::{Stepped, TaskStart, TaskWrite, TimeLimit, WorkflowStep};

/// What a step has to know of its run.
#[derive(Clone, Copy)]
struct Head {
    turn: i64,
    /// How many ids of runs of tasks are given out.
    children: u32,
    job: JobId,
    version: JobVersion,
    gated: bool,
    trigger: Option<TriggerId>,
}

/// See [`crate::Store::step_workflow`].
pub(crate) fn step(session: &mut Session<impl Batches>, step: &WorkflowStep) -> Step<Stepped> {
    let db = &session.connection;
    let this: [(&str, &dyn ToSql); 1] = [(":run", step.run.as_bytes())];
    let Some(head) = read_one(db, sql!("workflow_head"), &this, head)?.filter(|head| head.turn == step.turn) else {
        return Ok(Stepped::Stale);
    };
    let mut gates = Gates::default();
    if step.end.is_some() {
        // The gate before the run, as whoever promotes runs does.
        gates.find(db, head.job)?;
        db.lock(sql!("lock_run"), Lock::Write, &[(":id", step.run.as_bytes())])?;
    }
    take_turn(db, step)?;
    limit(session, step)?;
    let db = &session.connection;
    let children = new_ids(db, step, head)?;
    if !step.heard.is_empty() {
        let heard = list::of_numbers(step.heard.iter().copied());
        db.post(sql!("workflow_heard", postgres, mysql), &[(":messages", &heard)], None)?;
    }
    write_tasks(db, step, &children)?;
    awaits::add(db, head.job, step)?;
    // The end of the run tells whoever awaits a task of it, too.
    if step.end.is_none() {
        awaits::tell_tasks(db, step.run, &step.over)?;
    }
    start(db, step, head, &children)?;
    for child in &children {
        session.runs.push(*child, head.job, RunState::Queued);
    }
    cancel(session, &step.cancel, step.at)?;
    match &step.end {
        Some((verdict, reason)) => end(session, step, head, gates, *verdict, reason.as_deref())?,
        None => owe(&session.connection, step)?,
    }
    session.flush_runs(step.at)?;
    if !children.is_empty() {
        session.note_queued();
    }
    Ok(Stepped::Written(children))
}

fn head(row: &Row<'_>) -> Step<Head> {
    Ok(Head {
        turn: row.get(0)?,
        children: row.get(1)?,
        job: JobId(row.get(2)?),
        version: JobVersion(row.get(3)?),
        gated: row.get(4)?,
        trigger: row.get::<Option<i64>>(5)?.map(TriggerId),
    })
}

/// What a request is refused for whose turn another one has taken meanwhile.
pub(crate) const TURN: &str = "turn of a workflow run";

fn stale() -> Error {
    Error::Conflict { what: TURN, key: String::new(), why: "is taken".to_owned() }
}

/// Takes the turn of a step, of which one may be at a time. Refused if another one has.
fn take_turn(db: &dyn Db, step: &WorkflowStep) -> Step<()> {
    let next = if step.end.is_some() { 0 } else { step.turn + 1 };
    let values: [(&str, &dyn ToSql); 5] = [
        (":next", &next),
        (":stop", &step.stop.map(|stop| stop.as_str())),
        (":paused", &step.paused),
        (":run", step.run.as_bytes()),
        (":turn", &step.turn),
    ];
    db.post(sql!("workflow_step"), &values, Some(stale))
}

/// Notes what is known of the run's time from now on.
fn limit(session: &mut Session<impl Batches>, step: &WorkflowStep) -> Step<()> {
    let Some(limit) = step.limit else { return Ok(()) };
    let expires_at = match limit {
        TimeLimit::Ends(at) => Some(at.as_millis()),
        TimeLimit::Reached => Some(REACHED),
        TimeLimit::Lifted => None,
    };
    let values: [(&str, &dyn ToSql); 2] = [(":expires_at", &expires_at), (":run", step.run.as_bytes())];
    session.connection.post(sql!("workflow_expires"), &values, None)?;
    // Whoever looks for what is due looks for this, too.
    session.note_queued();
    Ok(())
}

/// Notes whether there is more to do.
fn owe(db: &dyn Db, step: &WorkflowStep) -> Step<()> {
    let this: [(&str, &dyn ToSql); 1] = [(":run", step.run.as_bytes())];
    db.post(sql!("workflow_owe_no_more"), &this, None)?;
    if step.more { db.post(sql!("workflow_owe"), &this, None) } else { Ok(()) }
}

/// Chooses the ids of the runs that are to be made: the next after those given out before.
fn new_ids(db: &dyn Db, step: &WorkflowStep, head: Head) -> Step<Vec<RunId>> {
    let wanted = step.tasks.iter().filter(|task| task.start.is_some()).count();
    let mut ids = Vec::with_capacity(wanted);
    let mut next = head.children;
    while ids.len() < wanted {
        let count = u32::try_from(wanted - ids.len()).expect("a step is bounded");
        let new: Vec<RunId> = (next..next + count).map(|index| step.run.shard(head.job, index)).collect();
        next += count;
        // Whoever asks for a run chooses its id: that of a task may be taken.
        let taken = taken(db, &new)?;
        ids.extend(new.into_iter().filter(|id| !taken.contains(id)));
    }
    if wanted > 0 {
        let values: [(&str, &dyn ToSql); 2] = [(":children", &next), (":run", step.run.as_bytes())];
        db.post(sql!("workflow_children"), &values, None)?;
    }
    Ok(ids)
}

fn taken(db: &dyn Db, ids: &[RunId]) -> Step<HashSet<RunId>> {
    let (Some(from), Some(to)) = (ids.iter().min(), ids.iter().max()) else { return Ok(HashSet::new()) };
    let values: [(&str, &dyn ToSql); 2] = [(":from", from.as_bytes()), (":to", to.as_bytes())];
    Ok(read(db, sql!("workflow_taken"), &values, |row| run_id(row, 0))?.into_iter().collect())
}

/// The run that a task's row names from now on: the one that is made for it, or the one that it is to start.
fn named(task: &TaskWrite, start: Option<(RunId, &TaskStart)>) -> Option<RunId> {
    start.map(|(child, _)| child).or(task.call)
}

/// The writes of a step, each with the run that is made for it.
fn writes<'a>(
    step: &'a WorkflowStep,
    children: &'a [RunId],
) -> impl Iterator<Item = (&'a TaskWrite, Option<(RunId, &'a TaskStart)>)> {
    let mut children = children.iter();
    step.tasks.iter().map(move |task| {
        let start = task.start.as_ref();
        (task, start.and_then(|start| Some((*children.next()?, start))))
    })
}

fn write_tasks<C: Batches>(db: &C, step: &WorkflowStep, children: &[RunId]) -> Step<()> {
    let (run, at) = (step.run.as_bytes(), step.at.as_millis());
    if C::LISTS {
        let row = |(task, start): (&TaskWrite, Option<(RunId, &TaskStart)>)| {
            let child = named(task, start).map(hex);
            json!([task.task, item_of(task.item), task.state.as_str(), task.generation, child, task.reason])
        };
        for rows in lists(writes(step, children).map(row)) {
            let values: [(&str, &dyn ToSql); 3] = [(":run", &run), (":at", &at), (":rows", &rows)];
            db.post(on_servers!("workflow_task_many", postgres, mysql), &values, None)?;
        }
        return Ok(());
    }
    for (task, start) in writes(step, children) {
        let child = named(task, start);
        let values: [(&str, &dyn ToSql); 8] = [
            (":run", &run),
            (":task", &task.task),
            (":item", &item_of(task.item)),
            (":state", &task.state.as_str()),
            (":generation", &task.generation),
            (":child", &child.as_ref().map(RunId::as_bytes)),
            (":reason", &task.reason),
            (":at", &at),
        ];
        execute(db, sql!("workflow_task"), &values)?;
    }
    Ok(())
}

/// Makes the runs of tasks.
fn start<C: Batches>(db: &C, step: &WorkflowStep, head: Head, children: &[RunId]) -> Step<()> {
    let (run, at) = (step.run.as_bytes(), step.at.as_millis());
    let starts = || writes(step, children).filter_map(|(task, start)| start.map(|(child, start)| (task, child, start)));
    if C::LISTS {
        for rows in lists(starts().map(|(task, child, start)| new_run(head, task, child, start))) {
            let values: [(&str, &dyn ToSql); 3] = [(":at", &at), (":rows", &rows), (":run", &run)];
            db.post(on_servers!("workflow_start_many", postgres, mysql), &values, None)?;
        }
        return Ok(());
    }
    for (task, child, start) in starts() {
        let values: [(&str, &dyn ToSql); 10] = [
            (":child", child.as_bytes()),
            (":version", &head.version.of_task(task.task).0),
            (":at", &at),
            (":priority", &start.priority),
            (":queue", &start.line),
            (":expires_at", &millis(start.expires_at)),
            (":input", &start.input),
            (":task", &start.name),
            (":generation", &task.generation),
            (":run", &run),
        ];
        execute(db, sql!("workflow_start"), &values)?;
    }
    Ok(())
}

fn new_run(head: Head, task: &TaskWrite, child: RunId, start: &TaskStart) -> Value {
    json!([
        hex(child),
        head.version.of_task(task.task).0,
        start.priority,
        start.line,
        millis(start.expires_at),
        start.input,
        start.name,
        task.generation,
    ])
}

/// Ends the run itself.
fn end(
    session: &mut Session<impl Batches>,
    step: &WorkflowStep,
    head: Head,
    mut gates: Gates,
    verdict: Verdict,
    reason: Option<&str>,
) -> Step<()> {
    let db = &session.connection;
    let state = next_state(RunState::Running, RunEvent::Ended(verdict)).expect("a run that goes on can end");
    db.make_room(&mut std::iter::once(step.run))?;
    let values: [(&str, &dyn ToSql); 6] = [
        (":state", &state.as_str()),
        (":at", &step.at.as_millis()),
        (":keep_reason", &(state == RunState::Cancelled)),
        (":reason", &reason),
        (":output", &step.output),
        (":id", step.run.as_bytes()),
    ];
    if execute(db, sql!("workflow_end"), &values)? == 0 {
        return Err(gone());
    }
    execute(db, sql!("complete_remove"), &[(":id", step.run.as_bytes())])?;
    db.post(sql!("workflow_forget"), &[(":run", step.run.as_bytes())], None)?;
    db.post(sql!("await_forget"), &[(":run", step.run.as_bytes())], None)?;
    if head.gated {
        gates.leave(db, head.job, RunState::Running)?;
    }
    let awaiting = awaiting(db, head.trigger, step.run)?;
    session.runs.end(step.run, head.job, head.version, state);
    session.wakes = true;
    awaiting.into_iter().try_for_each(|trigger| session.note_trigger(trigger))?;
    free_slot(session, gates, head.job)
}
