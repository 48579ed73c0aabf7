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
    let waiting = match change.which {
        Moving::All => first_of_lines(db, &change.from, limit)?,
        Moving::Job(job) => {
            let (shared, routed) = (format!("{}#", change.from), format!("{}/", change.from));
            let values: [(&str, &dyn ToSql); 5] = [
                (":job", &job.0),
                (":queue", &change.from),
                (":routed", &routed),
                (":shared", &shared),
                (":limit", &limit),
            ];
            read(db, sql!("queue_move_job"), &values, found)?
        }
        Moving::Run(run) => read(db, sql!("queue_move_run"), &[(":id", run.as_bytes())], found)?,
    };
    let mut moved = Vec::with_capacity(waiting.len());
    for (run, from) in waiting {
        let line = Line::parse(&from);
        let Some(to) = line.in_queue(&change.to).filter(|_| line.queue() == change.from) else { continue };
        let to = to.to_string();
        let values: [(&str, &dyn ToSql); 3] = [(":line", &to), (":id", run.as_bytes()), (":from", &from)];
        if execute(db, sql!("queue_move"), &values)? == 1 {
            moved.push(run);
        }
    }
    if !moved.is_empty() {
        session.note_queued();
    }
    Ok(moved)
}

/// The first runs of each line of a queue, with their lines. Nobody takes runs of workflows to another queue.
fn first_of_lines(db: &impl Batches, queue: &str, limit: u32) -> Step<Vec<(RunId, String)>> {
    let (mut waiting, mut left) = (Vec::new(), limit);
    for line in lines_of(db, queue)?.into_iter().filter(|line| !Line::parse(line).is_of_workflows()) {
        if left == 0 {
            break;
        }
        let values: [(&str, &dyn ToSql); 2] = [(":line", &line), (":limit", &left)];
        let runs = read(db, sql!("queue_move_line", mysql), &values, |row| run_id(row, 0))?;
        left = left.saturating_sub(u32::try_from(runs.len()).unwrap_or(u32::MAX));
        waiting.extend(runs.into_iter().map(|run| (run, line.clone())));
    }
    Ok(waiting)
}
