//! How long the database takes when this node claims runs from queues.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Claims that are remembered.
const KEPT: usize = 64;

/// How long the last claims took.
#[derive(Debug, Default)]
pub struct ClaimTimes(Mutex<VecDeque<u64>>);

impl ClaimTimes {
    pub(crate) fn note(&self, took: Duration) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.truncate(KEPT - 1);
        last.push_front(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// Microseconds that half of the last 64 claims stayed below; nothing before the first one.
    #[must_use]
    pub fn median_us(&self) -> Option<u64> {
        let mut last: Vec<u64> = self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        last.sort_unstable();
        last.get(last.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_claims_say_how_long_one_takes() {
        let times = ClaimTimes::default();
        assert_eq!(times.median_us(), None);
        for us in [10, 900, 20] {
            times.note(Duration::from_micros(us));
        }
        assert_eq!(times.median_us(), Some(20), "one that hung says little");
        (0..KEPT).for_each(|_| times.note(Duration::from_millis(5)));
        assert_eq!(times.median_us(), Some(5_000), "old claims are forgotten");
    }
}
