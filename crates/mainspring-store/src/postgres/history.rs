//! Partitions of the history: one for each day of the time that leads the ids.

use mainspring_core::{RunId, Timestamp};

use super::connection::Connection;
use crate::sql::db::{Lock, Sql, Step};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The day of a run, counted from 1970.
pub(super) fn day_of(run: RunId) -> i64 {
    let bytes = run.as_bytes();
    let millis = bytes[..6].iter().fold(0_i64, |sum, byte| (sum << 8) | i64::from(*byte));
    millis / DAY_MS
}

/// Makes a day's partition, if it is not there. It is filled in beside and then attached, which stops no one.
pub(super) fn make_day(db: &Connection, day: i64) -> Step<()> {
    let name = format!("history_{day}");
    let found = Sql::new(
        "SELECT 1 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
        WHERE i.inhparent = 'history'::regclass AND c.relname = $1",
    );
    let mut there = false;
    db.query(found, Lock::None, &[&name], &mut |_| {
        there = true;
        Ok(true)
    })?;
    if there {
        return Ok(());
    }
    let bound = |day: i64| uuid(RunId::floor(Timestamp::from_millis(day * DAY_MS)));
    let (from, to) = (bound(day), bound(day + 1));
    // Two sessions that miss the same day wait for each other here; the second one finds it.
    db.run_text(&format!(
        "SELECT pg_advisory_xact_lock(7236839, {day_key});
         CREATE TABLE IF NOT EXISTS {name} (LIKE history INCLUDING ALL) WITH (autovacuum_vacuum_cost_delay = 0);
         DO $$ BEGIN
             IF NOT EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = '{name}'::regclass) THEN
                 ALTER TABLE history ATTACH PARTITION {name} FOR VALUES FROM ('{from}') TO ('{to}');
             END IF;
         END $$",
        day_key = day & 0x7fff_ffff,
    ))
}

fn uuid(run: RunId) -> String {
    let hex: String = run.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
