//! Tasks that wait for tasks of other workflows.

use std::sync::Arc;

use mainspring_core::run::RunState;
use mainspring_core::workflow::TaskState;
use mainspring_core::{JobId, RunId};

use super::Batches;
use super::db::{Db, Lock, Step, ToSql, exists, maybe_run_id, read_one, sql, word};
use super::list::lists;
use super::session::Session;
use crate::awaits::{Await, Stands};
use crate::workflow::{TaskRequest, WorkflowStep};

/// Keeps what tasks of a run await, in place of what they awaited before, and forgets what those awaited that have ended.
pub(crate) fn add(db: &dyn Db, job: JobId, step: &WorkflowStep) -> Step<()> {
    for task in &step.settled {
        let this: [(&str, &dyn ToSql); 2] = [(":run", step.run.as_bytes()), (":task", task)];
        db.post(sql!("await_remove"), &this, None)?;
    }
    for Await { task, upstream, of_task, first, last } in &step.awaits {
        let request = serde_json::to_string(&TaskRequest::look(*task, step.at)).expect("plain data has a text");
        let this: [(&str, &dyn ToSql); 2] = [(":run", step.run.as_bytes()), (":task", task)];
        db.post(sql!("await_remove"), &this, None)?;
        let values: [(&str, &dyn ToSql); 8] = [
            this[0],
            this[1],
            (":job", &job.0),
            (":upstream", upstream),
            (":of_task", &of_task.as_deref().unwrap_or_default()),
            (":first", &first.as_millis()),
            (":last", &last.as_millis()),
            (":request", &request),
        ];
        db.post(sql!("await_add"), &values, None)?;
    }
    Ok(())
}

/// Tells those who await them of tasks that end with a step.
pub(crate) fn tell_tasks(db: &dyn Db, run: RunId, tasks: &[Arc<str>]) -> Step<()> {
    for tasks in lists(tasks.iter().map(|task| (**task).into())) {
        let values: [(&str, &dyn ToSql); 2] = [(":run", run.as_bytes()), (":tasks", &tasks)];
        db.post(sql!("await_tell_tasks", postgres, mysql), &values, None)?;
    }
    Ok(())
}

/// See [`crate::Store::run_stands`]. The run before its tasks, as whoever ends it locks them.
pub(crate) fn stands(session: &Session<impl Batches>, run: RunId, task: u32) -> Step<Option<Stands>> {
    let db = &session.connection;
    let id: [(&str, &dyn ToSql); 1] = [(":id", run.as_bytes())];
    db.lock(sql!("lock_run"), Lock::Share, &id)?;
    db.lock(sql!("lock_workflow"), Lock::Share, &[(":run", run.as_bytes())])?;
    let ended = read_one(db, sql!("history_state"), &id, |row| word(row, 0, RunState::from_word))?;
    if ended.is_none() && !exists(db, sql!("live_has"), &id)? {
        return Ok(None);
    }
    let values: [(&str, &dyn ToSql); 2] = [(":run", run.as_bytes()), (":task", &task)];
    let task = read_one(db, sql!("await_task"), &values, |row| word(row, 0, TaskState::from_word))?;
    let rerun_as = read_one(db, sql!("workflow_repeated"), &values[..1], |row| maybe_run_id(row, 0))?.flatten();
    Ok(Some(Stands { ended, task, rerun_as }))
}
