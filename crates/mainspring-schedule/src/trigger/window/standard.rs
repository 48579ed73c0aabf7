//! A day's window as it says: from the first instant that shows `from` to the last one that shows
//! `to`, stepped through in elapsed time, within the trigger's bounds.
//!
//! A `from` in a gap is the first instant after the gap. A date that the zone skips has no window.

use super::Window;
use crate::{Resolved, Timestamp};

/// Returns the first instant after `t`.
pub(super) fn after(window: &Window<'_>, t: Timestamp) -> Option<Timestamp> {
    let t = t.max(window.start - 1);
    let today = window.zone.to_local(t).day_number();
    // Where a clock is put back over midnight, two days' windows overlap.
    let near = [today - 1, today].map(|day| day_after(window, day, t));
    let fire = near.into_iter().flatten().min();
    let fire = fire.or_else(|| (today + 1..today + 15).find_map(|day| day_after(window, day, t)))?;
    window.end.is_none_or(|end| fire <= end).then_some(fire)
}

/// Returns the first and the last instant that a day's window may contain; `None` without a window.
pub(super) fn bounds(window: &Window<'_>, day_number: i64) -> Option<(Timestamp, Timestamp)> {
    let (first, last) = window.resolve(day_number);
    let last = match last {
        Resolved::Once(t) | Resolved::Twice { second: t, .. } => t,
        Resolved::Skipped { gap_end, .. } => gap_end - 1,
    };
    window.fitting(day_number, first.earliest(), last)
}

fn day_after(window: &Window<'_>, day_number: i64, t: Timestamp) -> Option<Timestamp> {
    let (first, last) = bounds(window, day_number)?;
    if t < first {
        return Some(first);
    }
    let fire = first + (t.since(first) / window.step_ms + 1) * window.step_ms;
    (fire <= last).then_some(fire)
}
