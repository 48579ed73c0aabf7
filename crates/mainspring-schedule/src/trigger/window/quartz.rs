//! Quartz's way through a daily window: it asks a second after `t`, looks at the end only when it
//! moves to another day, and sets times of day with Java's lenient calendar.

use super::Window;
use crate::civil::weekday;
use crate::{TimeOfDay, Timestamp};

/// `getFireTimeAfter`.
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

/// The first and the last instant that a day's window may contain; `None` without a window.
pub(super) fn bounds(window: &Window<'_>, day_number: i64) -> Option<(Timestamp, Timestamp)> {
    let (first, last) = window.resolve(day_number);
    window.fitting(day_number, first.lenient(), last.lenient())
}

/// The number of whole steps that cover the whole seconds of `elapsed_ms`.
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
    window
        .zone
        .lenient(Window::local(day_number(window, t), time))
}
