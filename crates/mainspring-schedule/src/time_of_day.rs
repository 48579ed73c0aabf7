//! A time of day without a date and without a zone.

use std::fmt;
use std::str::FromStr;

use crate::civil::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS};

/// A time of day, from `00:00` to `23:59:59.999`.
///
/// Written `HH:MM`, `HH:MM:SS` or `HH:MM:SS.mmm`; single digits are read too, and Quartz's
/// `HH:MM:SS:mmm`.
///
/// ```
/// use mainspring_schedule::TimeOfDay;
/// let t: TimeOfDay = "9:05".parse()?;
/// assert_eq!(t, TimeOfDay::new(9, 5, 0).unwrap());
/// assert_eq!(t.to_string(), "09:05");
/// assert!("24:00".parse::<TimeOfDay>().is_err());
/// # Ok::<(), mainspring_schedule::BadTimeOfDay>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TimeOfDay(u32);

impl TimeOfDay {
    /// `00:00`.
    pub const MIDNIGHT: Self = Self(0);
    /// `23:59:59`, the last whole second.
    pub const LAST_SECOND: Self = Self(86_399_000);

    /// Makes a time of day; `None` when a part is out of range.
    #[must_use]
    pub const fn new(hour: u8, minute: u8, second: u8) -> Option<Self> {
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let seconds = hour as u32 * 3_600 + minute as u32 * 60 + second as u32;
        Some(Self(seconds * 1_000))
    }

    /// Makes a time of day from milliseconds since midnight; `None` from 24 hours on.
    #[must_use]
    pub const fn from_millis(millis: u32) -> Option<Self> {
        if millis < DAY_MS as u32 { Some(Self(millis)) } else { None }
    }

    /// Milliseconds since midnight.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0 as i64
    }
}

/// The text is not a time of day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a time of day; write `HH:MM` or `HH:MM:SS`, from 00:00 to 23:59:59")]
pub struct BadTimeOfDay {
    text: String,
}

impl BadTimeOfDay {
    /// Returns the stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "time_of_day.invalid"
    }
}

impl FromStr for TimeOfDay {
    type Err = BadTimeOfDay;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| BadTimeOfDay { text: text.chars().take(32).collect() })
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.as_millis();
        write!(f, "{:02}:{:02}", ms / HOUR_MS, ms / MINUTE_MS % 60)?;
        match (ms / SECOND_MS % 60, ms % SECOND_MS) {
            (0, 0) => Ok(()),
            (second, 0) => write!(f, ":{second:02}"),
            (second, millis) => write!(f, ":{second:02}.{millis:03}"),
        }
    }
}

fn parse(text: &str) -> Option<TimeOfDay> {
    let mut parts = text.split([':', '.']);
    let (hour, minute) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |s| number(s, 2))?;
    let millis = parts.next().map_or(Some(0), |s| number(s, 3))?;
    let dots_at = text.find('.').map(|at| text[..at].matches(':').count());
    if parts.next().is_some() || !matches!(dots_at, None | Some(2)) {
        return None;
    }
    let time = TimeOfDay::new(u8::try_from(hour).ok()?, u8::try_from(minute).ok()?, u8::try_from(second).ok()?)?;
    TimeOfDay::from_millis(time.0 + millis)
}

fn number(digits: &str, digits_max: usize) -> Option<u32> {
    let plain = !digits.is_empty() && digits.len() <= digits_max;
    (plain && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}

#[cfg(feature = "serde")]
impl serde::Serialize for TimeOfDay {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for TimeOfDay {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_read_and_written() {
        for (text, millis, written) in [
            ("00:00", 0, "00:00"),
            ("9:5", 32_700_000, "09:05"),
            ("23:59:59", 86_399_000, "23:59:59"),
            ("01:59:59:999", 7_199_999, "01:59:59.999"),
            ("01:59:59.999", 7_199_999, "01:59:59.999"),
        ] {
            let time: TimeOfDay = text.parse().unwrap();
            assert_eq!(time.as_millis(), millis, "{text}");
            assert_eq!(time.to_string(), written);
            assert_eq!(written.parse(), Ok(time));
        }
    }

    #[test]
    fn what_no_clock_shows_is_refused() {
        for text in
            ["", "9", "24:00", "12:60", "12:00:60", "12.30", "12:30.5", "-1:00", "12:00:00:1000", "1:2:3:4:5", "٣:00"]
        {
            let error = text.parse::<TimeOfDay>().unwrap_err();
            assert_eq!(error.code(), "time_of_day.invalid", "{text}");
        }
    }
}
