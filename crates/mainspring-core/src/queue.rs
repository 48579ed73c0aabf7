//! How runs leave their queue: in which order, how many at a time, how fast, and evenly for all namespaces.
//!
//! The runs of a queue wait in several [lines](crate::line). A claim looks which lines have runs, and [shares out](share_out) what it asks
//! for among namespaces, so that nobody's backlog is in the way of others. What is set for a queue holds for all of its lines together.
//!
//! What is set for a [label](label_of) holds for the runs of all jobs that have it, whatever their queue. A run that is claimed while a label
//! of its job is full goes into a [line of that label](crate::line::Line::labelled), from which runs are taken only as far as the label has
//! room: it is in the way of nobody, and nobody looks at it again for nothing.

pub mod floors;

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::mix;

/// The label that something is set for, if it is not a queue: its name and its value.
///
/// ```
/// use mainspring_core::queue::label_of;
/// assert_eq!((label_of("tier=gold"), label_of("mail")), (Some(("tier", "gold")), None));
/// ```
#[must_use]
pub fn label_of(limited: &str) -> Option<(&str, &str)> {
    limited.split_once('=')
}

/// Shares out what up to `limit` runs may be taken of: evenly among `count` who may have some waiting, and what one has no runs for goes
/// to the others. `take` takes up to so many of one, and says how many there were. Where there is not one for each, `turn` says
/// who comes first: over many turns, all do equally often.
///
/// # Errors
/// Those of `take`: then nothing more is taken.
pub fn share_out<E>(
    limit: u32,
    count: usize,
    turn: u64,
    mut take: impl FnMut(usize, u32) -> Result<u32, E>,
) -> Result<(), E> {
    let mut open: Vec<usize> = (0..count).collect();
    if count > 1 {
        open.sort_by_key(|who| mix(mix(turn) ^ *who as u64));
    }
    let mut left = limit;
    while left > 0 && !open.is_empty() {
        let among = u32::try_from(open.len()).unwrap_or(u32::MAX);
        let (each, over) = (left / among, left % among);
        let mut still_open = Vec::with_capacity(open.len());
        for (place, who) in (0_u32..).zip(open) {
            let share = each + u32::from(place < over);
            let taken = if share == 0 { 0 } else { take(who, share)?.min(share) };
            left -= taken;
            if taken == share {
                still_open.push(who);
            }
        }
        open = still_open;
    }
    Ok(())
}

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

/// The least priority with which a run due at `due_at` stands before the place `first`.
///
/// ```
/// use mainspring_core::Timestamp;
/// use mainspring_core::queue::{LEVEL_MS, place, priority_before};
/// let due_at = Timestamp::from_millis(90_000);
/// let priority = priority_before(due_at, 0);
/// assert!(place(priority, due_at) < 0 && place(priority - 1, due_at) >= 0);
/// ```
#[must_use]
pub fn priority_before(due_at: Timestamp, first: i64) -> i32 {
    bounded(due_at.as_millis().saturating_sub(first).div_euclid(LEVEL_MS).saturating_add(1))
}

/// The greatest priority with which a run due at `due_at` stands behind the place `last`.
///
/// ```
/// use mainspring_core::Timestamp;
/// use mainspring_core::queue::{place, priority_behind};
/// let due_at = Timestamp::from_millis(0);
/// let priority = priority_behind(due_at, 90_000);
/// assert!(place(priority, due_at) > 90_000 && place(priority + 1, due_at) <= 90_000);
/// ```
#[must_use]
pub fn priority_behind(due_at: Timestamp, last: i64) -> i32 {
    bounded(last.saturating_sub(due_at.as_millis()).div_euclid(LEVEL_MS).saturating_add(1).saturating_neg())
}

fn bounded(priority: i64) -> i32 {
    i32::try_from(priority).unwrap_or(if priority < 0 { i32::MIN } else { i32::MAX })
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
    /// Runs that wait at a time; more are refused, and fires of triggers suppressed. Counted now and then, so that some more may wait.
    pub max_waiting: Option<u32>,
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

    /// Whether anything is set that keeps runs from leaving.
    #[must_use]
    pub const fn holds_back(&self) -> bool {
        self.paused || self.max_running.is_some() || self.rate.is_some()
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
    fn run_is_put_before_and_behind_any_place_and_no_further_than_it_must() {
        for (due_ms, other) in
            [(0, 0), (0, 1), (0, -1), (59_999, 0), (60_000, 0), (1, 60_000), (0, 86_400_000), (7, -1)]
        {
            let due_at = Timestamp::from_millis(due_ms);
            let (before, behind) = (priority_before(due_at, other), priority_behind(due_at, other));
            assert!(place(before, due_at) < other && place(before - 1, due_at) >= other, "{due_ms} {other}");
            assert!(place(behind, due_at) > other && place(behind + 1, due_at) <= other, "{due_ms} {other}");
        }
        let far = Timestamp::from_millis(i64::MAX);
        assert_eq!(
            (priority_before(far, i64::MIN), priority_behind(Timestamp::from_millis(i64::MIN), i64::MAX)),
            (i32::MAX, i32::MIN)
        );
    }

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

    /// What each of some gets who have so many runs.
    fn shared(limit: u32, waiting: &[u32], turn: u64) -> Vec<u32> {
        let mut taken = vec![0; waiting.len()];
        share_out(limit, waiting.len(), turn, |who, share| {
            let now = share.min(waiting[who] - taken[who]);
            taken[who] += now;
            Ok::<_, ()>(now)
        })
        .unwrap();
        taken
    }

    #[test]
    fn backlog_of_one_takes_nothing_from_others() {
        for (limit, waiting, wanted) in [
            (9, &[100_000][..], &[9][..]),
            (9, &[], &[]),
            (0, &[5, 5], &[0, 0]),
            (9, &[100_000, 100, 100], &[3, 3, 3]),
            (9, &[100_000, 1, 2], &[6, 1, 2]),
            (9, &[100_000, 0, 0], &[9, 0, 0]),
            (9, &[2, 1, 3], &[2, 1, 3]),
            (u32::MAX, &[7, 7], &[7, 7]),
        ] {
            for turn in 0..50 {
                assert_eq!(shared(limit, waiting, turn), wanted, "{limit} of {waiting:?}");
            }
        }
        let odd = shared(10, &[100, 100, 100], 1);
        assert_eq!((odd.iter().sum::<u32>(), odd.iter().max()), (10, Some(&4)));
    }

    #[test]
    fn claims_of_one_run_are_even_over_time_whoever_has_none() {
        let waiting = [0, u32::MAX, 9, 0, 9];
        let mut taken = [0; 5];
        for turn in 0..30_000 {
            // As numbers of claims are that alternate with batches of fires.
            for (sum, one) in taken.iter_mut().zip(shared(1, &waiting, turn * 2)) {
                *sum += one;
            }
        }
        assert_eq!(taken.iter().sum::<u32>(), 30_000);
        assert!([1, 2, 4].iter().all(|who| (9_500..10_500).contains(&taken[*who])), "{taken:?}");
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
