//! `every` and `at`: instants at equal distances from the start. Quartz's SimpleTrigger.
//!
//! All functions want an interval above 0.

use super::{Trigger, TriggerState, bounded};
use crate::Timestamp;

/// Returns the first instant after `t`. The end is exclusive; slots that a calendar excludes use up repeats.
pub(super) fn after(trigger: &Trigger, state: &TriggerState, interval_ms: i64, t: Timestamp) -> Option<Timestamp> {
    let start = state.start_at;
    let repeats = state.repeat_count.map_or(i64::MAX, i64::from);
    let ended = |fire: Timestamp| trigger.end_at.is_some_and(|end| end <= fire);
    if i64::from(state.times_triggered) > repeats || (repeats == 0 && t >= start) || ended(t) {
        return None;
    }
    if t < start {
        return Some(start);
    }
    let slot = t.since(start) / interval_ms + 1;
    let fire = start + slot.checked_mul(interval_ms)?;
    (slot <= repeats && !ended(fire) && fire <= Timestamp::MAX).then_some(fire)
}

/// Returns the last instant before `t`, whatever has fired.
pub(super) fn before(trigger: &Trigger, state: &TriggerState, interval_ms: i64, t: Timestamp) -> Option<Timestamp> {
    let start = state.start_at;
    let t = trigger.end_at.map_or(t, |end| t.min(end.max(start + 1)));
    let slot = slots_until(start, interval_ms, t - 1).min(state.repeat_count.map_or(i64::MAX, i64::from));
    (slot >= 0).then(|| start + slot.saturating_mul(interval_ms))
}

/// Quartz's `getFinalFireTime`: may name the end itself, which does not fire.
pub(super) fn final_fire(trigger: &Trigger, interval_ms: i64) -> Option<Timestamp> {
    let start = bounded(trigger.start_at);
    let at_end = |end: Timestamp| (end >= start).then(|| start + end.since(start) / interval_ms * interval_ms);
    match trigger.schedule.repeat_count() {
        Some(0) => Some(start),
        None => trigger.end_at.and_then(at_end),
        Some(repeats) => {
            let last = start + i64::from(repeats).saturating_mul(interval_ms);
            match trigger.end_at {
                Some(end) if last >= end => at_end(end),
                _ => Some(last),
            }
        }
    }
}

/// Returns the number of slots after the first one that lie at or before `t`, whatever the end and the repeats.
pub(super) fn slots_until(start: Timestamp, interval_ms: i64, t: Timestamp) -> i64 {
    t.since(start).div_euclid(interval_ms)
}

/// Returns the number of instants in `[from, to)`.
pub(super) fn count(trigger: &Trigger, state: &TriggerState, interval_ms: i64, from: Timestamp, to: Timestamp) -> u64 {
    let start = state.start_at;
    let to = trigger.end_at.map_or(to, |end| to.min(end.max(start + 1)));
    let repeats = state.repeat_count.map_or(i64::MAX, i64::from);
    slots_between(start, interval_ms, from, to, repeats)
}

/// Returns the number of slots from 0 to `slot_max` in `[from, to)`.
pub(super) fn slots_between(start: Timestamp, interval_ms: i64, from: Timestamp, to: Timestamp, slot_max: i64) -> u64 {
    let slots_before = |t: Timestamp| {
        let last = slots_until(start, interval_ms, t - 1).min(slot_max);
        u64::try_from(last.saturating_add(1)).unwrap_or(0)
    };
    slots_before(to).saturating_sub(slots_before(from))
}
