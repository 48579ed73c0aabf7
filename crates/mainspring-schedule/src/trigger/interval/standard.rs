//! The n-th instant of a calendar interval, computed from the start alone, so that nothing drifts.
//!
//! It is the start's time of day, n units later by the local calendar: a day of the month that a
//! month does not have is its last one, a time of day in a gap is the first instant after the gap
//! (or left out, with `skip_day`), and of two equal times of day it is the first.

use super::Interval;
use crate::civil::DAY_MS;
use crate::{CalendarUnit, Civil, Date, Resolved, Timestamp, days_in_month};

/// Returns the first instant after `t`.
pub(super) fn after(interval: &Interval<'_>, t: Timestamp) -> Option<Timestamp> {
    let mut n = (index_near(interval, interval.zone.to_local(t).date()) - 1).max(0);
    // Skipped days aside, the second or third guess is right.
    for _ in 0..STEPS_MAX {
        match nth(interval, n) {
            Nth::At(fire) if fire > t => return Some(fire),
            Nth::Beyond => return None,
            Nth::At(_) | Nth::Skipped => n += 1,
        }
    }
    None
}

/// Returns the number of instants in `[from, to)`.
pub(super) fn count(interval: &Interval<'_>, from: Timestamp, to: Timestamp) -> u64 {
    let (first, end) = (rank(interval, from), rank(interval, to));
    let lost = lost_between(interval, first, end);
    u64::try_from(end - first - lost).unwrap_or(0)
}

/// The n-th instant, or why there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nth {
    At(Timestamp),
    /// Its time of day does not exist on its day, and `skip_day` leaves it out.
    Skipped,
    /// Past the last instant that can be shown.
    Beyond,
}

fn nth(interval: &Interval<'_>, n: i64) -> Nth {
    match nth_resolved(interval, n) {
        Some(Resolved::Skipped { .. }) if interval.skip_day => Nth::Skipped,
        Some(resolved) if resolved.earliest() <= Timestamp::MAX => Nth::At(resolved.earliest()),
        _ => Nth::Beyond,
    }
}

/// Resolves the n-th instant; `None` past the last year.
fn nth_resolved(interval: &Interval<'_>, n: i64) -> Option<Resolved> {
    if n == 0 {
        return Some(Resolved::Once(interval.start));
    }
    let start = interval.zone.to_local(interval.start);
    let day = nth_day(interval, start.date(), n)?;
    Some(interval.zone.resolve(Civil::from_millis(day * DAY_MS + start.millis_of_day())))
}

/// Returns the number of n whose instants, skipped or not, lie before `t`.
fn rank(interval: &Interval<'_>, t: Timestamp) -> i64 {
    let before = |n: i64| nth_resolved(interval, n).is_some_and(|r| r.earliest() < t);
    let mut n = index_near(interval, interval.zone.to_local(t).date()).max(0);
    while n > 0 && !before(n - 1) {
        n -= 1;
    }
    while before(n) {
        n += 1;
    }
    n
}

/// Returns the number of n in `[first, end)` without an instant of their own: skipped ones, and those of a date that
/// the zone skips when the next one is at the same instant.
fn lost_between(interval: &Interval<'_>, first: i64, end: i64) -> i64 {
    let start = interval.zone.to_local(interval.start);
    let (Some(from), Some(to)) = (
        nth_resolved(interval, first).map(Resolved::earliest),
        nth_resolved(interval, (end - 1).max(first)).map(Resolved::earliest),
    ) else {
        return 0;
    };
    let mut lost = 0;
    let mut window = interval.zone.window(from - 2 * DAY_MS);
    while window.to_ms < to.as_millis().saturating_add(2 * DAY_MS) {
        let after = interval.zone.window(Timestamp::from_millis(window.to_ms));
        let gap = window.to_ms + window.offset_ms..window.to_ms + after.offset_ms;
        let mut day = (gap.start - start.millis_of_day() + DAY_MS - 1).div_euclid(DAY_MS);
        while day * DAY_MS + start.millis_of_day() < gap.end {
            let n = index_near(interval, Date::from_day_number(day));
            let exists = n > 0 && nth_day(interval, start.date(), n) == Some(day);
            if exists && (first..end).contains(&n) && is_lost(interval, n) {
                lost += 1;
            }
            day += 1;
        }
        window = after;
    }
    lost
}

fn is_lost(interval: &Interval<'_>, n: i64) -> bool {
    match (nth(interval, n), nth(interval, n + 1)) {
        (Nth::Skipped, _) => true,
        (Nth::At(fire), Nth::At(next)) => fire == next,
        _ => false,
    }
}

/// Returns the largest n whose date is not after `date`; 0 or more when that is not before the start.
fn index_near(interval: &Interval<'_>, date: Date) -> i64 {
    let start = interval.zone.to_local(interval.start).date();
    let units = match interval.unit {
        CalendarUnit::Month => months(date) - months(start),
        CalendarUnit::Year => i64::from(date.year) - i64::from(start.year),
        CalendarUnit::Week => (date.day_number() - start.day_number()).div_euclid(7),
        _ => date.day_number() - start.day_number(),
    };
    units.div_euclid(interval.interval)
}

/// More instants than a zone skips in a row, with room to spare.
const STEPS_MAX: usize = 1_000;

/// Returns the n-th day, counted from 1970; `None` past the last year.
fn nth_day(interval: &Interval<'_>, start: Date, n: i64) -> Option<i64> {
    let units = n.checked_mul(interval.interval).filter(|units| *units < 4_000_000)?;
    let months_later = match interval.unit {
        CalendarUnit::Week => return Some(start.day_number() + 7 * units),
        CalendarUnit::Month => units,
        CalendarUnit::Year => 12 * units,
        _ => return Some(start.day_number() + units),
    };
    let month_count = months(start) + months_later;
    let year = i32::try_from(month_count.div_euclid(12)).ok()?;
    let month = u8::try_from(month_count.rem_euclid(12) + 1).ok()?;
    let day = start.day.min(days_in_month(year, month));
    Some(Date::new(year, month, day).day_number())
}

fn months(date: Date) -> i64 {
    12 * i64::from(date.year) + i64::from(date.month) - 1
}
