//! How runs leave their queue: in which order, how many at a time, and how fast.

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};

/// What one level of priority is worth: a run of priority 4 that waits this much longer goes before one of priority 5. So runs
/// of low priority do not starve.
pub const LEVEL_MS: i64 = 60_000;

/// The place of a queued run in its queue: lower goes first, and of equal ones what is due first.
///
/// ```
/// use mainspring_core::Timestamp;
/// use mainspring_core::queue::place;
/// let at = Timestamp::from_millis;
/// assert!(place(9, at(60_000)) < place(5, at(0)), "higher goes first");
/// assert!(place(5, at(0)) < place(9, at(240_001)), "but not for ever");
/// ```
#[must_use]
pub const fn place(priority: i32, due_at: Timestamp) -> i64 {
    due_at.as_millis().saturating_sub(priority as i64 * LEVEL_MS)
}

/// What is set for a queue. Without any of it, runs leave as fast as there are slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueueRule {
    /// Nothing leaves; what runs goes on.
    pub paused: bool,
    /// Runs that are executed at a time, over all nodes and workers.
    pub max_running: Option<u32>,
    /// How fast runs leave.
    pub rate: Option<Rate>,
}

/// So many runs in a time, evenly spread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rate {
    /// How many, at least one.
    pub count: u32,
    /// In how many milliseconds, at least one.
    pub per_ms: i64,
}

/// What may leave at once after a pause: as much as in this time, and one in any case.
const BURST_US: i64 = 1_000_000;

impl Rate {
    /// The time that one run takes up, in microseconds.
    fn step_us(self) -> i64 {
        (self.per_ms.max(1).saturating_mul(1_000) / i64::from(self.count.max(1))).max(1)
    }

    /// How many may leave now, if those before have taken up the time until `used_us`, in microseconds since 1970.
    fn room(self, used_us: i64, now_us: i64) -> u32 {
        let step = self.step_us();
        let free = now_us.saturating_add(step.max(BURST_US)).saturating_sub(used_us.max(now_us));
        u32::try_from(free.max(0) / step).unwrap_or(u32::MAX)
    }
}

impl QueueRule {
    /// Whether anything is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        *self != Self::default()
    }

    /// How many more runs may leave now, where so many of the queue are executed, and those that have left have taken up the time
    /// until `used_us` of the rate.
    ///
    /// ```
    /// use mainspring_core::Timestamp;
    /// use mainspring_core::queue::{QueueRule, Rate};
    /// let now = Timestamp::from_millis(60_000);
    /// let limited = QueueRule { max_running: Some(3), ..QueueRule::default() };
    /// assert_eq!(limited.room(1, 0, now), 2);
    /// let slow = QueueRule { rate: Some(Rate { count: 6, per_ms: 60_000 }), ..QueueRule::default() };
    /// assert_eq!(slow.room(0, 0, now), 1, "one every ten seconds");
    /// let used = slow.used_us(1, 0, now);
    /// assert_eq!(slow.room(0, used, now + 9_999), 0);
    /// assert_eq!(slow.room(0, used, now + 10_000), 1);
    /// ```
    #[must_use]
    pub fn room(&self, running: u32, used_us: i64, now: Timestamp) -> u32 {
        let by_count = self.max_running.map_or(u32::MAX, |max| max.saturating_sub(running));
        let by_rate = self.rate.map_or(u32::MAX, |rate| rate.room(used_us, micros(now)));
        if self.paused { 0 } else { by_count.min(by_rate) }
    }

    /// Until when the time of the rate is taken up once so many more have left.
    #[must_use]
    pub fn used_us(&self, left: u32, used_us: i64, now: Timestamp) -> i64 {
        let Some(rate) = self.rate.filter(|_| left > 0) else { return used_us };
        used_us.max(micros(now)).saturating_add(rate.step_us().saturating_mul(i64::from(left)))
    }
}

const fn micros(at: Timestamp) -> i64 {
    at.as_millis().saturating_mul(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_767_225_600_000);

    #[test]
    fn nothing_leaves_a_paused_queue() {
        let rule = QueueRule { paused: true, ..QueueRule::default() };
        assert!(rule.is_set() && rule.room(0, 0, NOW) == 0);
        assert_eq!(
            QueueRule::default().room(7, i64::MAX, NOW),
            u32::MAX,
            "and any number one for which nothing is set"
        );
    }

    #[test]
    fn over_any_time_no_more_leave_than_the_rate_and_a_seconds_worth() {
        for (count, per_ms) in [(1, 1_000), (100, 60_000), (2_500, 1_000), (7, 3_600_000)] {
            let rule = QueueRule { rate: Some(Rate { count, per_ms }), ..QueueRule::default() };
            let (mut used, mut left) = (0, 0_u64);
            for ms in 0..20_000 {
                let now = NOW + ms;
                let room = rule.room(0, used, now);
                left += u64::from(room);
                used = rule.used_us(room, used, now);
                assert_eq!(rule.room(0, used, now), 0, "what may leave has left");
            }
            let in_ms = |ms: i64| (i128::from(count) * i128::from(ms) / i128::from(per_ms)).unsigned_abs();
            let least = u64::try_from(in_ms(20_000)).unwrap();
            let most = least + u64::try_from(in_ms(1_000)).unwrap() + 1;
            assert!((least..=most).contains(&left), "{count} in {per_ms} ms: {left} of {least} to {most}");
        }
    }

    #[test]
    fn numbers_at_their_limits_break_nothing() {
        for count in [0, 1, u32::MAX] {
            for per_ms in [i64::MIN, 0, 1, i64::MAX] {
                let rule = QueueRule { rate: Some(Rate { count, per_ms }), ..QueueRule::default() };
                for used in [i64::MIN, 0, i64::MAX] {
                    for now in [i64::MIN, 0, i64::MAX] {
                        let now = Timestamp::from_millis(now);
                        _ = rule.used_us(rule.room(0, used, now), used, now);
                    }
                }
            }
        }
    }
}
