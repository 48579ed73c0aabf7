//! Figures of spans of time.

use mainspring_core::Timestamp;

use super::Batches;
use super::db::{Db, Step, ToSql, execute, instant, read, sql};
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
        execute(db, sql!("rollup_put", mysql), &values)?;
    }
    for span in RollupSpan::ALL {
        let before = at.as_millis().saturating_sub(span.kept_ms());
        execute(db, sql!("rollup_forget"), &[(":span", &span.seconds()), (":before", &before)])?;
    }
    Ok(())
}

/// See [`crate::Store::rollups`].
pub(crate) fn list(db: &dyn Db, span: RollupSpan, from: Timestamp, to: Timestamp) -> Step<Vec<RollupRow>> {
    let values: [(&str, &dyn ToSql); 3] =
        [(":span", &span.seconds()), (":after", &from.as_millis()), (":before", &to.as_millis())];
    read(db, sql!("rollups"), &values, |row| {
        Ok(RollupRow { span, at: instant(row, 0)?, node: row.get(1)?, figures: row.get(2)? })
    })
}
