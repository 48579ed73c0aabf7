//! Next and previous fire under `semantics: standard`.
//!
//! Away from offset changes a fire is a fitting local time. At a change:
//! * a fitting time in a gap fires once, at the first instant after the gap;
//! * a fitting time in an overlap fires at its first occurrence;
//! * except that hours which the schedule steps through (from `*`, a range or a step) follow elapsed time:
//!   they fire in both passes of an overlap, and a gap needs no fire in their place when the next hour is in
//!   the field as well.

use std::ops::Range;

use super::fields::{ALL_HOURS, Fields};
use super::search::{next_local, previous_local};
use crate::civil::{Civil, DAY_MS, SECOND_MS};
use crate::{OffsetWindow, Resolved, Timestamp, Zone};

/// Returns the first fire after `t`, or `None` if there is none up to the last year.
pub(crate) fn next_after(fields: &Fields, zone: &Zone, t: Timestamp) -> Option<Timestamp> {
    let start = (t.as_millis() + SECOND_MS).div_euclid(SECOND_MS) * SECOND_MS;
    let window = zone.window(Timestamp::from_millis(start));
    let mut local = start + window.offset_ms;
    if start < window.from_ms.saturating_add(2 * DAY_MS) {
        match after_change(fields, zone, window, start) {
            Ok(fire) => return Some(fire),
            Err(from) => local = from,
        }
    }
    let next = next_local(fields, fields.hours, local);
    let window_end = window.to_ms.saturating_add(window.offset_ms);
    if let Some(next) = next.filter(|next| *next < window_end) {
        return Some(Timestamp::from_millis(next - window.offset_ms));
    }
    if window.to_ms == i64::MAX {
        return None;
    }
    let after = zone.window(Timestamp::from_millis(window.to_ms));
    if let Some(again) = in_second_pass(fields, window, after, after.from_ms) {
        return Some(again);
    }
    settle(fields, zone, next?)
}

/// Searches from a start shortly after an offset change. Returns a fire that belongs to the change, or the local time
/// from which the search continues.
#[cold]
fn after_change(fields: &Fields, zone: &Zone, window: OffsetWindow, start: i64) -> Result<Timestamp, i64> {
    let local = start + window.offset_ms;
    if window.from_ms == i64::MIN {
        return Err(local);
    }
    let before = zone.window(Timestamp::from_millis(window.from_ms - 1));
    if start == window.from_ms && makes_up(fields, before, window) {
        return Ok(Timestamp::from_millis(start));
    }
    match in_second_pass(fields, before, window, start) {
        Some(again) => Ok(again),
        None => Err(repeated(before, window).map_or(local, |repeated| local.max(repeated.end))),
    }
}

/// Returns the instant of a local time that is the first to fit.
fn settle(fields: &Fields, zone: &Zone, mut local: i64) -> Option<Timestamp> {
    loop {
        match zone.resolve(Civil::from_millis(local)) {
            Resolved::Once(t) | Resolved::Twice { first: t, .. } => return Some(t),
            Resolved::Skipped { gap_end, .. } => {
                let end = zone.to_local(gap_end).as_millis();
                if first_made_up(fields, local, end).is_some() {
                    return Some(gap_end);
                }
                local = next_local(fields, fields.hours, end)?;
            }
        }
    }
}

/// Returns the last fire before `t`, or `None` if there is none since 1970.
pub(crate) fn previous_before(fields: &Fields, zone: &Zone, t: Timestamp) -> Option<Timestamp> {
    let start = (t.as_millis() - 1).div_euclid(SECOND_MS) * SECOND_MS;
    let mut window = zone.window(Timestamp::from_millis(start));
    let mut local = start + window.offset_ms;
    loop {
        if window.from_ms == i64::MIN {
            let last = previous_local(fields, fields.hours, local)?;
            return Some(Timestamp::from_millis(last - window.offset_ms));
        }
        let before = zone.window(Timestamp::from_millis(window.from_ms - 1));
        if let Some(fire) = last_in_window(fields, before, window, local) {
            return Some(fire);
        }
        local = before.to_ms + before.offset_ms - SECOND_MS;
        window = before;
        // Windows without a fitting time are passed over at once.
        let last = previous_local(fields, fields.hours, local)?;
        if last.saturating_add(4 * DAY_MS) < window.from_ms {
            local = last + 2 * DAY_MS;
            window = zone.window(Timestamp::from_millis(local));
        }
    }
}

/// Returns the last fire from the beginning of `window` up to `local`.
fn last_in_window(fields: &Fields, before: OffsetWindow, window: OffsetWindow, local: i64) -> Option<Timestamp> {
    let start = window.from_ms + window.offset_ms;
    let first_pass_end = repeated(before, window).map_or(start, |repeated| repeated.end);
    let last = previous_local(fields, fields.hours, local).filter(|last| *last >= first_pass_end);
    let last = last.or_else(|| {
        let in_second_pass = local.min(first_pass_end - SECOND_MS);
        previous_local(fields, fields.stepped, in_second_pass).filter(|last| *last >= start)
    });
    match last {
        Some(last) => Some(Timestamp::from_millis(last - window.offset_ms)),
        None => makes_up(fields, before, window).then_some(Timestamp::from_millis(window.from_ms)),
    }
}

/// Returns the local times that are shown twice, when the offset shrinks.
fn repeated(before: OffsetWindow, after: OffsetWindow) -> Option<Range<i64>> {
    (after.offset_ms < before.offset_ms).then(|| after.from_ms + after.offset_ms..after.from_ms + before.offset_ms)
}

/// Returns the first fire from the instant `start` on that repeats one of the first pass.
fn in_second_pass(fields: &Fields, before: OffsetWindow, after: OffsetWindow, start: i64) -> Option<Timestamp> {
    let repeated = repeated(before, after).filter(|repeated| start + after.offset_ms < repeated.end)?;
    let again = next_local(fields, fields.stepped, start + after.offset_ms)?;
    (again < repeated.end).then(|| Timestamp::from_millis(again - after.offset_ms))
}

/// Returns whether the gap between two windows holds a fitting time that must not be lost.
pub(super) fn makes_up(fields: &Fields, before: OffsetWindow, after: OffsetWindow) -> bool {
    let (gap, gap_end) = (after.from_ms + before.offset_ms, after.from_ms + after.offset_ms);
    first_made_up(fields, gap, gap_end).is_some()
}

/// Returns the first local time of a gap that fits and must not be lost.
pub(crate) fn first_made_up(fields: &Fields, gap: i64, gap_end: i64) -> Option<Civil> {
    if gap >= gap_end {
        return None;
    }
    let lost = next_local(fields, made_up_hours(fields), gap)?;
    (lost < gap_end).then(|| Civil::from_millis(lost))
}

/// Returns the hours whose fires in a gap happen after it: all but those that are stepped through and followed by
/// another hour of the field.
const fn made_up_hours(fields: &Fields) -> u32 {
    let followed = (fields.hours >> 1 | fields.hours << 23) & ALL_HOURS;
    fields.hours & !(fields.stepped & followed)
}
