//! Records of instants that did not fire.

use mainspring_core::batch::{Gap, GapOutcome, GapReason};
use mainspring_core::job::JobKey;
use mainspring_core::{JobId, Timestamp, TriggerId};

use super::db::{Db, Row, Step, ToSql, instant, read_page, sql, word};
use crate::row::GapRow;
use crate::webhook;

pub(crate) fn add(db: &dyn Db, job: JobId, trigger: TriggerId, at: Timestamp, gap: &Gap) -> Step<()> {
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
    db.post(sql!("gap_add"), &values, None)
}

/// The same of a fire that found instants missed: webhooks hear of it.
pub(crate) fn add_missed(db: &dyn Db, job: JobId, trigger: TriggerId, at: Timestamp, gap: &Gap) -> Step<()> {
    add(db, job, trigger, at, gap)?;
    let payload = webhook::missed(job, trigger, gap).into_bytes();
    let values: [(&str, &dyn ToSql); 3] =
        [(":at", &at.as_millis()), (":kind", &webhook::MISSED), (":payload", &payload)];
    db.post(sql!("event_add"), &values, None)
}

/// See [`crate::Store::gaps`].
pub(crate) fn list(db: &dyn Db, trigger: Option<TriggerId>, after: i64, limit: u32) -> Step<Vec<GapRow>> {
    match trigger {
        Some(trigger) => {
            let values: [(&str, &dyn ToSql); 2] = [(":trigger", &trigger.0), (":after", &after)];
            read_page(db, sql!("gaps_of_trigger"), &values, limit, row)
        }
        None => read_page(db, sql!("gaps"), &[(":after", &after)], limit, row),
    }
}

/// See [`crate::Store::gaps_before`].
pub(crate) fn before(
    db: &dyn Db,
    trigger: Option<TriggerId>,
    before: i64,
    limit: u32,
) -> Step<Vec<(GapRow, Option<String>)>> {
    let named = |line: &Row<'_>| Ok((row(line)?, line.get(13)?));
    match trigger {
        Some(trigger) => {
            let values: [(&str, &dyn ToSql); 2] = [(":trigger", &trigger.0), (":before", &before)];
            read_page(db, sql!("gaps_of_trigger_before"), &values, limit, named)
        }
        None => read_page(db, sql!("gaps_before", mysql), &[(":before", &before)], limit, named),
    }
}

fn row(row: &Row<'_>) -> Step<GapRow> {
    Ok(GapRow {
        seq: row.get(0)?,
        job: JobKey::new(row.get::<String>(1)?, row.get::<String>(2)?),
        trigger: TriggerId(row.get(3)?),
        at: instant(row, 4)?,
        gap: Gap {
            first: instant(row, 5)?,
            last: instant(row, 6)?,
            count: row.get::<i64>(7)?.unsigned_abs(),
            outcome: word(row, 8, GapOutcome::from_word)?,
            reason: word(row, 9, GapReason::from_word)?,
            policy: row.get(10)?,
        },
        backfill: row.get(11)?,
        backfilled: row.get::<i64>(12)?.unsigned_abs(),
    })
}
