//! The last fire before an instant, of a search that Quartz can only be asked to do forwards.
//!
//! A fire is an instant that comes next after some earlier one. Where one starts to ask matters: in the first
//! of two equal hours Quartz finds nothing of that hour, and after a gap it finds what it slides over when
//! asked before it. So fires do not grow with the question, and halving time would overlook some. But for
//! `W`, they are the fitting local times outside of first passes.

use super::next_after;
use crate::civil::{DAY_MS, Date, SECOND_MS, days_in_month};
use crate::cron::fields::Fields;
use crate::cron::search::{last_time, previous_local};
use crate::{Civil, Timestamp, Zone};

/// Returns the last fire before `t` to which a question from a second before `start` on leads.
pub(crate) fn previous_between(fields: &Fields, zone: &Zone, start: Timestamp, t: Timestamp) -> Option<Timestamp> {
    if fields.days.have_nearest() {
        return last_of_nearest(fields, zone, start, t);
    }
    let mut limit = last_second_before(t);
    loop {
        let fire = last_fitting(fields, zone, limit)?;
        if fire < start {
            return None;
        }
        // Days from the end, beside days by number, may lose against them.
        if fields.days.are_a_set() || next_after(fields, zone, fire - SECOND_MS) == Some(fire) {
            return Some(fire);
        }
        limit = fire - SECOND_MS;
    }
}

fn last_second_before(t: Timestamp) -> Timestamp {
    Timestamp::from_millis((t.as_millis() - 1).div_euclid(SECOND_MS) * SECOND_MS)
}

/// Returns the last instant up to `limit`, outside of first passes, that shows a fitting time.
fn last_fitting(fields: &Fields, zone: &Zone, mut limit: Timestamp) -> Option<Timestamp> {
    loop {
        let window = zone.window(limit);
        let mut local = limit.as_millis() + window.offset_ms;
        if window.to_ms < i64::MAX {
            let after = zone.window(Timestamp::from_millis(window.to_ms));
            local = local.min(window.to_ms + window.offset_ms.min(after.offset_ms) - SECOND_MS);
        }
        let last = previous_local(fields, fields.hours, local)?;
        if last - window.offset_ms >= window.from_ms {
            return Some(Timestamp::from_millis(last - window.offset_ms));
        }
        // Windows without a fitting time are passed over at once.
        limit = Timestamp::from_millis((window.from_ms - SECOND_MS).min(last + 2 * DAY_MS));
    }
}

/// `W`: asks on each day of a month, since several days may lead to the same fire, at different times of day.
fn last_of_nearest(fields: &Fields, zone: &Zone, start: Timestamp, t: Timestamp) -> Option<Timestamp> {
    let date = zone.to_local(t).date();
    // The month of `t` itself comes first.
    let mut month = fields.month_before(date.year, date.month + 1);
    while let Some((year, number)) = month {
        let first = Date::new(year, number, 1).day_number();
        let days = first..first + i64::from(days_in_month(year, number));
        if zone.lenient(Civil::from_millis(days.end * DAY_MS)) < start - SECOND_MS {
            return None;
        }
        if fields.days_of(year, number) != 0 {
            let fires = days.filter_map(|day| last_from_day(fields, zone, day, start, t));
            if let Some(last) = fires.max() {
                return Some(last);
            }
        }
        month = fields.month_before(year, number);
    }
    None
}

/// Returns the last fire before `t` to which a question on one day leads, up to the last fitting time of that day.
fn last_from_day(fields: &Fields, zone: &Zone, day: i64, start: Timestamp, t: Timestamp) -> Option<Timestamp> {
    let midnight = Civil::from_millis(day * DAY_MS);
    let last_time = Civil::from_millis(day * DAY_MS + last_time(fields, fields.hours));
    let (begin, end) = (zone.resolve(midnight).earliest(), zone.lenient(last_time));
    let change = zone.next_change(begin).filter(|change| *change <= end);
    let stretches = [Some((begin, change.map_or(end, |change| change - SECOND_MS))), change.map(|from| (from, end))];
    let last = |(from, to): (Timestamp, Timestamp)| {
        last_from_stretch(fields, zone, from.max(start) - SECOND_MS, to - SECOND_MS, t)
    };
    stretches.into_iter().flatten().filter_map(last).max()
}

/// Returns the last fire before `t` to which questions from `from` to `to` lead, in whole seconds; in between, fires
/// grow with the question.
fn last_from_stretch(fields: &Fields, zone: &Zone, from: Timestamp, to: Timestamp, t: Timestamp) -> Option<Timestamp> {
    let fire_after = |asked| next_after(fields, zone, asked).filter(|fire| *fire < t);
    let mut last = fire_after(from)?;
    if let Some(latest) = fire_after(to.max(from)) {
        return Some(latest.max(last));
    }
    let (mut found, mut none) = (from, to);
    while none.since(found) > SECOND_MS {
        let middle = found + none.since(found) / 2 / SECOND_MS * SECOND_MS;
        match fire_after(middle) {
            Some(fire) => (found, last) = (middle, fire.max(last)),
            None => none = middle,
        }
    }
    Some(last)
}
