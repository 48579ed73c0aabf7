//! Steps of workflow runs. Where the database takes lists, a few statements do for thousands of tasks, of whichever runs.

use mainspring_core::RunId;
use mainspring_core::run::RunState;
use serde_json::{Value, json};

use super::cancel::cancel;
use super::end::{end, forget};
use super::turn::{Turn, take};
use super::{REACHED, item_of};
use crate::sql::Batches;
use crate::sql::awaits;
use crate::sql::db::{Step, ToSql, execute, exists, millis, on_servers, sql};
use crate::sql::list::{self, hex, lists};
use crate::sql::session::Session;
use crate::workflow::{Stepped, TaskStart, TaskWrite, TimeLimit, WorkflowStep};

/// See [`crate::Store::step_workflows`].
pub(crate) fn steps<C: Batches>(session: &mut Session<C>, steps: &[WorkflowStep]) -> Step<Vec<Stepped>> {
    let written = write(session, steps)?;
    let Some(at) = steps.iter().map(|step| step.at).max() else { return Ok(written) };
    session.flush_runs(at)?;
    note_queued(session, steps, &written);
    Ok(written)
}

/// The same, before anybody is told.
pub(crate) fn write<C: Batches>(session: &mut Session<C>, steps: &[WorkflowStep]) -> Step<Vec<Stepped>> {
    let (turns, mut gates) = take(&session.connection, steps)?;
    if turns.is_empty() {
        return Ok(vec![Stepped::Stale; steps.len()]);
    }
    for turn in &turns {
        limit(session, turn.step)?;
    }
    let db = &session.connection;
    let heard: Vec<i64> = turns.iter().flat_map(|turn| turn.step.heard.iter().copied()).collect();
    if !heard.is_empty() {
        let heard = list::of_numbers(heard.into_iter());
        db.post(sql!("workflow_heard", postgres, mysql), &[(":messages", &heard)], None)?;
    }
    write_tasks(db, &turns)?;
    // The rows of the runs are locked: whoever awaits something of them from now on sees what is written here.
    let awaited = turns.len() == 1 || exists(db, sql!("await_used"), &[])?;
    for Turn { step, head, .. } in &turns {
        awaits::add(db, head.job, step)?;
        // The end of the run tells whoever awaits a task of it, too.
        if step.end.is_none() && awaited {
            awaits::tell_tasks(db, step.run, &step.over)?;
        }
    }
    start(db, &turns)?;
    for turn in &turns {
        for child in &turn.children {
            session.runs.push(*child, turn.head.job, RunState::Queued);
        }
    }
    for Turn { step, .. } in &turns {
        cancel(session, &step.cancel, step.at)?;
    }
    let (over, open): (Vec<&Turn<'_>>, Vec<&Turn<'_>>) = turns.iter().partition(|turn| turn.step.end.is_some());
    owe(&session.connection, &open)?;
    if !over.is_empty() {
        if turns.iter().any(|turn| !turn.step.cancel.is_empty()) {
            // What was cancelled may have left gates that were read before.
            gates.load(&session.connection, &over.iter().map(|turn| turn.head.job).collect())?;
        }
        end(session, &over, gates)?;
        forget(&session.connection, &over, awaited)?;
    }
    Ok(answers(steps.len(), turns))
}

fn answers(count: usize, turns: Vec<Turn<'_>>) -> Vec<Stepped> {
    let mut answers = vec![Stepped::Stale; count];
    for turn in turns {
        answers[turn.place] = Stepped::Written(turn.children);
    }
    answers
}

