//! Instants before another one.

use super::{NEVER_AFTER_MS, Schedule, Trigger, TriggerState, bounded, bounded_state, cron, every, interval};
use crate::calendar::Budget;
use crate::civil::DAY_MS;
use crate::{Civil, Semantics, Timestamp};

impl Trigger {
    /// Returns the last fire time before `t`, or `None`. Consoles show it and backfills start from it.
    ///
    /// Of the state, only the start and the repeat count matter: this is about the schedule, not
    /// about what has really fired. Under Quartz semantics, where fires may depend on where the
    /// question starts, it is the last fire time before `t` that comes next after some instant.
    /// Cost grows with the logarithm of the gap, and with the excluded stretches that are passed over.
    ///
    /// ```
    /// use mainspring_schedule::{Calendar, DaysOfWeek, Schedule, Timestamp, Trigger, Zone};
    /// let start: Timestamp = "2026-05-01T09:00:00Z".parse()?; // a Friday
    /// let daily = Schedule::Every { interval_ms: 86_400_000, repeat_count: None };
    /// let mut trigger = Trigger::new(daily, Zone::utc(), start);
    /// let state = trigger.first_fire();
    /// let monday: Timestamp = "2026-05-04T09:00:00Z".parse()?;
    /// assert_eq!(trigger.previous_before(&state, monday), Some("2026-05-03T09:00:00Z".parse()?));
    ///
    /// trigger.calendar = Some(Calendar::weekly(DaysOfWeek::WEEKEND).into());
    /// assert_eq!(trigger.previous_before(&state, monday), Some(start));
    /// assert_eq!(trigger.previous_before(&state, start), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn previous_before(&self, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
        let fresh = TriggerState { times_triggered: 0, ..bounded_state(state) };
        let t = bounded(t);
        if let (Schedule::DailyWindow { .. }, Some(repeats)) = (&self.schedule, fresh.repeat_count)
            && let Some(last) = self.last_of_repeats(&fresh, repeats, t)
        {
            return Some(last);
        }
        self.last_before(&fresh, t)
    }

    /// Returns the last fire before `t` of a schedule whose counts do not matter.
    pub(super) fn last_before(&self, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
        let mut fire = self.schedule_before(state, t)?;
        let Some(calendar) = self.calendar.as_deref() else {
            return Some(fire);
        };
        let floor = (state.start_at - 1_000).max(fire - NEVER_AFTER_MS);
        let mut budget = Budget::default();
        while !calendar.is_included(fire, self.semantics, &self.zone) {
            budget.spend_steps(self.steps_before(state, fire))?;
            let included = calendar.last_included(fire, floor, self.semantics, &self.zone, &mut budget)?;
            fire = self.schedule_before(state, included + 1)?;
        }
        Some(fire)
    }

    /// Searches as [`Trigger::last_before`] does, but without the calendar.
    fn schedule_before(&self, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
        match &self.schedule {
            Schedule::Every { interval_ms, .. } => every::before(self, state, (*interval_ms).max(1), t),
            Schedule::At => every::before(self, state, 1, t),
            Schedule::Delay { .. } => (state.start_at < t).then_some(state.start_at),
            Schedule::Cron(cron) => cron::before(self, state, cron, t),
            Schedule::CalendarInterval { .. } if interval::leaps(self, state) => {
                interval::before(self, state, t).or_else(|| self.before_by_halving(state, t))
            }
            Schedule::DailyWindow { .. } if self.semantics == Semantics::Quartz => {
                let found = self.before_by_halving(state, t)?;
                Some(self.before_from_midnights(state, found, t))
            }
            Schedule::CalendarInterval { .. } | Schedule::DailyWindow { .. } => self.before_by_halving(state, t),
        }
    }

    /// Returns the cost of [`Trigger::schedule_before`] near `t`, for the budget of a search.
    fn steps_before(&self, state: &TriggerState, t: Timestamp) -> u32 {
        match self.schedule {
            Schedule::CalendarInterval { .. } => {
                interval::steps_to(self, state, t).saturating_mul(20).saturating_add(150)
            }
            Schedule::DailyWindow { .. } if self.semantics == Semantics::Quartz => 500,
            Schedule::DailyWindow { .. } => 150,
            _ => 10,
        }
    }

    /// Returns the last instant before `t`, found with nothing but the way forward, on which instants grow with the
    /// question: goes back in growing strides until there is an instant in between.
    fn before_by_halving(&self, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
        let floor = state.start_at - 1_000;
        let mut stride_ms = 1_000_i64;
        loop {
            let from = (t - stride_ms).max(floor);
            if let Some(found) = self.schedule_after(state, from).filter(|fire| *fire < t) {
                return Some(self.halve(state, found, t));
            }
            if from == floor {
                return None;
            }
            stride_ms = stride_ms.saturating_mul(8);
        }
    }

    /// Halves what lies between an instant that was found and `t`, until nothing does.
    fn halve(&self, state: &TriggerState, found: Timestamp, t: Timestamp) -> Timestamp {
        let next = |after: Timestamp| self.schedule_after(state, after).filter(|fire| *fire < t);
        // An invalid trigger may answer with an earlier instant, which must not hold up the search.
        let (mut last, mut asked, mut none_after) = (found, found, t);
        while none_after.since(asked) > 1 {
            let middle = asked + none_after.since(asked) / 2;
            match next(middle) {
                Some(fire) => (last, asked) = (last.max(fire), fire.max(middle)),
                None => none_after = middle,
            }
        }
        next(asked).map_or(last, |fire| fire.max(last))
    }

    /// Quartz, asked after a window that a change of clocks has moved, may leave out the next day, which it finds
    /// when asked on that day.
    fn before_from_midnights(&self, state: &TriggerState, found: Timestamp, t: Timestamp) -> Timestamp {
        let day = self.zone.to_local(found).day_number();
        let midnights = (day + 1..day + 10).map(|day| self.zone.lenient(Civil::from_millis(day * DAY_MS)));
        let fires = midnights.filter_map(|midnight| self.schedule_after(state, midnight - 1_000));
        match fires.filter(|fire| *fire < t).max() {
            Some(later) if later > found => self.halve(state, later, t),
            _ => found,
        }
    }

    /// Returns the fire that used up the repeats, when it lies before `t`.
    fn last_of_repeats(&self, state: &TriggerState, repeats: u32, t: Timestamp) -> Option<Timestamp> {
        let before_all = state.start_at - 1_000;
        if self.calendar.is_some() && repeats < WALKED_MAX {
            // Cheaper than to count again and again what the calendar leaves.
            return self.walk_from(state, before_all + 1).take_while(|fire| *fire < t).nth(repeats as usize);
        }
        self.nth_after(state, before_all, u64::from(repeats) + 1, t)
    }

    /// Returns the n-th fire after `t`, counted from 1, if it lies before `limit`.
    pub(super) fn nth_after(&self, state: &TriggerState, t: Timestamp, n: u64, limit: Timestamp) -> Option<Timestamp> {
        let count = |until: Timestamp| self.count_between(state, t + 1, until);
        let (mut fewer, mut enough) = (t, (t + 1_000).min(limit));
        while count(enough) < n {
            if enough >= limit {
                return None;
            }
            (fewer, enough) = (enough, (enough + enough.since(t)).min(limit));
        }
        while enough.since(fewer) > 1 {
            let middle = fewer + enough.since(fewer) / 2;
            if count(middle) < n {
                fewer = middle;
            } else {
                enough = middle;
            }
        }
        Some(fewer)
    }
}

/// The number of fires under a calendar that are counted one by one.
const WALKED_MAX: u32 = 2_000;

/// Returns the last fire of a trigger that has not fired yet; `None` when there is no last one.
pub(super) fn last_fire(trigger: &Trigger) -> Option<Timestamp> {
    let state = trigger.unfired();
    let limit = match trigger.end_at {
        Some(end) => end + 1,
        None if trigger.schedule_after(&state, FAR).is_none() => FAR,
        None => match state.repeat_count {
            Some(_) => Timestamp::MAX,
            None => return None,
        },
    };
    let last = trigger.previous_before(&state, limit);
    // A start that lies at an exclusive end fires all the same.
    last.or_else(|| trigger.first_fire().next_fire_at)
}

/// 2200-01-01: a schedule with nothing left after it has a last fire.
const FAR: Timestamp = Timestamp::from_millis(7_258_118_400_000);
