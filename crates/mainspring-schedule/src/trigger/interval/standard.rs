//! The n-th instant of a calendar interval, computed from the start alone, so that nothing drifts.
//!
//! It is the start's time of day, n units later by the local calendar: a day of the month that a
//! month does not have is its last one, a time of day in a gap is the first instant after the gap
//! (or left out, with `skip_day`), and of two equal times of day it is the first.

use super::Interval;
use crate::civil::DAY_MS;
use crate::{CalendarUnit, Civil, Date, Resolved, Timestamp, days_in_month};

/// The first instant after `t`.
pub(super) fn after(interval: &Interval<'_>, t: Timestamp) -> Option<Timestamp> {
    let mut n = (index_near(interval, t) - 1).max(0);
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

/// What the n-th instant is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trigger) enum Nth {
    At(Timestamp),
    /// Its time of day does not exist on its day, and `skip_day` leaves it out.
    Skipped,
    /// Past the last instant that can be shown.
    Beyond,
}

pub(in crate::trigger) fn nth(interval: &Interval<'_>, n: i64) -> Nth {
    if n == 0 {
        return Nth::At(interval.start);
    }
    let start = interval.zone.to_local(interval.start);
    let Some(date) = nth_date(interval, start.date(), n) else {
        return Nth::Beyond;
    };
    let local = Civil::from_millis(date * DAY_MS + start.millis_of_day());
    match interval.zone.resolve(local) {
        Resolved::Skipped { .. } if interval.skip_day => Nth::Skipped,
        resolved if resolved.earliest() <= Timestamp::MAX => Nth::At(resolved.earliest()),
        _ => Nth::Beyond,
    }
}

/// The largest n whose date is not after that of `t`; 0 or more when `t` is not before the start.
pub(in crate::trigger) fn index_near(interval: &Interval<'_>, t: Timestamp) -> i64 {
    let (start, at) = (
        interval.zone.to_local(interval.start),
        interval.zone.to_local(t),
    );
    let units = match interval.unit {
        CalendarUnit::Month => months(at.date()) - months(start.date()),
        CalendarUnit::Year => i64::from(at.date().year) - i64::from(start.date().year),
        CalendarUnit::Week => (at.day_number() - start.day_number()).div_euclid(7),
        _ => at.day_number() - start.day_number(),
    };
    units.div_euclid(interval.interval)
}

/// A day that no zone skips more often than this in a row, with room to spare.
const STEPS_MAX: usize = 1_000;

/// The day number of the n-th date; `None` past the last year.
fn nth_date(interval: &Interval<'_>, start: Date, n: i64) -> Option<i64> {
    let units = n
        .checked_mul(interval.interval)
        .filter(|units| *units < 4_000_000)?;
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
