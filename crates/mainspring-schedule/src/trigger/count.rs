//! Counts the fire times in a range, by arithmetic instead of a walk.

use super::{Schedule, Trigger, TriggerState, bounded, bounded_state, by_day, cron, every, interval, window};
use crate::calendar::{Budget, ByDay};
use crate::civil::DAY_MS;
use crate::{Calendar, Semantics, Timestamp};

impl Trigger {
    /// Returns the number of fire times in `[from, to)`, those that the calendar excludes left out.
    ///
    /// Of the state, only the start matters, and for `every` the repeat count; a `daily_window`
    /// with repeats counts on. Cost grows with the offset changes of the zone in the range, and with
    /// the months in it under a calendar of days, else with the stretches into which a calendar cuts it.
    /// Where a calendar cuts the range into more than
    /// 200,000 (a `cron` calendar of every other second, over days), the rest of the range is
    /// counted as if nothing were excluded.
    #[must_use]
    pub fn count_between(&self, state: &TriggerState, from: Timestamp, to: Timestamp) -> u64 {
        let (state, from, to) = (&bounded_state(state), bounded(from), bounded(to));
        match self.calendar.as_deref() {
            Some(calendar) => self.count_included(calendar, state, from, to),
            None => self.count_schedule(state, from, to),
        }
    }

    /// Looks at each instant when they are few, else at each day, or at the stretches that the calendar leaves.
    fn count_included(&self, calendar: &Calendar, state: &TriggerState, from: Timestamp, to: Timestamp) -> u64 {
        let is_walked = interval::is_walked(self, state);
        let included = |fire| calendar.is_included(fire, self.semantics, &self.zone);
        let rest = |from, to| match is_walked {
            true => interval::count_walked(self, state, from, to, included),
            false => self.count_stretches(calendar, state, from, to),
        };
        if to.since(from) > FEW_DAYS_MS
            && let Some(count) = by_day::count(self, state, calendar, (from, to), rest)
        {
            return count;
        }
        if is_walked {
            return rest(from, to);
        }
        let of_days = ByDay::of(calendar, self.semantics, &self.zone).is_some();
        if self.count_schedule(state, from, to) <= if of_days { INSTANTS_OF_DAYS } else { INSTANTS_MAX } {
            return self.walk_from(state, from).take_while(|fire| *fire < to).count() as u64;
        }
        rest(from, to)
    }

    fn count_stretches(&self, calendar: &Calendar, state: &TriggerState, from: Timestamp, to: Timestamp) -> u64 {
        let mut budget = Budget::default();
        let mut exclusions = calendar.exclusions(self.semantics, &self.zone);
        let mut t = from.max(state.start_at - 1_000);
        let mut count = 0;
        while t < to {
            if budget.spend().is_none() {
                return count + self.count_schedule(state, t, to);
            }
            let mut search = Budget::default();
            let included = calendar.first_included(t, self.semantics, &self.zone, &mut search);
            let Some(included) = included.filter(|included| *included < to) else {
                break;
            };
            let end = exclusions.first_from(included).map_or(to, |excluded| excluded.min(to));
            count += self.count_schedule(state, included, end);
            t = end;
        }
        count
    }

    /// Returns the fire times from `t` on, whatever the counts of the state.
    pub(super) fn walk_from(&self, state: &TriggerState, t: Timestamp) -> impl Iterator<Item = Timestamp> {
        let fresh = TriggerState { times_triggered: 0, ..*state };
        std::iter::successors(self.first_from(&fresh, t), move |fire| self.next_after(&fresh, *fire))
    }

    /// Returns whether instants depend on where the question starts, so that only the way from one fire to the next is
    /// right: Quartz's `W`, and its calendar intervals that pick up shifts.
    pub(super) fn is_path(&self, state: &TriggerState, until: Timestamp) -> bool {
        match &self.schedule {
            Schedule::Cron(cron) => cron.walks_only(),
            Schedule::CalendarInterval { .. } => interval::is_path(self, state, until),
            _ => false,
        }
    }

    /// Counts as [`Trigger::count_between`] does, but without the calendar.
    fn count_schedule(&self, state: &TriggerState, from: Timestamp, to: Timestamp) -> u64 {
        match &self.schedule {
            Schedule::Every { interval_ms, .. } => every::count(self, state, (*interval_ms).max(1), from, to),
            Schedule::At | Schedule::Delay { .. } => u64::from(from <= state.start_at && state.start_at < to),
            Schedule::Cron(cron) => {
                let start = match self.semantics {
                    Semantics::Standard => state.start_at,
                    Semantics::Quartz => cron::quartz_start(state.start_at, &self.zone),
                };
                let end = self.end_at.map_or(to, |end| to.min(end + 1));
                cron.count_between(&self.zone, from.max(start), end)
            }
            Schedule::CalendarInterval { .. } => interval::count(self, state, from, to),
            Schedule::DailyWindow { .. } => window::count(self, state, from, to),
        }
    }
}

/// Up to here a calendar leaves few stretches, and days are not worth a sum.
const FEW_DAYS_MS: i64 = 8 * DAY_MS;
/// The number of instants that are counted one by one under a calendar that may cut each second apart.
const INSTANTS_MAX: u64 = 2_000;
/// The number of instants that are counted one by one under a calendar of days.
const INSTANTS_OF_DAYS: u64 = 16;
