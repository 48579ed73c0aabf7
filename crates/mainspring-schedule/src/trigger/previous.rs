//! Instants before another one, found with nothing but the way forward.

use super::{Schedule, Trigger, TriggerState, bounded, bounded_state};
use crate::Timestamp;

impl Trigger {
    /// The last fire time before `t`, or `None`: what a console shows and a backfill starts from.
    ///
    /// Of the state, only the start and the repeat count matter: this is about the schedule, not
    /// about what has really fired. Cost grows with the logarithm of the gap.
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

    /// The last fire before `t` of a schedule whose counts do not matter.
    pub(super) fn last_before(&self, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
        let next = |after: Timestamp| self.next_after(state, after).filter(|fire| *fire < t);
        let floor = state.start_at - 1_000;
        // Goes back in growing strides until there is a fire in between ...
        let mut stride_ms = 1_000_i64;
        let mut found = loop {
            let from = (t - stride_ms).max(floor);
            if let Some(fire) = next(from) {
                break fire;
            }
            if from == floor {
                return None;
            }
            stride_ms = stride_ms.saturating_mul(8);
        };
        // ... and then halves what lies between the last fire found and `t`.
        let mut none_after = t;
        while none_after.since(found) > 1 {
            let middle = found + none_after.since(found) / 2;
            match next(middle) {
                Some(fire) => found = fire,
                None => none_after = middle,
            }
        }
        Some(next(found).unwrap_or(found))
    }

    /// The fire that used up the repeats, when it lies before `t`.
    fn last_of_repeats(&self, state: &TriggerState, repeats: u32, t: Timestamp) -> Option<Timestamp> {
        self.nth_after(state, state.start_at - 1_000, u64::from(repeats) + 1, t)
    }

    /// The n-th fire after `t`, counted from 1, if it lies before `limit`.
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

/// The last fire of a trigger that has not fired yet; `None` when there is no last one.
pub(super) fn last_fire(trigger: &Trigger) -> Option<Timestamp> {
    let state = trigger.unfired();
    let limit = match trigger.end_at {
        Some(end) => end + 1,
        None if trigger.next_after(&state, FAR).is_none() => FAR,
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
