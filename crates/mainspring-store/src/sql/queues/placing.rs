//! Runs that are given another place in their queue.

use mainspring_core::RunId;
use mainspring_core::line::Line;
use mainspring_core::queue::{place, priority_before, priority_behind};

use super::{Batches, lines_of};
use crate::row::{PlaceChange, Placing};
use crate::sql::db::{Lock, Row, Sql, Step, ToSql, execute, instant, read, read_one, run_id, sql};

/// See [`crate::Store::place_queued`].
pub(crate) fn place_queued(db: &impl Batches, queue: &str, run: RunId, to: Placing) -> Step<Option<PlaceChange>> {
    let id: [(&str, &dyn ToSql); 1] = [(":id", run.as_bytes())];
    // A claim passes over what is locked, or comes first.
    db.lock(sql!("lock_run"), Lock::Write, &id)?;
    let found = |row: &Row<'_>| Ok((row.get::<String>(0)?, row.get::<i32>(1)?, instant(row, 2)?));
    let Some((line, before, due_at)) = read_one(db, sql!("queue_placed"), &id, found)? else { return Ok(None) };
    let line = Line::parse(&line);
    if line.queue() != queue || line.is_of_workflows() {
        return Ok(None);
    }
    let here = place(before, due_at);
    let after = match to {
        Placing::Priority(priority) => priority,
        Placing::First => {
            let first = others(db, sql!("queue_move_line", mysql), queue, run)?.into_iter().min();
            first.filter(|first| here >= *first).map_or(before, |first| priority_before(due_at, first))
        }
        Placing::Last => {
            let last = others(db, sql!("queue_last", mysql), queue, run)?.into_iter().max();
            last.filter(|last| here <= *last).map_or(before, |last| priority_behind(due_at, last))
        }
    };
    if after != before {
        execute(db, sql!("queue_place"), &[(":priority", &after), (":id", run.as_bytes())])?;
    }
    Ok(Some(PlaceChange { before, after }))
}

/// The places of the runs at one end of each line of a queue, without those of one run.
fn others(db: &impl Batches, end: Sql, queue: &str, run: RunId) -> Step<Vec<i64>> {
    let mut places = Vec::new();
    for line in lines_of(db, queue)?.into_iter().filter(|line| !Line::parse(line).is_of_workflows()) {
        let values: [(&str, &dyn ToSql); 2] = [(":line", &line), (":limit", &2_u32)];
        let ends = read(db, end, &values, |row| Ok((run_id(row, 0)?, row.get::<i64>(1)?)))?;
        places.extend(ends.into_iter().filter(|(other, _)| *other != run).map(|(_, place)| place));
    }
    Ok(places)
}
