//! `calendar_interval`: each n seconds to years by the local calendar. Quartz's CalendarIntervalTrigger.
//!
//! Seconds, minutes and hours are elapsed time under both semantics. Days and longer units are
//! counted from the start by the local calendar: `standard` computes the n-th instant directly,
//! `quartz` (in `interval/quartz`) walks there as Quartz does, and keeps what it picks up on the way.

mod quartz;
mod standard;

use super::{CalendarUnit, Schedule, Trigger, TriggerState, bounded, every};
use crate::civil::DAY_MS;
use crate::{Semantics, Timestamp};

/// The parameters of a calendar interval, bound to a start and a zone.
pub(super) struct Interval<'a> {
    pub(super) unit: CalendarUnit,
    pub(super) interval: i64,
    pub(super) preserve_hour: bool,
    pub(super) skip_day: bool,
    pub(super) start: Timestamp,
    pub(super) zone: &'a crate::Zone,
}

impl<'a> Interval<'a> {
    /// Returns the interval; `None` when the schedule is of another kind.
    pub(super) fn of(trigger: &'a Trigger, start: Timestamp) -> Option<Self> {
        let Schedule::CalendarInterval { unit, interval, preserve_hour, skip_day } = trigger.schedule else {
            return None;
        };
        let interval = i64::from(interval.max(1));
        Some(Self { unit, interval, preserve_hour, skip_day, start, zone: &trigger.zone })
    }

    /// Returns the time between two instants, if it is elapsed time.
    pub(super) fn elapsed_ms(&self) -> Option<i64> {
        Some(self.unit.elapsed_ms()? * self.interval)
    }

    /// Returns the days of an interval of days or weeks.
    pub(super) fn days(&self) -> Option<i64> {
        match self.unit {
            CalendarUnit::Day => Some(self.interval),
            CalendarUnit::Week => Some(7 * self.interval),
            _ => None,
        }
    }

    /// Returns the first instant after `t`, whatever the end.
    fn after(&self, semantics: Semantics, t: Timestamp) -> Option<Timestamp> {
        if t < self.start {
            return Some(self.start);
        }
        let fire = match (self.elapsed_ms(), semantics) {
            (Some(step_ms), _) => {
                let slot = t.since(self.start) / step_ms + 1;
                self.start + slot.checked_mul(step_ms)?
            }
            (None, Semantics::Standard) => standard::after(self, t)?,
            (None, Semantics::Quartz) => quartz::after(self, t)?,
        };
        (fire <= Timestamp::MAX).then_some(fire)
    }
}

/// Returns the first instant after `t`. The end is exclusive.
pub(super) fn after(trigger: &Trigger, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
    let ended = |fire: Timestamp| trigger.end_at.is_some_and(|end| end <= fire);
    if ended(t) {
        return None;
    }
    let fire = Interval::of(trigger, state.start_at)?.after(trigger.semantics, t)?;
    (!ended(fire)).then_some(fire)
}

/// Returns whether the way to an instant depends on where the question starts: Quartz's days and weeks.
pub(super) fn leaps(trigger: &Trigger, state: &TriggerState) -> bool {
    trigger.semantics == Semantics::Quartz
        && Interval::of(trigger, state.start_at).is_some_and(|interval| interval.days().is_some())
}

/// Returns the last instant before `t` of an interval that [`leaps`]: goes on from each of the places where the last
/// leaps begin.
pub(super) fn before(trigger: &Trigger, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
    let interval = Interval::of(trigger, state.start_at)?;
    let step_ms = interval.days()?.checked_mul(DAY_MS)?;
    let t = trigger.end_at.map_or(t, |end| t.min(end));
    let next = |asked: &Timestamp| after(trigger, state, *asked).filter(|fire| *fire < t);
    let count = t.since(state.start_at) / step_ms;
    let asked = (0..=LEAPS_BACK).map(|back| state.start_at + (count - back).saturating_mul(step_ms) - 1_000);
    asked.filter_map(|asked| std::iter::successors(next(&asked), next).last()).max()
}

/// The number of intervals before an instant within which there is an earlier one, even where a day is skipped.
const LEAPS_BACK: i64 = 4;

