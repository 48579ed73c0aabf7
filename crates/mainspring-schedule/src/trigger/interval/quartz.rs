//! Quartz's walk along a calendar interval of days or longer.
//!
//! It starts at the trigger's start and adds intervals with Java's lenient calendar, so that a
//! shift picked up in a gap, or a day lost in a short month, stays. Days and weeks begin with one
//! long leap when it is far; the leap may jump over a shift that the small steps would pick up.

use super::{Interval, standard};
use crate::civil::{DAY_MS, HOUR_MS};
use crate::{CalendarUnit, Civil, Date, Timestamp, days_in_month};

/// Computes `getFireTimeAfter` for days and longer units.
pub(super) fn after(interval: &Interval<'_>, t: Timestamp) -> Option<Timestamp> {
    restored(interval, walk(interval, leap(interval, t), t)?, t)
}

/// Returns the instants after `t`, one after the other: what [`after`] answers when asked for each from the one before.
///
/// A walk that begins where the one before has come by goes on from where that one stands, so that an instant
/// costs a few steps and not a walk.
pub(super) fn path<'a>(interval: &'a Interval<'a>, t: Timestamp) -> impl Iterator<Item = Timestamp> + 'a {
    let mut before: Option<Walk> = None;
    let mut last = t;
    std::iter::from_fn(move || {
        let landed = leap(interval, last);
        let from = before.and_then(|walk| walk.goes_on_from(interval, landed, last)).unwrap_or(landed);
        let walked = walk(interval, from, last)?;
        before = Some(Walk { landed, walked, asked: last });
        last = restored(interval, walked, last)?;
        Some(last)
    })
}

/// A walk that was made for an instant of the path.
#[derive(Clone, Copy)]
struct Walk {
    landed: Timestamp,
    walked: Timestamp,
    asked: Timestamp,
}

impl Walk {
    /// Returns where a walk from `landed` past `last` stands as well, if it takes the same steps.
    fn goes_on_from(&self, interval: &Interval<'_>, landed: Timestamp, last: Timestamp) -> Option<Timestamp> {
        let comes_by = || landed == self.landed || step(interval, self.landed) == Some(landed);
        (self.asked < last && comes_by()).then_some(self.walked)
    }
}

/// Steps from `fire` on until one is after `t`.
fn walk(interval: &Interval<'_>, mut fire: Timestamp, t: Timestamp) -> Option<Timestamp> {
    while fire <= t {
        fire = match leap_in_window(interval, fire, t) {
            Some(far) => far,
            None => step(interval, fire)?,
        };
    }
    Some(fire)
}

/// Takes many steps at once, where the offset does not change and so nothing is picked up.
fn leap_in_window(interval: &Interval<'_>, fire: Timestamp, t: Timestamp) -> Option<Timestamp> {
    let window = interval.zone.window(fire);
    let limit = t.as_millis().min(window.to_ms - 1).min(LAST_LEAP_MS);
    let step_ms = interval.days()?.checked_mul(DAY_MS)?;
    let steps = (limit - fire.as_millis()) / step_ms;
    (steps > 1).then(|| fire + steps * step_ms)
}

/// Returns the fire with the hour of the start, where that is to be preserved.
fn restored(interval: &Interval<'_>, mut fire: Timestamp, t: Timestamp) -> Option<Timestamp> {
    if interval.preserve_hour {
        let hour = interval.zone.to_local(interval.start).hour();
        while restore_hour(interval, &mut fire, hour, t) {
            fire = step(interval, fire)?;
        }
    }
    Some(fire)
}

/// Adds `count` intervals as Java's lenient calendar does.
pub(super) fn add(interval: &Interval<'_>, t: Timestamp, count: i64) -> Timestamp {
    let amount = count.saturating_mul(interval.interval);
    match interval.unit {
        CalendarUnit::Week => interval.zone.lenient_add_days(t, amount.saturating_mul(7)),
        CalendarUnit::Month => add_months(interval, t, amount),
        CalendarUnit::Year => add_months(interval, t, amount.saturating_mul(12)),
        _ => interval.zone.lenient_add_days(t, amount),
    }
}

/// Returns whether the walk up to `until` picks up nothing: no time of day near an offset change, no day of the month
/// that some months do not have. Then it agrees with the standard rules.
pub(super) fn is_regular(interval: &Interval<'_>, until: Timestamp) -> bool {
    let until = until.min(regular_end(interval));
    let start = interval.zone.to_local(interval.start);
    let by_months = matches!(interval.unit, CalendarUnit::Month | CalendarUnit::Year);
    if by_months && start.date().day > 28 {
        return false;
    }
    let mut window = interval.zone.window(interval.start - 2 * DAY_MS);
    while window.to_ms < until.as_millis().saturating_add(2 * DAY_MS) {
        let after = interval.zone.window(Timestamp::from_millis(window.to_ms));
        let change = (after.offset_ms - window.offset_ms).abs();
        let earliest = window.to_ms + window.offset_ms.min(after.offset_ms) - change;
        let into_range = (start.millis_of_day() - earliest).rem_euclid(DAY_MS);
        if into_range <= 3 * change {
            return false;
        }
        window = after;
    }
    true
}

