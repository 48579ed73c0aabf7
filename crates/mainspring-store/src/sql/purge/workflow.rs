//! Runs of workflows go with the runs of their tasks: those first, so that what is left of them has a parent.

use std::collections::HashSet;

use mainspring_core::{JobId, RunId};

use crate::sql::db::{Db, Step, ToSql, execute, read, read_one, run_id, sql};
use crate::sql::list;

/// Runs that are looked at in one statement.
const RUNS: usize = 1_000;

/// Puts the runs of tasks before those of their workflows, up to `limit` in all. A run for whose tasks there is no room stays. Answers
/// which are of workflows.
pub(super) fn with_tasks(db: &dyn Db, runs: &mut Vec<RunId>, limit: usize) -> Step<Vec<RunId>> {
    let workflows = workflows(db, runs)?;
    if workflows.is_empty() {
        return Ok(Vec::new());
    }
    let (mut all, mut whole) = (Vec::with_capacity(runs.len()), Vec::new());
    for run in runs.iter().copied() {
        if all.len() >= limit {
            break;
        }
        if workflows.contains(&run) {
            all.extend(children(db, run, limit - all.len())?);
            if all.len() >= limit {
                break;
            }
            whole.push(run);
        }
        all.push(run);
    }
    *runs = all;
    Ok(whole)
}

fn workflows(db: &dyn Db, runs: &[RunId]) -> Step<HashSet<RunId>> {
    let mut found = HashSet::new();
    for runs in runs.chunks(RUNS) {
        let runs = list::of_runs(runs.iter().copied());
        let these: [(&str, &dyn ToSql); 1] = [(":runs", &runs)];
        found.extend(read(db, sql!("purge_workflows_read", postgres, mysql), &these, |row| run_id(row, 0))?);
    }
    Ok(found)
}

fn children(db: &dyn Db, run: RunId, limit: usize) -> Step<Vec<RunId>> {
    let job = read_one(db, sql!("history_job"), &[(":id", run.as_bytes())], |row| row.get(0).map(JobId))?;
    let Some(job) = job else { return Ok(Vec::new()) };
    let ((from, to), limit) = (run.shard_bounds(job), i64::try_from(limit).unwrap_or(i64::MAX));
    let values: [(&str, &dyn ToSql); 4] =
        [(":from", from.as_bytes()), (":to", to.as_bytes()), (":run", run.as_bytes()), (":limit", &limit)];
    read(db, sql!("purge_children_read"), &values, |row| run_id(row, 0))
}

/// Deletes what is kept of a workflow's run beside its history.
pub(super) fn delete(db: &dyn Db, run: RunId) -> Step<()> {
    let this: [(&str, &dyn ToSql); 1] = [(":run", run.as_bytes())];
    execute(db, sql!("purge_workflow_tasks"), &this)?;
    execute(db, sql!("purge_workflow"), &this)?;
    Ok(())
}