/// Quartz's `getFinalFireTime`: one interval back from the first instant around the end.
pub(super) fn final_fire(trigger: &Trigger) -> Option<Timestamp> {
    let end = bounded(trigger.end_at?);
    let interval = Interval::of(trigger, trigger.start_at)?;
    let fire = interval.after(trigger.semantics, end - 1_000)?;
    if fire == end {
        return Some(fire);
    }
    Some(match interval.elapsed_ms() {
        Some(step_ms) => fire - step_ms,
        None => quartz::add(&interval, fire, -1),
    })
}

/// Returns the number of instants in `[from, to)`.
pub(super) fn count(trigger: &Trigger, state: &TriggerState, from: Timestamp, to: Timestamp) -> u64 {
    let start = state.start_at;
    let to = trigger.end_at.map_or(to, |end| to.min(end.max(start + 1)));
    let Some(interval) = Interval::of(trigger, start) else {
        return 0;
    };
    if from >= to {
        return 0;
    }
    match (interval.elapsed_ms(), trigger.semantics) {
        (Some(step_ms), _) => every::slots_between(start, step_ms, from, to, i64::MAX),
        (None, Semantics::Standard) => standard::count(&interval, from, to),
        (None, Semantics::Quartz) if quartz::is_regular(&interval, to) => {
            let to = to.min(quartz::regular_end(&interval) + 1);
            if from < to { standard::count(&interval, from, to) } else { 0 }
        }
        (None, Semantics::Quartz) => count_walked(trigger, state, from, to, |_| true),
    }
}

/// Returns the number of instants in `[from, to)` of an interval that [`is_walked`] and that are `included`.
pub(super) fn count_walked(
    trigger: &Trigger,
    state: &TriggerState,
    from: Timestamp,
    to: Timestamp,
    included: impl Fn(Timestamp) -> bool,
) -> u64 {
    let start = state.start_at;
    // The start itself is an instant, which the path begins after.
    let mut count = u64::from(from <= start && start < to && included(start));
    each_until(trigger, state, (from - 1).max(start), to - 1, |fire| count += u64::from(included(fire)));
    count
}

/// Returns the instants after `t` of an interval that [`is_walked`], in order.
pub(super) fn each_until(
    trigger: &Trigger,
    state: &TriggerState,
    t: Timestamp,
    until: Timestamp,
    mut what: impl FnMut(Timestamp),
) {
    let until = trigger.end_at.map_or(until, |end| until.min(end - 1));
    if let Some(interval) = Interval::of(trigger, state.start_at) {
        quartz::path(&interval, t).take_while(|fire| *fire <= until).for_each(&mut what);
    }
}

/// Returns the length of Quartz's walk to `t`; 0 where there is none.
pub(super) fn steps_to(trigger: &Trigger, state: &TriggerState, t: Timestamp) -> u32 {
    let interval = Interval::of(trigger, state.start_at).filter(|interval| interval.elapsed_ms().is_none());
    interval.filter(|_| trigger.semantics == Semantics::Quartz).map_or(0, |it| quartz::steps_to(&it, t))
}

/// Returns whether instants are those of Quartz's walk, which ends before 2301: 120,000 of them at most.
pub(super) fn is_walked(trigger: &Trigger, state: &TriggerState) -> bool {
    trigger.semantics == Semantics::Quartz
        && Interval::of(trigger, state.start_at).is_some_and(|interval| interval.elapsed_ms().is_none())
}

/// Returns an instant that no other exceeds, where the walk picks up no shifts.
pub(super) fn last_of_all(trigger: &Trigger, state: &TriggerState) -> Timestamp {
    let walk = Interval::of(trigger, state.start_at).filter(|_| is_walked(trigger, state));
    walk.map_or(Timestamp::MAX, |interval| quartz::regular_end(&interval))
}

/// Returns whether Quartz's walk up to `until` picks up shifts.
pub(super) fn is_path(trigger: &Trigger, state: &TriggerState, until: Timestamp) -> bool {
    is_walked(trigger, state)
        && Interval::of(trigger, state.start_at).is_some_and(|interval| !quartz::is_regular(&interval, until))
}
