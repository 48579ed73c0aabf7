//! `daily_window`: each n seconds to hours between two times of day. Quartz's DailyTimeIntervalTrigger.

mod count;
mod quartz;
mod standard;

pub(super) use count::{count, fire_past_end};

use super::{Schedule, Trigger, TriggerState, bounded};
use crate::civil::{DAY_MS, weekday};
use crate::{Civil, DaysOfWeek, Resolved, Semantics, TimeOfDay, Timestamp, Zone};

/// The parameters of a daily window, bound to the trigger's bounds and zone.
pub(super) struct Window<'a> {
    pub(super) from: TimeOfDay,
    pub(super) to: Option<TimeOfDay>,
    pub(super) days: DaysOfWeek,
    pub(super) step_ms: i64,
    pub(super) start: Timestamp,
    pub(super) end: Option<Timestamp>,
    pub(super) zone: &'a Zone,
}

impl<'a> Window<'a> {
    /// Returns the window; `None` when the schedule is of another kind, has no days, or its unit is not elapsed time.
    pub(super) fn of(trigger: &'a Trigger, start: Timestamp) -> Option<Self> {
        let Schedule::DailyWindow { from, to, days, unit, interval, .. } = trigger.schedule else {
            return None;
        };
        if days.is_empty() {
            return None;
        }
        let step_ms = unit.elapsed_ms()? * i64::from(interval.max(1));
        Some(Self { from, to, days, step_ms, start, end: trigger.end_at.map(bounded), zone: &trigger.zone })
    }

    pub(super) fn fires_on(&self, day_number: i64) -> bool {
        self.days.contains(weekday(day_number))
    }

    /// Returns both ends of a day's window, as the zone has them.
    fn resolve(&self, day_number: i64) -> (Resolved, Resolved) {
        let to = self.to.unwrap_or(TimeOfDay::LAST_SECOND);
        let at = |time| self.zone.resolve(Self::local(day_number, time));
        (at(self.from), at(to))
    }

    /// Returns the ends of a window, if the day fires and exists. One that lies within a gap fires once, after it.
    fn fitting(&self, day_number: i64, first: Timestamp, last: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let exists = || self.zone.to_local(first).day_number() == day_number;
        (self.fires_on(day_number) && exists()).then_some((first, last.max(first)))
    }

    /// Returns a time of day on a day.
    fn local(day_number: i64, time: TimeOfDay) -> Civil {
        Civil::from_millis(day_number * DAY_MS + time.as_millis())
    }
}

/// Returns the first instant after `t`. The end is inclusive; repeats count fires, not instants.
pub(super) fn after(trigger: &Trigger, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
    if state.repeat_count.is_some_and(|repeats| state.times_triggered > repeats) {
        return None;
    }
    let window = Window::of(trigger, state.start_at)?;
    match trigger.semantics {
        Semantics::Standard => standard::after(&window, t),
        Semantics::Quartz => quartz::after(&window, t),
    }
    .filter(|fire| *fire <= Timestamp::MAX)
}

/// Returns whether a fire found from an arbitrary instant is also found from the fire before it: Quartz looks at the
/// end only when it comes to another day.
pub(super) fn is_reached(trigger: &Trigger, state: &TriggerState, fire: Timestamp) -> bool {
    match (trigger.semantics, trigger.end_at, Window::of(trigger, state.start_at)) {
        (Semantics::Quartz, Some(end), Some(window)) => {
            let day = |t: Timestamp| window.zone.to_local(t).day_number();
            day(fire) < day(end)
                || quartz::bounds(&window, day(fire)).is_some_and(|(first, _)| first <= end)
                    && (fire <= end || fire - window.step_ms + 1_000 <= end)
        }
        _ => true,
    }
}

/// Returns the instant from which to continue if a fire, found from an arbitrary instant, is left out on the way from
/// the fire before it. Quartz comes late to the day after a window that began in a gap.
pub(super) fn left_out_until(trigger: &Trigger, state: &TriggerState, fire: Timestamp) -> Option<Timestamp> {
    let window = Window::of(trigger, state.start_at).filter(|_| trigger.semantics == Semantics::Quartz)?;
    let day = window.zone.to_local(fire).day_number();
    match quartz::bounds(&window, day) {
        Some((first, _)) if first <= fire => None,
        Some((first, _)) => Some(first - 1_001),
        None => Some(window.zone.lenient(Civil::from_millis((day + 1) * DAY_MS)) - 1_001),
    }
}

/// Quartz's `getFinalFireTime`: the end, or the end of its day's window if later.
pub(super) fn final_fire(trigger: &Trigger, to: Option<TimeOfDay>) -> Option<Timestamp> {
    let end = bounded(trigger.end_at?);
    let Some(to) = to else { return Some(end) };
    let day = trigger.zone.to_local(end).day_number();
    Some(end.max(trigger.zone.lenient(Window::local(day, to))))
}
