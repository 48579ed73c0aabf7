//! Instants of this machine's clock, and of other libraries.
//!
//! The crates that decide never read a clock, so that every decision can be repeated; a program that embeds a scheduler may.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainspring_core::Timestamp;

/// What programs do with a [`Timestamp`] beside comparing it.
///
/// ```
/// use std::time::SystemTime;
/// use mainspring::prelude::*;
/// let now = Timestamp::now();
/// assert!(now > "2026-01-01T00:00:00Z".parse().unwrap());
/// assert_eq!(Timestamp::from_system_time(now.to_system_time()), now);
/// ```
pub trait TimestampExt: Sized {
    /// Returns the present instant by this machine's clock.
    #[must_use]
    fn now() -> Self;

    /// Returns the instant of a system time, to the millisecond before it.
    #[must_use]
    fn from_system_time(time: SystemTime) -> Self;

    /// Returns the instant as a system time.
    #[must_use]
    fn to_system_time(self) -> SystemTime;

    /// Returns the instant of one of jiff's, to the millisecond before it.
    #[cfg(feature = "jiff")]
    #[must_use]
    fn from_jiff(instant: jiff::Timestamp) -> Self;

    /// Returns the instant as one of jiff's; `None` outside the years -9999 to 9999.
    #[cfg(feature = "jiff")]
    #[must_use]
    fn to_jiff(self) -> Option<jiff::Timestamp>;

    /// Returns the instant of one of chrono's, to the millisecond before it.
    #[cfg(feature = "chrono")]
    #[must_use]
    fn from_chrono<Z: chrono::TimeZone>(instant: chrono::DateTime<Z>) -> Self;

    /// Returns the instant as one of chrono's; `None` outside what chrono knows.
    #[cfg(feature = "chrono")]
    #[must_use]
    fn to_chrono(self) -> Option<chrono::DateTime<chrono::Utc>>;
}

impl TimestampExt for Timestamp {
    fn now() -> Self {
        mainspring_engine::Clock::now(&mainspring_engine::SystemClock)
    }

    fn from_system_time(time: SystemTime) -> Self {
        let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self::from_millis(millis(after)),
            Err(before) => {
                let before = before.duration();
                // Towards the past, as after 1970.
                let part = i64::from(before.subsec_nanos() % 1_000_000 != 0);
                Self::from_millis(-millis(before) - part)
            }
        }
    }

    fn to_system_time(self) -> SystemTime {
        let distance = Duration::from_millis(self.as_millis().unsigned_abs());
        if self.as_millis() >= 0 { UNIX_EPOCH + distance } else { UNIX_EPOCH - distance }
    }

    #[cfg(feature = "jiff")]
    fn from_jiff(instant: jiff::Timestamp) -> Self {
        Self::from_millis(i64::try_from(instant.as_nanosecond().div_euclid(1_000_000)).unwrap_or(i64::MAX))
    }

    #[cfg(feature = "jiff")]
    fn to_jiff(self) -> Option<jiff::Timestamp> {
        jiff::Timestamp::from_millisecond(self.as_millis()).ok()
    }

    #[cfg(feature = "chrono")]
    fn from_chrono<Z: chrono::TimeZone>(instant: chrono::DateTime<Z>) -> Self {
        Self::from_millis(instant.timestamp_millis())
    }

    #[cfg(feature = "chrono")]
    fn to_chrono(self) -> Option<chrono::DateTime<chrono::Utc>> {
        chrono::DateTime::from_timestamp_millis(self.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_times_before_and_after_1970_are_instants() {
        for millis in [0, 1, 1_767_225_600_000, -1, -1_500, 253_370_764_799_999] {
            let instant = Timestamp::from_millis(millis);
            assert_eq!(Timestamp::from_system_time(instant.to_system_time()), instant, "{millis}");
        }
        let between = UNIX_EPOCH - Duration::from_micros(1_500);
        assert_eq!(Timestamp::from_system_time(between).as_millis(), -2);
        assert_eq!(Timestamp::from_system_time(UNIX_EPOCH + Duration::from_micros(1_500)).as_millis(), 1);
    }

    #[cfg(feature = "jiff")]
    #[test]
    fn instants_of_jiff_are_instants() {
        for millis in [0, 1_767_225_600_123, -1_500] {
            let instant = Timestamp::from_millis(millis);
            assert_eq!(instant.to_jiff().map(Timestamp::from_jiff), Some(instant));
        }
        assert_eq!(Timestamp::from_millis(i64::MAX).to_jiff(), None);
    }

    #[cfg(feature = "chrono")]
    #[test]
    fn instants_of_chrono_are_instants() {
        for millis in [0, 1_767_225_600_123, -1_500] {
            let instant = Timestamp::from_millis(millis);
            assert_eq!(instant.to_chrono().map(Timestamp::from_chrono), Some(instant));
        }
        assert_eq!(Timestamp::from_millis(i64::MAX).to_chrono(), None);
    }
}
