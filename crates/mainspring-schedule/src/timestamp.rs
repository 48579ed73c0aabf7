//! The instant type of the whole project: milliseconds since 1970 UTC.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

/// An instant: signed 64-bit milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// Every stored and decided instant has this form. It is shown as RFC 3339 UTC with milliseconds.
///
/// ```
/// use mainspring_schedule::Timestamp;
/// let t: Timestamp = "2026-03-08T02:30:00-05:00".parse()?;
/// assert_eq!(t.to_string(), "2026-03-08T07:30:00.000Z");
/// assert_eq!(t + 250, Timestamp::from_millis(t.as_millis() + 250));
/// # Ok::<(), mainspring_schedule::ParseTimestampError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest instant that can be shown: year 0001.
    pub const MIN: Self = Self(-62_135_596_800_000);
    /// The latest instant that can be shown: the end of year 9998.
    pub const MAX: Self = Self(253_370_764_799_999);
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Self = Self(0);

    /// Makes an instant from milliseconds since 1970 UTC.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970 UTC.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Adds milliseconds, staying at the ends of the number range.
    #[must_use]
    pub const fn saturating_add(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Milliseconds from `earlier` to `self`; negative when `self` is before it.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<i64> for Timestamp {
    type Output = Self;
    fn add(self, millis: i64) -> Self {
        self.saturating_add(millis)
    }
}

impl Sub<i64> for Timestamp {
    type Output = Self;
    fn sub(self, millis: i64) -> Self {
        Self(self.0.saturating_sub(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(t) => write!(f, "{t:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not an RFC 3339 instant with an offset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an RFC 3339 instant such as 2026-03-08T02:30:00Z")]
pub struct ParseTimestampError {
    text: String,
}

impl FromStr for Timestamp {
    type Err = ParseTimestampError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed: Result<jiff::Timestamp, _> = text.parse();
        match parsed {
            Ok(t) => Ok(Self(t.as_millisecond())),
            Err(_) => Err(ParseTimestampError { text: text.chars().take(64).collect() }),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self)
    }
}
