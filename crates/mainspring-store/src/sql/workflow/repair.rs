//! Ends of tasks that a workflow run never heard of: found by comparing its rows with the runs that they name.

use std::collections::BTreeSet;

use mainspring_core::RunId;

use crate::sql::Batches;
use crate::sql::db::{Lock, Row, Step, ToSql, execute, read, run_id, sql};
use crate::sql::session::Session;

/// See [`crate::Store::repair_workflows`].
pub(crate) fn repair(session: &mut Session<impl Batches>, limit: u32) -> Step<u64> {
    let db = &session.connection;
    let row = |row: &Row<'_>| Ok((run_id(row, 0)?, run_id(row, 1)?));
    let unheard: Vec<(RunId, RunId)> = read(db, sql!("workflow_unheard"), &[(":limit", &limit)], row)?;
    let mut told = 0;
    for (run, child) in &unheard {
        // Whoever writes a step of it locks this row, too. What has changed meanwhile is seen from here on.
        db.lock(sql!("lock_run"), Lock::Write, &[(":id", run.as_bytes())])?;
        let values: [(&str, &dyn ToSql); 2] = [(":run", run.as_bytes()), (":child", child.as_bytes())];
        told += execute(db, sql!("workflow_retell"), &values)?;
    }
    for run in unheard.iter().map(|(run, _)| run).collect::<BTreeSet<_>>() {
        execute(db, sql!("workflow_reread"), &[(":run", run.as_bytes())])?;
    }
    session.wakes |= told > 0;
    Ok(told)
}