/// Returns the last instant of a walk that picks up nothing: the first of the year after the last.
pub(super) fn regular_end(interval: &Interval<'_>) -> Timestamp {
    let year = interval.zone.resolve(Date::new(LAST_YEAR + 1, 1, 1).at(0, 0, 0)).earliest();
    standard::after(interval, year - 1).unwrap_or(Timestamp::MAX)
}

/// The year in which the walk ends; Quartz's own ends a hundred years after the clock's.
const LAST_YEAR: i32 = 2299;
/// Within that year in every zone.
const LAST_LEAP_MS: i64 = Date::new(LAST_YEAR, 12, 1).day_number() * DAY_MS;

fn step(interval: &Interval<'_>, t: Timestamp) -> Option<Timestamp> {
    (interval.zone.to_local(t).date().year <= LAST_YEAR).then(|| add(interval, t, 1))
}

/// Returns most of the way to `t`, when that is more than 20 intervals of days or weeks.
fn leap(interval: &Interval<'_>, t: Timestamp) -> Timestamp {
    match leapt(intervals_until(interval, t)) {
        0 => interval.start,
        _ if interval.days().is_none() => interval.start,
        count => add(interval, interval.start, count),
    }
}

/// Returns about the number of steps that the walk to `t` takes.
pub(super) fn steps_to(interval: &Interval<'_>, t: Timestamp) -> u32 {
    let count = intervals_until(interval, t);
    let leapt = if interval.days().is_some() { leapt(count) } else { 0 };
    u32::try_from(count - leapt).unwrap_or(0)
}

/// Returns the intervals between the start and `t`, the shortest month being as good as any.
fn intervals_until(interval: &Interval<'_>, t: Timestamp) -> i64 {
    let days = interval.days().unwrap_or_else(|| match interval.unit {
        CalendarUnit::Year => 365 * interval.interval,
        _ => 28 * interval.interval,
    });
    (1 + t.since(interval.start) / 1_000) / (days * 86_400)
}

/// Returns the number of intervals to leap over.
fn leapt(count: i64) -> i64 {
    match count {
        ..=20 => 0,
        21..=49 => part(count, 0.80),
        50..=499 => part(count, 0.90),
        500.. => part(count, 0.95),
    }
}

/// Java's `(long) (count * share)`, in doubles.
fn part(count: i64, share: f64) -> i64 {
    (count as f64 * share) as i64
}

/// Sets the hour of the start again where it was lost. Whether the walk must go on.
fn restore_hour(interval: &Interval<'_>, fire: &mut Timestamp, hour: u8, t: Timestamp) -> bool {
    let local = interval.zone.to_local(*fire);
    if local.hour() == hour {
        return false;
    }
    let shift_ms = (i64::from(hour) - i64::from(local.hour())) * HOUR_MS;
    *fire = interval.zone.lenient(Civil::from_millis(local.as_millis() + shift_ms));
    if interval.zone.to_local(*fire).hour() == hour { *fire <= t } else { interval.skip_day }
}

/// Sets year and month, with the day pinned to the month's length; Java settles the rest anew.
fn add_months(interval: &Interval<'_>, t: Timestamp, amount: i64) -> Timestamp {
    if amount == 0 {
        return t;
    }
    let local = interval.zone.to_local(t);
    let date = local.date();
    let months = 12 * i64::from(date.year) + i64::from(date.month) - 1 + amount.clamp(-240_000, 240_000);
    let year = months.div_euclid(12) as i32;
    let month = (months.rem_euclid(12) + 1) as u8;
    let day = date.day.min(days_in_month(year, month));
    let midnight = Date::new(year, month, day).at(0, 0, 0).as_millis();
    interval.zone.lenient(Civil::from_millis(midnight + local.millis_of_day()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Trigger, Zone, trigger::Schedule};

    #[test]
    fn the_path_is_what_is_answered_from_each_instant_to_the_next() {
        let units = [CalendarUnit::Day, CalendarUnit::Week, CalendarUnit::Month];
        for zone in ["America/New_York", "Pacific/Apia", "Australia/Lord_Howe", "Antarctica/Troll"] {
            for (unit, preserve_hour, of_day_ms) in units
                .iter()
                .flat_map(|unit| [(unit, false), (unit, true)])
                .flat_map(|(unit, keeps)| [0, 1, 2, 3, 13].map(|hour| (*unit, keeps, hour * HOUR_MS + HOUR_MS / 3)))
            {
                let zone = Zone::parse(zone).unwrap();
                let start = zone.lenient(Civil::from_millis(Date::new(1999, 10, 31).day_number() * DAY_MS + of_day_ms));
                let schedule = Schedule::CalendarInterval { unit, interval: 1, preserve_hour, skip_day: true };
                let trigger = Trigger::new(schedule, zone, start);
                let interval = Interval::of(&trigger, start).unwrap();
                let asked = std::iter::successors(after(&interval, start), |fire| after(&interval, *fire));
                let path: Vec<_> = path(&interval, start).take(800).collect();
                assert!(asked.take(800).eq(path), "{trigger:?}");
            }
        }
    }
}
