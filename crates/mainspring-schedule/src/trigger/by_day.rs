//! Counts the instants that a calendar of days leaves, month by month instead of by each excluded stretch.
//!
//! On a day that no change of offset disturbs, a schedule has the same times of day as on any other on
//! which it fires. Other days, and the ends of a range, are counted as usual.

use super::{Schedule, Trigger, TriggerState, bounded, interval, window};
use crate::calendar::ByDay;
use crate::civil::{DAY_MS, Date, days_in_month, on_weekdays, weekday};
use crate::{Calendar, CalendarUnit, Cron, DaysOfWeek, OffsetWindow, Semantics, TimeOfDay, Timestamp};

/// Returns the number of instants in `[from, to)` that the calendar leaves, with `rest` to count where days are
/// disturbed; `None` for schedules and calendars that are not made of days.
pub(super) fn count(
    trigger: &Trigger,
    state: &TriggerState,
    calendar: &Calendar,
    (from, to): (Timestamp, Timestamp),
    rest: impl Fn(Timestamp, Timestamp) -> u64,
) -> Option<u64> {
    let zone = &trigger.zone;
    let sum = DaySum { daily: Daily::of(trigger, state, to)?, left: ByDay::of(calendar, trigger.semantics, zone)? };
    // Quartz's odd ways last for a day or two.
    let margin_days = if trigger.semantics == Semantics::Quartz { 2 } else { 0 };
    let end = last_of_all(trigger, state).min(to);
    let (mut count, mut done) = (0, from);
    let mut window = zone.window(from.max(state.start_at));
    let mut first_local = (from.max(state.start_at).as_millis() + window.offset_ms - 1).div_euclid(DAY_MS) + 1;
    loop {
        let after = (window.to_ms < end.as_millis()).then(|| zone.window(Timestamp::from_millis(window.to_ms)));
        let offset_ms = after.map_or(window.offset_ms, |after| after.offset_ms.min(window.offset_ms));
        let last_local = (window.to_ms.min(end.as_millis()) + offset_ms).div_euclid(DAY_MS);
        let days = first_local + margin_days..last_local - margin_days;
        if days.start < days.end {
            let at_midnight = |day: i64| Timestamp::from_millis(day * DAY_MS - window.offset_ms);
            count += rest(done, at_midnight(days.start)) + sum.count(days.start, days.end, window);
            done = at_midnight(days.end);
        }
        let Some(after) = after else {
            return Some(count + rest(done, to));
        };
        // The day of the change is over on both clocks.
        first_local = (window.to_ms + after.offset_ms.max(window.offset_ms)).div_euclid(DAY_MS) + 1;
        window = after;
    }
}

/// Returns an instant that no other exceeds, except Quartz's fires past the end.
fn last_of_all(trigger: &Trigger, state: &TriggerState) -> Timestamp {
    let end = trigger.end_at.map_or(Timestamp::MAX, bounded);
    match (&trigger.schedule, state.repeat_count) {
        (Schedule::Every { interval_ms, .. }, Some(repeats)) => {
            end.min(state.start_at + i64::from(repeats).saturating_mul(*interval_ms))
        }
        (Schedule::CalendarInterval { .. }, _) => end.min(interval::last_of_all(trigger, state)),
        _ => end,
    }
}

struct DaySum<'a> {
    daily: Daily<'a>,
    left: ByDay<'a>,
}

impl DaySum<'_> {
    /// Returns the instants that are left of the days in `[first, last)`, which are not disturbed.
    fn count(&self, first: i64, last: i64, window: OffsetWindow) -> u64 {
        let before = |of_day: i64| self.daily.times_before(of_day, window);
        let per_day: u64 = self.left.times().iter().map(|(from, to)| before(*to) - before(*from)).sum();
        if per_day == 0 {
            return 0;
        }
        let Date { mut year, mut month, .. } = Date::from_day_number(first);
        let mut month_first = Date::new(year, month, 1).day_number();
        let mut days = 0;
        while month_first < last {
            let length = i64::from(days_in_month(year, month));
            // Bit n is the n-th day: those from `first` on, and those before `last`.
            let from = u64::MAX << (first - month_first + 1).max(0);
            let until = (2_u64 << (last - month_first).min(length)) - 1;
            let of_month = self.daily.days_of(year, month, month_first) & self.left.days_of(year, month);
            days += u64::from((u64::from(of_month) & from & until).count_ones());
            month_first += length;
            (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        }
        days * per_day
    }
}

