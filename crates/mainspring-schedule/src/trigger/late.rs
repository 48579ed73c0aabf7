//! Quartz's two corrections of a state: after a misfire, and after the calendar was replaced.

use super::{Schedule, Trigger, TriggerState, every};
use crate::calendar::Budget;
use crate::{MisfirePolicy, Timestamp};

impl Trigger {
    /// Returns the state after a misfire noticed at `now`: Quartz's `updateAfterMisfire`, and nothing else.
    ///
    /// Whether the trigger counts as late at all, and which instants are missed, is the business of
    /// [`Trigger::due`]. A policy that fires now sets `next_fire_at` to `now`, whatever the calendar
    /// says.
    #[must_use]
    pub fn misfire(&self, state: &TriggerState, now: Timestamp) -> TriggerState {
        use MisfirePolicy as P;
        let mut state = *state;
        match self.effective_misfire(&state) {
            P::Ignore | P::Smart => {}
            P::FireNow | P::FireOnceNow => state.next_fire_at = Some(now),
            P::DoNothing | P::NextWithExistingCount => {
                state.next_fire_at = self.next_after(&state, now);
            }
            P::NextWithRemainingCount => {
                let next = self.next_after(&state, now);
                if let Some(next) = next {
                    let missed = self.slots_missed(&state, next);
                    state.times_triggered = state.times_triggered.saturating_add(missed);
                }
                state.next_fire_at = next;
            }
            P::NowWithExistingCount => self.start_again(&mut state, now, 0),
            P::NowWithRemainingCount => {
                let missed = self.slots_missed(&state, now);
                self.start_again(&mut state, now, missed);
            }
        }
        state
    }

    /// Returns the state after the calendar was replaced by the one that this trigger has now: Quartz's
    /// `updateWithNewCalendar`.
    ///
    /// Where nothing has fired yet, the search starts at `now`. `delay` keeps its next fire, moved
    /// out of what the new calendar excludes.
    #[must_use]
    pub fn replace_calendar(&self, state: &TriggerState, now: Timestamp, threshold_ms: i64) -> TriggerState {
        let mut state = *state;
        state.next_fire_at = match self.schedule {
            Schedule::Delay { .. } => state.next_fire_at.and_then(|fire| self.first_included(fire)),
            _ => self.next_under_new_calendar(&state, now, threshold_ms),
        };
        state
    }

    /// Returns the policy after `smart` has chosen, and after `fire_now` of a trigger with repeats has become what
    /// Quartz makes of it.
    #[must_use]
    pub fn effective_misfire(&self, state: &TriggerState) -> MisfirePolicy {
        use MisfirePolicy as P;
        let simple = matches!(self.schedule, Schedule::Every { .. } | Schedule::At);
        match (self.misfire, simple, state.repeat_count) {
            (P::Smart, false, _) => P::FireOnceNow,
            (P::Smart, true, Some(0)) => P::FireNow,
            (P::Smart, true, None) => P::NextWithRemainingCount,
            (P::Smart, true, Some(_)) => P::NowWithExistingCount,
            (P::FireNow, true, None | Some(1..)) => P::NowWithRemainingCount,
            (policy, _, _) => policy,
        }
    }

    /// Starts anew from `now`, with the repeats that are left after those that count as fired.
    fn start_again(&self, state: &mut TriggerState, now: Timestamp, missed: u32) {
        if let Some(repeats) = state.repeat_count.filter(|repeats| *repeats > 0) {
            let used = state.times_triggered.saturating_add(missed);
            state.repeat_count = Some(repeats.saturating_sub(used));
            state.times_triggered = 0;
        }
        if self.end_at.is_some_and(|end| end < now) {
            state.next_fire_at = None;
        } else {
            state.start_at = now;
            state.next_fire_at = Some(now);
        }
    }

    /// Quartz's `computeNumTimesFiredBetween` from the next fire on.
    fn slots_missed(&self, state: &TriggerState, until: Timestamp) -> u32 {
        let (Schedule::Every { interval_ms: 1.., .. }, Some(next)) = (&self.schedule, state.next_fire_at) else {
            return 0;
        };
        let Schedule::Every { interval_ms, .. } = self.schedule else {
            return 0;
        };
        let slots = every::slots_until(next, interval_ms, until);
        u32::try_from(slots.max(0)).unwrap_or(u32::MAX)
    }

    fn next_under_new_calendar(&self, state: &TriggerState, now: Timestamp, threshold_ms: i64) -> Option<Timestamp> {
        let mut fire = self.schedule_after(state, state.previous_fire_at.unwrap_or(now))?;
        let Some(calendar) = self.calendar.as_deref() else {
            return Some(fire);
        };
        let mut budget = Budget::default();
        while !calendar.is_included(fire, self.semantics, &self.zone) {
            // Quartz goes on one by one; when that becomes long, the included instants are looked for directly.
            let affordable = budget.spend_steps(self.steps_after(state, fire).saturating_mul(2));
            if affordable.is_none() {
                return self.next_after(state, fire);
            }
            fire = self.schedule_after(state, fire)?;
            if fire < now && now.since(fire) >= threshold_ms {
                fire = self.schedule_after(state, fire)?;
            }
        }
        Some(fire)
    }
}
