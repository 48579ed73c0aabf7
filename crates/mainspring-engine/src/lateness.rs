//! How late handlers were entered during the last minutes, in a form that nodes can add up.
//!
//! Bounds of counts are a quarter of a power of two apart, and a figure is the upper bound: at most a fifth too high.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use mainspring_core::Timestamp;
use serde::{Deserialize, Serialize};

/// Minutes that a figure covers: the present one, and so many before.
const MINUTES: usize = 5;
const MINUTE_MS: i64 = 60_000;
/// Counts up to the highest lateness that a `u32` holds.
const COUNTS: usize = 124;

/// Counts of one minute after the other. Exact but for what is noted at the turn of a minute.
#[derive(Debug)]
pub(crate) struct Recent([Minute; MINUTES + 1]);

#[derive(Debug)]
struct Minute {
    number: AtomicI64,
    counts: [AtomicU32; COUNTS],
    max_ms: AtomicU32,
}

/// How late handlers were entered during the last five minutes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Lateness {
    counts: BTreeMap<usize, u64>,
    max_ms: u32,
}

impl Default for Recent {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Minute {
            number: AtomicI64::new(i64::MIN),
            counts: std::array::from_fn(|_| AtomicU32::new(0)),
            max_ms: AtomicU32::new(0),
        }))
    }
}

impl Recent {
    pub(crate) fn note(&self, lateness_ms: i64, now: Timestamp) {
        let number = now.as_millis().div_euclid(MINUTE_MS);
        let minute = &self.0[usize::try_from(number.rem_euclid(MINUTES as i64 + 1)).unwrap_or(0)];
        if minute.number.swap(number, Ordering::Relaxed) != number {
            minute.counts.iter().for_each(|count| count.store(0, Ordering::Relaxed));
            minute.max_ms.store(0, Ordering::Relaxed);
        }
        let lateness_ms = u32::try_from(lateness_ms.max(0)).unwrap_or(u32::MAX);
        minute.counts[place(lateness_ms)].fetch_add(1, Ordering::Relaxed);
        minute.max_ms.fetch_max(lateness_ms, Ordering::Relaxed);
    }

    pub(crate) fn at(&self, now: Timestamp) -> Lateness {
        let present = now.as_millis().div_euclid(MINUTE_MS);
        let mut lateness = Lateness::default();
        let first = present - (MINUTES as i64 - 1);
        for minute in self.0.iter().filter(|minute| minute.number.load(Ordering::Relaxed) >= first) {
            let counts = minute.counts.iter().map(|count| u64::from(count.load(Ordering::Relaxed))).enumerate();
            lateness.add(&Lateness {
                counts: counts.filter(|(_, count)| *count > 0).collect(),
                max_ms: minute.max_ms.load(Ordering::Relaxed),
            });
        }
        lateness
    }
}

/// Counts since they were taken last.
#[derive(Debug)]
pub(crate) struct SinceTaken {
    counts: [AtomicU32; COUNTS],
    max_ms: AtomicU32,
}

impl Default for SinceTaken {
    fn default() -> Self {
        Self { counts: std::array::from_fn(|_| AtomicU32::new(0)), max_ms: AtomicU32::new(0) }
    }
}

impl SinceTaken {
    pub(crate) fn note(&self, lateness_ms: i64) {
        let lateness_ms = u32::try_from(lateness_ms.max(0)).unwrap_or(u32::MAX);
        self.counts[place(lateness_ms)].fetch_add(1, Ordering::Relaxed);
        self.max_ms.fetch_max(lateness_ms, Ordering::Relaxed);
    }

    /// Takes the counts; what is noted meanwhile is in these or in the next ones.
    pub(crate) fn take(&self) -> Lateness {
        let counts = self.counts.iter().map(|count| u64::from(count.swap(0, Ordering::Relaxed))).enumerate();
        Lateness {
            counts: counts.filter(|(_, count)| *count > 0).collect(),
            max_ms: self.max_ms.swap(0, Ordering::Relaxed),
        }
    }
}

impl Lateness {
    /// Counts one more.
    pub(crate) fn note(&mut self, lateness_ms: i64) {
        let lateness_ms = u32::try_from(lateness_ms.max(0)).unwrap_or(u32::MAX);
        *self.counts.entry(place(lateness_ms)).or_default() += 1;
        self.max_ms = self.max_ms.max(lateness_ms);
    }

    /// How many minutes it covers.
    pub const MINUTES: u32 = MINUTES as u32;

