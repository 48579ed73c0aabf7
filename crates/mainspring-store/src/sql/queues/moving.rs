//! Runs that go on waiting in another queue.

use mainspring_core::RunId;
use mainspring_core::line::Line;

use super::{Batches, lines_of};
use crate::row::{Moving, QueueMove};
use crate::sql::db::{Row, Step, ToSql, execute, read, run_id, sql};
use crate::sql::session::Session;

/// See [`crate::Store::move_queued`].
pub(crate) fn move_queued(session: &mut Session<impl Batches>, change: &QueueMove, limit: u32) -> Step<Vec<RunId>> {
    let db = &session.connection;
    let found = |row: &Row<'_>| Ok((run_id(row, 0)?, row.get::<String>(1)?));
    let mut moved = Vec::new();
    let waiting = match change.which {
        Moving::All => Vec::new(),
        Moving::Job(job) => {
            let (from, limit): (&str, u32) = (&change.from, limit);
            let (shared, routed) = (format!("{from}#"), format!("{from}/"));
            let values: [(&str, &dyn ToSql); 5] =
                [(":job", &job.0), (":queue", &from), (":routed", &routed), (":shared", &shared), (":limit", &limit)];
            read(db, sql!("queue_move_job"), &values, found)?
        }
        Moving::Run(run) => read(db, sql!("queue_move_run"), &[(":id", run.as_bytes())], found)?,
    };
    put(db, change, waiting, &mut moved)?;
    if change.which == Moving::All {
        for line in lines_of(db, &change.from)? {
            let left = limit.saturating_sub(u32::try_from(moved.len()).unwrap_or(u32::MAX));
            if left == 0 {
                break;
            }
            let values: [(&str, &dyn ToSql); 2] = [(":line", &line), (":limit", &left)];
            let waiting = read(db, sql!("queue_move_line", mysql), &values, |row| run_id(row, 0))?;
            put(db, change, waiting.into_iter().map(|run| (run, line.clone())).collect(), &mut moved)?;
        }
    }
    if !moved.is_empty() {
        session.note_queued();
    }
    Ok(moved)
}

/// Puts runs from their lines into those of the other queue, as far as they still wait there.
fn put(db: &impl Batches, change: &QueueMove, waiting: Vec<(RunId, String)>, moved: &mut Vec<RunId>) -> Step<()> {
    for (run, from) in waiting {
        let line = Line::parse(&from);
        let Some(to) = line.in_queue(&change.to).filter(|_| line.queue() == change.from) else { continue };
        let to = to.to_string();
        let values: [(&str, &dyn ToSql); 3] = [(":line", &to), (":id", run.as_bytes()), (":from", &from)];
        if execute(db, sql!("queue_move"), &values)? == 1 {
            moved.push(run);
        }
    }
    Ok(())
}
