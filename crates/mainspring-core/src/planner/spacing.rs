//! The time between batches of one kind: under load, what comes due within a few milliseconds shares a transaction.
//!
//! A batch that follows a pause departs at once, so that a fire that is alone waits for nothing. One that follows another waits
//! until that is [`Settings::group_ms`](super::Settings::group_ms) ago. A full batch never waits.

use mainspring_schedule::Timestamp;

/// See the [module](self).
#[derive(Debug)]
pub(super) struct Spacing {
    every_ms: i64,
    next_at: Timestamp,
}

impl Spacing {
    pub(super) const fn new(every_ms: i64) -> Self {
        Self { every_ms, next_at: Timestamp::MIN }
    }

    /// When the next batch may depart.
    pub(super) const fn next_at(&self) -> Timestamp {
        self.next_at
    }

    /// Whether a batch may depart that is not full.
    pub(super) fn is_open(&self, now: Timestamp) -> bool {
        // Far ahead: the clock was set back.
        now >= self.next_at || self.next_at.since(now) > self.every_ms
    }

    /// Notes that a batch departs.
    pub(super) fn depart(&mut self, now: Timestamp) {
        if self.every_ms > 0 {
            self.next_at = now + self.every_ms;
        }
    }
}
