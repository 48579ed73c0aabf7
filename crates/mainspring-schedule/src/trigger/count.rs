//! How many instants lie in a range, without walking through them.

use super::{Schedule, Trigger, TriggerState};
use crate::Timestamp;

impl Trigger {
    /// The number of fire times in `[from, to)`, those that the calendar excludes left out.
    ///
    /// Of the state, only the start matters, and for `every` the repeat count.
    #[must_use]
    pub fn count_between(&self, state: &TriggerState, from: Timestamp, to: Timestamp) -> u64 {
        let fresh = TriggerState {
            times_triggered: 0,
            ..*state
        };
        let mut count = 0;
        let mut t = from - 1;
        while let Some(fire) = self.next_after(&fresh, t).filter(|fire| *fire < to) {
            count += 1;
            t = fire;
        }
        count
    }
}
