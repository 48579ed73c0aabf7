//! Ends of tasks that a step asks for. Where the database takes lists, a few statements do for thousands of runs.

use std::collections::BTreeMap;

use mainspring_core::run::RunState;
use mainspring_core::{JobId, RunId, Timestamp};
use serde_json::json;

use crate::sql::Batches;
use crate::sql::db::{Row, Step, ToSql, on_servers, read, run_id};
use crate::sql::gate::Gates;
use crate::sql::list::{self, hex, lists};
use crate::sql::replace::{Unfinished, end_one, unfinished};
use crate::sql::run::free_slot;
use crate::sql::session::Session;

/// Runs that are locked in one statement.
const LOCKED_MAX: usize = 1_000;

/// Ends runs of tasks, or asks for their ends: in the order of their ids, as others lock them.
pub(super) fn cancel<C: Batches>(session: &mut Session<C>, cancel: &[(RunId, String)], at: Timestamp) -> Step<()> {
    // Of several reasons for a run the first counts.
    let cancel: BTreeMap<RunId, &str> = cancel.iter().rev().map(|(run, reason)| (*run, reason.as_str())).collect();
    let ends = Ends { at, cancel };
    let one_by_one =
        if C::LISTS && ends.cancel.len() > 1 { ends.in_sets(session)? } else { ends.cancel.keys().copied().collect() };
    for run in one_by_one {
        let reason = ends.cancel[&run];
        match unfinished(&session.connection, run)? {
            Some(live) if live.gated => end_called(session, live.job, run, reason, at)?,
            Some(_) => {
                let Session { connection, runs, .. } = &mut *session;
                // It counts in no gate.
                end_one(connection, runs, &mut Gates::default(), run, reason, at)?.pass_on(session)?;
            }
            None => {}
        }
    }
    Ok(())
}

/// Ends a run of another job that a task has started, and gives its slot to others. The gate before the run, as whoever promotes runs does.
fn end_called(session: &mut Session<impl Batches>, job: JobId, run: RunId, reason: &str, at: Timestamp) -> Step<()> {
    let mut gates = Gates::default();
    let Session { connection, runs, .. } = &mut *session;
    gates.find(connection, job)?;
    end_one(connection, runs, &mut gates, run, reason, at)?.pass_on(session)?;
    free_slot(session, gates, job)
}

/// The ends that a step asks for, and why.
struct Ends<'a> {
    at: Timestamp,
    cancel: BTreeMap<RunId, &'a str>,
}

impl Ends<'_> {
    /// Ends what waits for a worker, and asks those that have one. Answers the rest: what waits for runs of its own, or counts in a gate.
    fn in_sets<C: Batches>(&self, session: &mut Session<C>) -> Step<Vec<RunId>> {
        let Session { connection: db, runs, wakes, .. } = &mut *session;
        let (mut over, mut asked, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let ids: Vec<RunId> = self.cancel.keys().copied().collect();
        for ids in ids.chunks(LOCKED_MAX) {
            let ids = list::of_runs(ids.iter().copied());
            let found = |row: &Row<'_>| Ok((run_id(row, 0)?, Unfinished::read(row, 1)?));
            let these: [(&str, &dyn ToSql); 1] = [(":runs", &ids)];
            for (run, live) in read(db, on_servers!("workflow_cancel_read", postgres, mysql), &these, found)? {
                match live.state {
                    _ if live.gated || live.trigger.is_some() => rest.push(run),
                    RunState::Running if live.is_held => asked.push(run),
                    RunState::Queued | RunState::Scheduled => {
                        runs.end(run, live.job, live.version, RunState::Cancelled);
                        over.push(run);
                    }
                    _ => rest.push(run),
                }
            }
        }
        *wakes |= !asked.is_empty();
        db.make_room(&mut over.iter().copied())?;
        let at = self.at.as_millis();
        let at: (&str, &dyn ToSql) = (":at", &at);
        for rows in self.rows(&over) {
            let rows: (&str, &dyn ToSql) = (":rows", &rows);
            db.post(on_servers!("workflow_cancel_append", postgres, mysql), &[at, rows], None)?;
            db.post(on_servers!("workflow_cancel_remove", postgres, mysql), &[rows], None)?;
        }
        for rows in self.rows(&asked) {
            let rows: (&str, &dyn ToSql) = (":rows", &rows);
            db.post(on_servers!("workflow_cancel_request", postgres, mysql), &[rows, at], None)?;
            db.post(on_servers!("workflow_cancel_note", postgres, mysql), &[rows], None)?;
        }
        Ok(rest)
    }

    /// Runs as lists, each with the reason for its end.
    fn rows(&self, runs: &[RunId]) -> Vec<String> {
        lists(runs.iter().map(|run| json!([hex(*run), self.cancel[run]])))
    }
}
