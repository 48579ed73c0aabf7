//! A set of days of the week.

use std::fmt;
use std::str::FromStr;

/// Days of the week, numbered as in Quartz: 1 = Sunday to 7 = Saturday.
///
/// Written as short names joined by commas, Monday first: `mon,tue,wed`; ranges such as `mon-fri`
/// and long names are read too, and an empty text is the empty set.
///
/// ```
/// use mainspring_schedule::DaysOfWeek;
/// let days: DaysOfWeek = "mon-wed,Saturday".parse()?;
/// assert!(days.contains(2) && !days.contains(1));
/// assert_eq!(days.to_string(), "mon,tue,wed,sat");
/// # Ok::<(), mainspring_schedule::UnknownDayOfWeek>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct DaysOfWeek(u8);

impl DaysOfWeek {
    /// No day.
    pub const NONE: Self = Self(0);
    /// Every day.
    pub const ALL: Self = Self(0b1111_1110);
    /// Monday to Friday.
    pub const MONDAY_TO_FRIDAY: Self = Self(0b0111_1100);
    /// Saturday and Sunday.
    pub const WEEKEND: Self = Self(0b1000_0010);

    /// Makes a set from day numbers; `None` when one is not in 1..=7.
    pub fn from_numbers(days: impl IntoIterator<Item = u8>) -> Option<Self> {
        days.into_iter().try_fold(Self::NONE, |set, day| (1..=7).contains(&day).then(|| Self(set.0 | 1 << day)))
    }

    /// Returns whether the day (1 = Sunday) belongs to the set; `false` for numbers outside 1..=7.
    #[must_use]
    pub const fn contains(self, day: u8) -> bool {
        day < 8 && self.0 & (1 << day) != 0
    }

    /// Returns whether there is no day in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of days in the set.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the set as bits: bit n stands for day n.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the numbers of the days, ascending from Sunday.
    pub fn numbers(self) -> impl Iterator<Item = u8> {
        (1..=7).filter(move |&day| self.contains(day))
    }
}

/// A part of the text names no day of the week.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a day of the week; use mon, tue, wed, thu, fri, sat, sun or ranges such as mon-fri")]
pub struct UnknownDayOfWeek {
    name: String,
}

impl UnknownDayOfWeek {
    /// Returns the stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "day_of_week.unknown"
    }
}

impl FromStr for DaysOfWeek {
    type Err = UnknownDayOfWeek;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut days = Self::NONE;
        for part in text.split(',').map(str::trim) {
            if part.is_empty() && text.trim().is_empty() {
                break;
            }
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (mut day, last) = (number(first)?, number(last)?);
            days.0 |= 1 << day;
            while day != last {
                day = day % 7 + 1;
                days.0 |= 1 << day;
            }
        }
        Ok(days)
    }
}

impl fmt::Display for DaysOfWeek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let monday_first = (2..=7).chain([1]).filter(|&day| self.contains(day));
        for (i, day) in monday_first.enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{}", &NAMES[day as usize - 1][..3])?;
        }
        Ok(())
    }
}

const NAMES: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

fn number(name: &str) -> Result<u8, UnknownDayOfWeek> {
    let wanted = name.trim().to_ascii_lowercase();
    let known = |full: &&str| wanted.len() >= 3 && full.starts_with(&wanted);
    let index = NAMES.iter().position(known);
    match index.and_then(|i| u8::try_from(i + 1).ok()) {
        Some(day) => Ok(day),
        None => Err(UnknownDayOfWeek { name: name.trim().chars().take(32).collect() }),
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for DaysOfWeek {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for DaysOfWeek {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_written() {
        for (text, numbers, written) in [
            ("", vec![], ""),
            ("SUN", vec![1], "sun"),
            ("mon-fri", vec![2, 3, 4, 5, 6], "mon,tue,wed,thu,fri"),
            ("fri-mon", vec![1, 2, 6, 7], "mon,fri,sat,sun"),
            ("thurs , tuesday", vec![3, 5], "tue,thu"),
        ] {
            let days: DaysOfWeek = text.parse().unwrap();
            assert_eq!(days.numbers().collect::<Vec<_>>(), numbers, "{text}");
            assert_eq!(days.to_string(), written);
            assert_eq!(written.parse(), Ok(days));
        }
    }

    #[test]
    fn unknown_days_are_refused() {
        for text in ["mo", "mon,", "mon-", "monday-x", "8", "mon tue"] {
            assert_eq!(text.parse::<DaysOfWeek>().unwrap_err().code(), "day_of_week.unknown", "{text}");
        }
        assert_eq!(DaysOfWeek::from_numbers([1, 8]), None);
        assert!(!DaysOfWeek::ALL.contains(9));
    }
}
