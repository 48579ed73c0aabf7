//! Partitions of the history: one for each day of the time that leads the ids.
//!
//! They are made ahead, and beside the table, which stops nobody. What is entirely too old is dropped whole.

use mainspring_core::{RunId, Timestamp};

use super::connection::Connection;
use crate::row::PurgeRule;
use crate::sql::db::{Lock, Sql, Step};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Days after today that have room before anybody needs it.
const AHEAD: i64 = 3;

/// The day of a run, counted from 1970.
pub(super) fn day_of(run: RunId) -> i64 {
    let bytes = run.as_bytes();
    let millis = bytes[..6].iter().fold(0_i64, |sum, byte| (sum << 8) | i64::from(*byte));
    millis / DAY_MS
}

/// The day that an instant is in.
const fn day_at(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(DAY_MS)
}

/// Up to where runs are deleted one by one. A day that is just over goes as a whole, as soon as the last of its runs is
/// too old; only what is still there a day later is looked at closer.
pub(super) fn cut(before: Timestamp) -> Timestamp {
    Timestamp::from_millis((day_at(before) - 1).saturating_mul(DAY_MS))
}

/// Makes partitions for today and the next days, unless another node is about to.
pub(super) fn make_ahead(db: &Connection, at: Timestamp) -> Step<()> {
    let today = day_at(at);
    for day in today..=today + AHEAD {
        make_day(db, day)?;
    }
    Ok(())
}

/// Makes a day's partition, if it is not there. It is filled in beside and then attached, which stops no one.
///
/// Its index of its own is of the few runs that ended after the day: they alone can keep it from being dropped.
pub(super) fn make_day(db: &Connection, day: i64) -> Step<()> {
    if is_there(db, day)? {
        return Ok(());
    }
    let name = name(day);
    let (from, to) = bounds(day);
    // Two sessions that miss the same day wait for each other here; the second one finds it.
    db.run_text(&format!(
        "SELECT pg_advisory_xact_lock(7236839, {day_key});
         CREATE TABLE IF NOT EXISTS {name} (LIKE history INCLUDING ALL) WITH (autovacuum_vacuum_cost_delay = 0);
         CREATE INDEX IF NOT EXISTS {name}_late ON {name} (ended_at) WHERE ended_at >= {end};
         DO $$ BEGIN
             IF NOT EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = '{name}'::regclass) THEN
                 ALTER TABLE history ATTACH PARTITION {name} FOR VALUES FROM ('{from}') TO ('{to}');
             END IF;
         END $$",
        day_key = day & 0x7fff_ffff,
        end = (day + 1) * DAY_MS,
    ))
}

/// The days that a rule lets go and that have a partition, oldest first. Never today: it would be made again.
pub(super) fn days_to_drop(db: &Connection, rule: &PurgeRule) -> Step<Vec<i64>> {
    let mut days: Vec<i64> = Vec::new();
    let found = Sql::new(
        "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
        WHERE i.inhparent = 'history'::regclass",
    );
    db.query(found, Lock::None, &[], &mut |row| {
        let name: &str = row.try_get(0)?;
        days.extend(name.strip_prefix("history_").and_then(|day| day.parse::<i64>().ok()));
        Ok(true)
    })?;
    let end = day_at(rule.history_before.min(rule.at));
    days.retain(|day| *day < end);
    days.sort_unstable();
    Ok(days)
}

/// Drops a day's partition if nothing in it is to be kept. Answers whether it is gone by this.
///
/// A run of that day that is unfinished, or that ended later, keeps it. Ends of runs wait while the table's lock is waited
/// for, so that is given up soon, and another node that is at it is left alone: the next pass tries again.
pub(super) fn drop_day(db: &Connection, day: i64, before: Timestamp) -> Step<bool> {
    let turn = Sql::new("SELECT 1 WHERE pg_try_advisory_xact_lock(7236840, 'history'::regclass::oid::int)");
    if !crate::sql::db::exists(db, turn, &[])? || !is_there(db, day)? {
        return Ok(false);
    }
    let name = name(day);
    let (from, to) = bounds(day);
    let kept = format!(
        "EXISTS (SELECT 1 FROM {name} WHERE ended_at >= {end} AND ended_at >= {before}) \
         OR EXISTS (SELECT 1 FROM run WHERE id >= '{from}' AND id < '{to}')",
        end = (day + 1) * DAY_MS,
        before = before.as_millis(),
    );
    db.run_text(&format!(
        "SET LOCAL lock_timeout = '200ms';
         DO $$ BEGIN
             IF NOT ({kept}) THEN
                 LOCK TABLE ONLY history, ONLY {name} IN ACCESS EXCLUSIVE MODE;
                 IF NOT ({kept}) THEN DROP TABLE {name}; END IF;
             END IF;
         EXCEPTION WHEN lock_not_available THEN NULL;
         END $$"
    ))?;
    Ok(!is_there(db, day)?)
}

fn is_there(db: &Connection, day: i64) -> Step<bool> {
    let found = Sql::new(
        "SELECT 1 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
        WHERE i.inhparent = 'history'::regclass AND c.relname = $1",
    );
    let mut there = false;
    db.query(found, Lock::None, &[&name(day)], &mut |_| {
        there = true;
        Ok(true)
    })?;
    Ok(there)
}

fn name(day: i64) -> String {
    format!("history_{day}")
}

/// The first id of a day, and of the next one.
fn bounds(day: i64) -> (String, String) {
    let bound = |day: i64| uuid(RunId::floor(Timestamp::from_millis(day * DAY_MS)));
    (bound(day), bound(day + 1))
}

fn uuid(run: RunId) -> String {
    let hex: String = run.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
