//! Records of instants that did not fire.

use mainspring_core::batch::{Gap, GapOutcome, GapReason};
use mainspring_core::job::JobKey;
use mainspring_core::{JobId, Timestamp, TriggerId};
use rusqlite::{Connection, Row, ToSql};

use super::sql::{Step, execute, instant, read, sql, word};
use crate::row::GapRow;

pub(super) fn add(db: &Connection, job: JobId, trigger: TriggerId, at: Timestamp, gap: &Gap) -> Step<()> {
    let values: [(&str, &dyn ToSql); 9] = [
        (":job", &job.0),
        (":trigger", &trigger.0),
        (":at", &at.as_millis()),
        (":first", &gap.first.as_millis()),
        (":last", &gap.last.as_millis()),
        (":count", &i64::try_from(gap.count).unwrap_or(i64::MAX)),
        (":outcome", &gap.outcome.as_str()),
        (":reason", &gap.reason.as_str()),
        (":policy", &gap.policy),
    ];
    execute(db, sql!("common/gap_add"), &values)?;
    Ok(())
}

/// See [`crate::Store::gaps`].
pub(super) fn list(db: &Connection, trigger: Option<TriggerId>, after: i64, limit: u32) -> Step<Vec<GapRow>> {
    let rows = match trigger {
        Some(trigger) => {
            let values: [(&str, &dyn ToSql); 3] = [(":trigger", &trigger.0), (":after", &after), (":limit", &limit)];
            read(db, sql!("common/gaps_of_trigger"), &values, row)?
        }
        None => read(db, sql!("common/gaps"), &[(":after", &after), (":limit", &limit)], row)?,
    };
    Ok(rows)
}

fn row(row: &Row<'_>) -> rusqlite::Result<GapRow> {
    Ok(GapRow {
        seq: row.get(0)?,
        job: JobKey::new(row.get::<_, String>(1)?, row.get::<_, String>(2)?),
        trigger: TriggerId(row.get(3)?),
        at: instant(row, 4)?,
        gap: Gap {
            first: instant(row, 5)?,
            last: instant(row, 6)?,
            count: row.get::<_, i64>(7)?.unsigned_abs(),
            outcome: word(row, 8, GapOutcome::from_word)?,
            reason: word(row, 9, GapReason::from_word)?,
            policy: row.get(10)?,
        },
    })
}