/// Lets the engine claim what was made. What also ends by itself, at an instant, it has to be told of.
pub(crate) fn note_queued<'a>(
    session: &mut Session<impl Batches>,
    steps: impl IntoIterator<Item = &'a WorkflowStep>,
    written: &[Stepped],
) {
    let made = |stepped: &Stepped| matches!(stepped, Stepped::Written(runs) if !runs.is_empty());
    let steps = steps.into_iter().zip(written).filter(|(_, stepped)| made(stepped));
    let mut starts = steps.flat_map(|(step, _)| &step.tasks).filter_map(|task| task.start.as_ref()).peekable();
    if starts.peek().is_none() {
        return;
    }
    if starts.any(|start| start.expires_at.is_some()) {
        session.note_queued();
    } else {
        session.note_own_queued();
    }
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
fn owe<C: Batches>(db: &C, turns: &[&Turn<'_>]) -> Step<()> {
    if C::LISTS && turns.len() > 1 {
        let runs = list::of_runs(turns.iter().map(|turn| turn.step.run));
        db.post(on_servers!("workflow_owe_no_more_many", postgres, mysql), &[(":runs", &runs)], None)?;
    } else {
        for turn in turns {
            db.post(sql!("workflow_owe_no_more"), &[(":run", turn.step.run.as_bytes())], None)?;
        }
    }
    for turn in turns.iter().filter(|turn| turn.step.more) {
        db.post(sql!("workflow_owe"), &[(":run", turn.step.run.as_bytes())], None)?;
    }
    Ok(())
}

/// The run that a task's row names from now on: the one that is made for it, or the one that it is to start.
fn named(task: &TaskWrite, start: Option<(RunId, &TaskStart)>) -> Option<RunId> {
    start.map(|(child, _)| child).or(task.call)
}

/// The writes of a step, each with the run that is made for it.
fn writes<'a>(turn: &'a Turn<'_>) -> impl Iterator<Item = (&'a TaskWrite, Option<(RunId, &'a TaskStart)>)> {
    let mut children = turn.children.iter();
    turn.step.tasks.iter().map(move |task| {
        let start = task.start.as_ref();
        (task, start.and_then(|start| Some((*children.next()?, start))))
    })
}

fn write_tasks<C: Batches>(db: &C, turns: &[Turn<'_>]) -> Step<()> {
    let all =
        turns.iter().flat_map(|turn| writes(turn).map(move |(task, start)| (turn.step, task, named(task, start))));
    if C::LISTS {
        let row = |(step, task, child): (&WorkflowStep, &TaskWrite, Option<RunId>)| {
            json!([
                hex(step.run),
                task.task,
                item_of(task.item),
                task.state.as_str(),
                task.generation,
                child.map(hex),
                task.reason,
                step.at.as_millis(),
            ])
        };
        for rows in lists(all.map(row)) {
            db.post(on_servers!("workflow_task_many", postgres, mysql), &[(":rows", &rows)], None)?;
        }
        return Ok(());
    }
    for (step, task, child) in all {
        let values: [(&str, &dyn ToSql); 8] = [
            (":run", step.run.as_bytes()),
            (":task", &task.task),
            (":item", &item_of(task.item)),
            (":state", &task.state.as_str()),
            (":generation", &task.generation),
            (":child", &child.as_ref().map(RunId::as_bytes)),
            (":reason", &task.reason),
            (":at", &step.at.as_millis()),
        ];
        execute(db, sql!("workflow_task"), &values)?;
    }
    Ok(())
}

/// A run that is made for a task.
struct NewRun<'a> {
    turn: &'a Turn<'a>,
    task: &'a TaskWrite,
    child: RunId,
    start: &'a TaskStart,
}

/// Makes the runs of tasks.
fn start<C: Batches>(db: &C, turns: &[Turn<'_>]) -> Step<()> {
    let new = turns.iter().flat_map(|turn| {
        writes(turn).filter_map(move |(task, start)| start.map(|(child, start)| NewRun { turn, task, child, start }))
    });
    if C::LISTS {
        for rows in lists(new.map(|new| new.row())) {
            db.post(on_servers!("workflow_start_many", postgres, mysql), &[(":rows", &rows)], None)?;
        }
        return Ok(());
    }
    for NewRun { turn: Turn { step, head, .. }, task, child, start } in new {
        let values: [(&str, &dyn ToSql); 10] = [
            (":child", child.as_bytes()),
            (":version", &head.version.of_task(task.task).0),
            (":at", &step.at.as_millis()),
            (":priority", &start.priority),
            (":queue", &start.line),
            (":expires_at", &millis(start.expires_at)),
            (":input", &start.input),
            (":task", &start.name),
            (":generation", &task.generation),
            (":run", step.run.as_bytes()),
        ];
        execute(db, sql!("workflow_start"), &values)?;
    }
    Ok(())
}

impl NewRun<'_> {
    fn row(&self) -> Value {
        let Self { turn: Turn { step, head, .. }, task, child, start } = self;
        json!([
            hex(*child),
            head.version.of_task(task.task).0,
            start.priority,
            start.line,
            millis(start.expires_at),
            start.input,
            start.name,
            task.generation,
            hex(step.run),
            step.at.as_millis(),
        ])
    }
}
