//! Jitter: a delay that spreads triggers which are due at the same instant.

use crate::Timestamp;

/// Returns the delay between a fire time and the instant at which it is due, in `0..=jitter_max_ms`.
///
/// The same for the same trigger and fire time on every node and in every release, so that a fire
/// which is repeated after a crash is due at the same instant; evenly spread over both.
/// 0 when `jitter_max_ms` is 0 or negative.
///
/// ```
/// use mainspring_schedule::{Timestamp, jitter_ms};
/// let fire_time = Timestamp::from_millis(1_767_225_600_000);
/// let jitter = jitter_ms(42, fire_time, 30_000);
/// assert!((0..=30_000).contains(&jitter));
/// assert_eq!(jitter, jitter_ms(42, fire_time, 30_000));
/// ```
#[must_use]
pub fn jitter_ms(trigger_id: i64, fire_time: Timestamp, jitter_max_ms: i64) -> i64 {
    let Ok(span) = u64::try_from(jitter_max_ms) else {
        return 0;
    };
    let hash = mixed(mixed(trigger_id.cast_unsigned()) ^ fire_time.as_millis().cast_unsigned());
    // The high half of the product is evenly spread over the span, without a division.
    let scaled = (u128::from(hash) * (u128::from(span) + 1)) >> 64;
    i64::try_from(scaled).expect("not above the span, which is an i64")
}

/// Returns the finalizer of SplitMix64: each bit of the input changes each bit of the output.
const fn mixed(n: u64) -> u64 {
    let n = n.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_spread_evenly_over_triggers_and_fire_times() {
        let mut tenths = [0_u32; 10];
        for id in 0..100 {
            for hour in 0..100 {
                let jitter = jitter_ms(id, Timestamp::from_millis(hour * 3_600_000), 999);
                tenths[usize::try_from(jitter / 100).unwrap()] += 1;
            }
        }
        assert!(tenths.iter().all(|count| (900..1_100).contains(count)), "{tenths:?}");
    }

    #[test]
    fn jitter_never_changes_between_releases() {
        let fire_time = Timestamp::from_millis(1_767_225_600_000);
        let golden = [(1, 60_000), (2, 60_000), (-1, i64::MAX), (7, 1), (7, 0), (7, -5)]
            .map(|(id, max)| jitter_ms(id, fire_time, max));
        assert_eq!(golden, GOLDEN);
    }

    const GOLDEN: [i64; 6] = [54_819, 2_782, 2_410_724_513_332_380_061, 1, 0, 0];
}
