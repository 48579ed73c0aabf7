//! Figures of spans of time.

use mainspring_core::Timestamp;

use super::Batches;
use super::db::{Db, Row, Step, ToSql, execute, instant, read, sql};
use super::session::Session;
use crate::rollup::{RollupRow, RollupSpan};

/// See [`crate::Store::put_rollups`].
pub(crate) fn put(session: &Session<impl Batches>, rows: &[RollupRow], at: Timestamp) -> Step<()> {
    let db = &session.connection;
    for row in rows {
        let values: [(&str, &dyn ToSql); 4] = [
            (":span", &row.span.seconds()),
            (":at", &row.at.as_millis()),
            (":node", &row.node),
            (":figures", &row.figures),
        ];
        match &row.queue {
            None => execute(db, sql!("rollup_put", mysql), &values)?,
            Some(queue) => {
                let of_queue: [(&str, &dyn ToSql); 1] = [(":queue", queue)];
                execute(db, sql!("queue_rollup_put", mysql), &[&of_queue[..], &values].concat())?
            }
        };
    }
    for span in RollupSpan::ALL {
        let before = |kept_ms| at.as_millis().saturating_sub(kept_ms);
        execute(db, sql!("rollup_forget"), &[(":span", &span.seconds()), (":before", &before(span.kept_ms()))])?;
        let of_queues: [(&str, &dyn ToSql); 2] =
            [(":span", &span.seconds()), (":before", &before(span.queue_kept_ms()))];
        execute(db, sql!("queue_rollup_forget"), &of_queues)?;
    }
    Ok(())
}

/// See [`crate::Store::rollups`].
pub(crate) fn list(db: &dyn Db, span: RollupSpan, from: Timestamp, to: Timestamp) -> Step<Vec<RollupRow>> {
    let values: [(&str, &dyn ToSql); 3] =
        [(":span", &span.seconds()), (":after", &from.as_millis()), (":before", &to.as_millis())];
    read(db, sql!("rollups"), &values, |row| {
        Ok(RollupRow { span, at: instant(row, 0)?, queue: None, node: row.get(1)?, figures: row.get(2)? })
    })
}

/// See [`crate::Store::queue_rollups`].
pub(crate) fn of_queues(
    db: &dyn Db,
    queue: Option<&str>,
    span: RollupSpan,
    from: Timestamp,
    to: Timestamp,
) -> Step<Vec<RollupRow>> {
    let times: [(&str, &dyn ToSql); 3] =
        [(":span", &span.seconds()), (":after", &from.as_millis()), (":before", &to.as_millis())];
    let found = |row: &Row<'_>| {
        Ok(RollupRow { span, at: instant(row, 0)?, queue: Some(row.get(3)?), node: row.get(1)?, figures: row.get(2)? })
    };
    match queue {
        None => read(db, sql!("queue_rollups_all"), &times, found),
        Some(queue) => {
            let of_queue: [(&str, &dyn ToSql); 1] = [(":queue", &queue)];
            read(db, sql!("queue_rollups"), &[&of_queue[..], &times].concat(), found)
        }
    }
}
