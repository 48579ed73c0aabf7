//! Quartz's way through a daily window: it asks a second after `t`, looks at the end only when it
//! moves to another day, and sets times of day with Java's lenient calendar.

use super::Window;
use crate::civil::weekday;
use crate::{TimeOfDay, Timestamp};

/// Computes `getFireTimeAfter`.
pub(super) fn after(window: &Window<'_>, t: Timestamp) -> Option<Timestamp> {
    let asked = (t + 1_000).max(window.start);
    let past_window = window.to.is_some_and(|to| asked > at(window, asked, to));
    let fire = next_day(window, asked, past_window)?;
    let window_end = at(window, fire, window.to.unwrap_or(TimeOfDay::LAST_SECOND));
    let window_start = at(window, fire, window.from);
    if fire < window_start {
        return Some(window_start);
    }
    let fire = window_start + steps(fire.since(window_start), window.step_ms) * window.step_ms;
    if fire <= window_end {
        return Some(fire);
    }
    let same_day = day_number(window, fire) == day_number(window, window_end);
    let fire = next_day(window, fire, same_day)?;
    Some(at(window, fire, window.from))
}

/// Returns the first and the last instant that a day's window may contain, come at from the day before; `None` without
/// a window.
pub(super) fn bounds(window: &Window<'_>, day: i64) -> Option<(Timestamp, Timestamp)> {
    let (first, last) = plain_bounds(window, day)?;
    let Some(arrival) = Arrival::at(window, day) else {
        return Some((first, last));
    };
    if window.end.is_some_and(|end| arrival.t > end && day_number(window, end) == day) {
        return None;
    }
    if !arrival.keeps_time || arrival.t <= first {
        return Some((first, last));
    }
    let first = first + steps(arrival.t.since(first), window.step_ms) * window.step_ms;
    (first <= last).then_some((first, last))
}

fn plain_bounds(window: &Window<'_>, day: i64) -> Option<(Timestamp, Timestamp)> {
    let (first, last) = window.resolve(day);
    window.fitting(day, first.lenient(), last.lenient())
}

/// The instant with which Quartz comes to a day from an earlier one. It is what the end is compared
/// with; and where the earlier window began in a gap, it is late.
struct Arrival {
    t: Timestamp,
    /// Whether the day is searched from `t` on, instead of from the beginning of its window.
    keeps_time: bool,
}

impl Arrival {
    /// Returns the arrival at a day; `None` when the day is the first one, so that nothing comes before it.
    fn at(window: &Window<'_>, day: i64) -> Option<Self> {
        let start_day = day_number(window, window.start);
        let days_back = (day - 7..day).rev().take_while(|earlier| *earlier >= start_day);
        let fires = |earlier: &i64| plain_bounds(window, *earlier).is_some();
        let Some(earlier) = days_back.clone().find(fires) else {
            // Nothing has fired: the way begins on the day of the start.
            let first_day = days_back.last()?;
            return Some(Self { t: from_day(window, first_day, day), keeps_time: true });
        };
        let (first, last) = plain_bounds(window, earlier)?;
        let elapsed = last.since(first);
        if window.start > last || elapsed % window.step_ms == 0 {
            return Some(Self { t: from_day(window, earlier, day), keeps_time: true });
        }
        let beyond = first + (elapsed / window.step_ms + 1) * window.step_ms;
        let t = match day_number(window, beyond) {
            reached if reached == day => beyond,
            reached => from_day(window, reached, day),
        };
        Some(Self { t, keeps_time: false })
    }
}

/// Returns the beginning of a day's window, with days added one by one.
fn from_day(window: &Window<'_>, earlier: i64, day: i64) -> Timestamp {
    let mut t = window.zone.lenient(Window::local(earlier, window.from));
    while day_number(window, t) < day {
        t = window.zone.lenient_add_days(t, 1);
    }
    t
}

/// Returns the number of whole steps that cover the whole seconds of `elapsed_ms`.
fn steps(elapsed_ms: i64, step_ms: i64) -> i64 {
    let seconds = elapsed_ms / 1_000 * 1_000;
    (seconds + step_ms - 1).div_euclid(step_ms)
}

/// Moves to the beginning of the next day that fires, when it must or when this day does not fire.
fn next_day(window: &Window<'_>, t: Timestamp, must_move: bool) -> Option<Timestamp> {
    let mut start_of_window = at(window, t, window.from);
    let mut fire = t;
    if must_move || !fires(window, start_of_window) {
        for _ in 0..7 {
            start_of_window = window.zone.lenient_add_days(start_of_window, 1);
            if fires(window, start_of_window) {
                fire = start_of_window;
                break;
            }
        }
    }
    window.end.is_none_or(|end| fire <= end).then_some(fire)
}

fn fires(window: &Window<'_>, t: Timestamp) -> bool {
    window.days.contains(weekday(day_number(window, t)))
}

fn day_number(window: &Window<'_>, t: Timestamp) -> i64 {
    window.zone.to_local(t).day_number()
}

fn at(window: &Window<'_>, t: Timestamp, time: TimeOfDay) -> Timestamp {
    window.zone.lenient(Window::local(day_number(window, t), time))
}