    /// Handlers entered.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The lateness that a part of all handlers stayed below, in milliseconds: `quantile(99, 100)`.
    #[must_use]
    pub fn quantile(&self, part: u64, of: u64) -> Option<u32> {
        let rank = (self.count() * part).div_ceil(of);
        let mut seen = 0;
        let found = self.counts.iter().find(|(_, count)| {
            seen += **count;
            seen >= rank
        });
        found.map(|(place, _)| bound(*place).min(self.max_ms))
    }

    /// How many handlers were entered how late, exactly: a bound in milliseconds, and those that were below it and not below the
    /// bound before. Bounds are 1, 2, 4 and so on, without a gap, up to the highest lateness.
    #[must_use]
    pub fn spread(&self) -> Vec<(u64, u64)> {
        let mut parts = Vec::new();
        for (place, count) in &self.counts {
            let part = (u32::BITS - bound(*place).leading_zeros()) as usize;
            parts.resize(parts.len().max(part + 1), 0);
            parts[part] += count;
        }
        parts.into_iter().enumerate().map(|(part, count)| (1 << part, count)).collect()
    }

    /// The highest.
    #[must_use]
    pub fn max(&self) -> Option<u32> {
        (!self.counts.is_empty()).then_some(self.max_ms)
    }

    /// Adds what others have counted.
    pub fn add(&mut self, other: &Self) {
        other.counts.iter().for_each(|(place, count)| *self.counts.entry(*place).or_default() += count);
        self.max_ms = self.max_ms.max(other.max_ms);
    }
}

/// Where a lateness is counted.
fn place(ms: u32) -> usize {
    if ms < 4 {
        return ms as usize;
    }
    let power = ms.ilog2();
    (power as usize - 1) * 4 + (ms >> (power - 2) & 3) as usize
}

/// The highest lateness that is counted there.
fn bound(place: usize) -> u32 {
    let (power, quarter) = (place / 4 + 1, place % 4);
    if power < 2 {
        return u32::try_from(place).unwrap_or(u32::MAX);
    }
    let above = (5 + quarter as u64) << (power - 2).min(32);
    u32::try_from(above - 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_767_225_600_000 + ms)
    }

    #[test]
    fn every_lateness_has_a_place_whose_bound_is_a_fifth_above_at_most() {
        let all = (0..5_000).chain((12..32).flat_map(|power| [(1 << power) - 1, 1 << power, 3 << (power - 1)]));
        for ms in all.chain([u32::MAX]) {
            let bound = bound(place(ms));
            assert!(bound >= ms && u64::from(bound - ms) <= u64::from(ms) / 4, "{ms}: {bound}");
            assert!(place(ms) < COUNTS);
        }
    }

    #[test]
    fn spread_counts_between_powers_of_two() {
        let recent = Recent::default();
        assert_eq!(recent.at(at(0)).spread(), []);
        [0, 0, 1, 2, 3, 15, 16].into_iter().for_each(|ms| recent.note(ms, at(0)));
        assert_eq!(recent.at(at(0)).spread(), [(1, 2), (2, 1), (4, 2), (8, 0), (16, 1), (32, 1)]);
        recent.note(i64::MAX, at(0));
        let spread = recent.at(at(0)).spread();
        assert_eq!((spread.len(), spread.last()), (33, Some(&(1 << 32, 1))));
    }

    #[test]
    fn figures_of_nodes_add_up_and_old_minutes_are_left_out() {
        let (one, other) = (Recent::default(), Recent::default());
        (0..99).for_each(|_| one.note(2, at(0)));
        one.note(700, at(1_000));
        let mut sum = one.at(at(2_000));
        assert_eq!(
            (sum.count(), sum.quantile(50, 100), sum.quantile(99, 100), sum.max()),
            (100, Some(2), Some(2), Some(700))
        );
        (0..100).for_each(|_| other.note(40, at(1_500)));
        sum.add(&other.at(at(2_000)));
        assert_eq!(
            (sum.count(), sum.quantile(50, 100), sum.quantile(99, 100), sum.max()),
            (200, Some(47), Some(47), Some(700))
        );
        assert_eq!(one.at(at(4 * MINUTE_MS)).count(), 100);
        let empty = one.at(at(5 * MINUTE_MS + 1));
        assert_eq!((empty.count(), empty.quantile(99, 100), empty.max()), (0, None, None));
        one.note(1, at(6 * MINUTE_MS));
        assert_eq!((one.at(at(6 * MINUTE_MS)).count(), one.at(at(6 * MINUTE_MS)).max()), (1, Some(1)));
    }
}