/// A schedule that has the same times of day on each day on which it fires.
enum Daily<'a> {
    Cron(&'a Cron),
    /// Steps between two times of day, both included.
    Window {
        days: DaysOfWeek,
        from_ms: i64,
        to_ms: i64,
        step_ms: i64,
    },
    /// Steps that divide the day.
    Steps {
        start: Timestamp,
        step_ms: i64,
    },
    /// Once on every n-th day.
    Days {
        first: i64,
        of_day_ms: i64,
        step: i64,
    },
    /// Once in every n-th month, counted from that of the start.
    Months {
        first: Date,
        of_day_ms: i64,
        step: i64,
    },
}

impl<'a> Daily<'a> {
    fn of(trigger: &'a Trigger, state: &TriggerState, to: Timestamp) -> Option<Self> {
        let start = state.start_at;
        match &trigger.schedule {
            Schedule::Cron(cron) => cron.days_of(1970, 1).map(|_| Self::Cron(cron)),
            Schedule::Every { interval_ms, .. } => Self::steps(start, *interval_ms),
            Schedule::CalendarInterval { .. } => {
                let interval = interval::Interval::of(trigger, start)?;
                if let Some(step_ms) = interval.elapsed_ms() {
                    return Self::steps(start, step_ms);
                }
                // Quartz's months are few enough to be walked through.
                let walked = interval::is_walked(trigger, state) && interval.days().is_none();
                if walked || interval::is_path(trigger, state, to) {
                    return None;
                }
                let local = trigger.zone.to_local(start);
                let of_day_ms = local.millis_of_day();
                Some(match (interval.days(), interval.unit) {
                    (Some(step), _) => Self::Days { first: local.day_number(), of_day_ms, step },
                    (None, CalendarUnit::Year) => {
                        Self::Months { first: local.date(), of_day_ms, step: 12 * interval.interval }
                    }
                    _ => Self::Months { first: local.date(), of_day_ms, step: interval.interval },
                })
            }
            Schedule::DailyWindow { .. } => {
                let window = window::Window::of(trigger, start)?;
                let to = window.to.unwrap_or(TimeOfDay::LAST_SECOND);
                let (from_ms, to_ms) = (window.from.as_millis(), to.as_millis());
                Some(Self::Window { days: window.days, from_ms, to_ms, step_ms: window.step_ms })
            }
            Schedule::At | Schedule::Delay { .. } => None,
        }
    }

    fn steps(start: Timestamp, step_ms: i64) -> Option<Self> {
        (step_ms > 0 && DAY_MS % step_ms == 0).then_some(Self::Steps { start, step_ms })
    }

    /// Returns the days of a month on which it fires, as bits from 1 on, and perhaps days after the month.
    fn days_of(&self, year: i32, month: u8, month_first: i64) -> u32 {
        match self {
            Self::Cron(cron) => cron.days_of(year, month).unwrap_or(0),
            Self::Window { days, .. } => on_weekdays(days.bits(), weekday(month_first)),
            Self::Steps { .. } | Self::Days { step: 1, .. } => u32::MAX,
            Self::Days { first, step, .. } => {
                let next = (first - month_first).rem_euclid(*step);
                let days = std::iter::successors(Some(next), |day| Some(day + step)).take_while(|day| *day < 31);
                days.fold(0, |bits, day| bits | 2 << day)
            }
            Self::Months { first, step, .. } => {
                let months = 12 * i64::from(year - first.year) + i64::from(month) - i64::from(first.month);
                let day = first.day.min(days_in_month(year, month));
                if months % step == 0 { 1 << day } else { 0 }
            }
        }
    }

    /// Returns the number of instants before a time of day.
    fn times_before(&self, of_day: i64, window: OffsetWindow) -> u64 {
        let times = match self {
            Self::Cron(cron) => return cron.times_before(of_day),
            Self::Window { from_ms, to_ms, step_ms, .. } => {
                (of_day.min(to_ms + 1) - from_ms + step_ms - 1).div_euclid(*step_ms)
            }
            Self::Steps { start, step_ms } => {
                let phase = (start.as_millis() + window.offset_ms).rem_euclid(*step_ms);
                (of_day - phase + step_ms - 1).div_euclid(*step_ms)
            }
            Self::Days { of_day_ms, .. } | Self::Months { of_day_ms, .. } => i64::from(of_day > *of_day_ms),
        };
        times.max(0).cast_unsigned()
    }
}
