//! Time periods as people write them: `90s`, `15 min`, `1.5 hours`, `250ms`, `1h30m`.
//!
//! The grammar is that of Apache NiFi's run schedules, with all 33 unit spellings, so that flows move over unchanged. One
//! form is added: whole numbers with units, without blanks, as `1h30m`. It has no months and no years, because those are not
//! lengths of time.

use std::fmt;
use std::str::FromStr;

/// A length of time in whole milliseconds, zero or more, at most [`Period::MAX`].
///
/// Parsing takes one number (digits and at most one dot) and one unit, with or without blanks in
/// between and in any case: `ns nano nanos nanosecond nanoseconds`, `ms milli millis millisecond
/// milliseconds`, `s sec secs second seconds`, `m min mins minute minutes`, `h hr hrs hour hours`,
/// `d day days`, `w wk wks week weeks`. `m` is minutes.
///
/// Several whole numbers with units are added up, if there is no blank and each unit is smaller than the one before: `1h30m`.
///
/// What is not a whole number of milliseconds is rounded to the nearest one, a half upwards; but
/// anything above zero is at least 1 ms, because a period of zero means something else (do not
/// wait at all) and must be written as such.
///
/// ```
/// use mainspring_schedule::Period;
/// assert_eq!("1.5 sec".parse::<Period>()?.as_millis(), 1_500);
/// assert_eq!("0.010 NS".parse::<Period>()?.as_millis(), 1);
/// assert_eq!("90m".parse::<Period>()?.to_string(), "90m");
/// assert_eq!("5400 s".parse::<Period>()?.to_string(), "90m");
/// assert_eq!("1h30m".parse::<Period>()?.to_string(), "90m");
/// assert_eq!("5".parse::<Period>().unwrap_err().code(), "period.no_unit");
/// # Ok::<(), mainspring_schedule::PeriodError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Period(i64);

impl Period {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest period: 10,000 years of 365.25 days, longer than the calendar reaches.
    pub const MAX: Self = Self(3_652_500 * 86_400_000);
    /// The longest text that is read, in bytes.
    pub const TEXT_MAX: usize = 64;

    /// Makes a period from milliseconds; `None` when negative or above [`Period::MAX`].
    #[must_use]
    pub const fn from_millis(millis: i64) -> Option<Self> {
        if millis < 0 || millis > Self::MAX.0 { None } else { Some(Self(millis)) }
    }

    /// Returns the length in milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }
}

/// An error of reading a period. [`PeriodError::code`] returns the stable code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PeriodError {
    /// The text is empty.
    #[error("a period is missing; write a number and a unit, such as `90s` or `15 min`")]
    Empty,
    /// The text is longer than [`Period::TEXT_MAX`].
    #[error("the period is longer than {} characters", Period::TEXT_MAX)]
    TextTooLong,
    /// There is a number but nothing after it.
    #[error("`{text}` has no unit; write for instance `{text}s` or `{text} min`")]
    NoUnit {
        /// The text as given.
        text: String,
    },
    /// The text after the number is no unit of time.
    #[error("`{unit}` at column {column} is not a unit of time; use ns, ms, s, m, h, d or w, or their long names")]
    UnknownUnit {
        /// The unit as given.
        unit: String,
        /// The place where it begins, counted in characters from 1.
        column: usize,
    },
    /// The text does not begin with a number, or begins with a blank or a sign.
    #[error("`{text}` does not begin with a number; write a number and a unit without a sign, such as `90s`")]
    NoNumber {
        /// The text as given.
        text: String,
    },
    /// The digits and dots are not one number.
    #[error("`{number}` is not a number")]
    BadNumber {
        /// The digits and dots as given.
        number: String,
    },
    /// The length is above [`Period::MAX`].
    #[error("`{text}` is longer than 10,000 years")]
    TooLong {
        /// The text as given.
        text: String,
    },
}

impl PeriodError {
    /// Returns the stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty => "period.empty",
            Self::TextTooLong => "period.text_too_long",
            Self::NoUnit { .. } => "period.no_unit",
            Self::UnknownUnit { .. } => "period.unknown_unit",
            Self::NoNumber { .. } => "period.no_number",
            Self::BadNumber { .. } => "period.bad_number",
            Self::TooLong { .. } => "period.too_long",
        }
    }
}

impl FromStr for Period {
    type Err = PeriodError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err(PeriodError::Empty);
        }
        if text.len() > Self::TEXT_MAX {
            return Err(PeriodError::TextTooLong);
        }
        let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, rest) = text.split_at(number_end);
        if number.is_empty() {
            return Err(PeriodError::NoNumber { text: text.to_owned() });
        }
        let unit = rest.trim_start_matches(is_blank);
        if unit.is_empty() {
            return Err(PeriodError::NoUnit { text: text.trim_end_matches(is_blank).to_owned() });
        }
        let millis = match unit_nanos(&unit.to_lowercase()) {
            Some(unit_ns) => {
                to_millis(number, unit_ns).ok_or_else(|| PeriodError::BadNumber { number: number.to_owned() })
            }
            None => sum_of_parts(text).ok_or_else(|| {
                let column = text[..text.len() - unit.len()].chars().count() + 1;
                PeriodError::UnknownUnit { unit: unit.to_owned(), column }
            }),
        };
        i64::try_from(millis?)
            .ok()
            .and_then(Self::from_millis)
            .ok_or_else(|| PeriodError::TooLong { text: text.to_owned() })
    }
}

/// Writes the shortest exact form: the largest unit of `w d h m s ms` that divides the length.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(i64, &str); 5] =
            [(7 * 86_400_000, "w"), (86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
        if self.0 == 0 {
            return f.write_str("0s");
        }
        match UNITS.iter().find(|(millis, _)| self.0 % millis == 0) {
            Some((millis, unit)) => write!(f, "{}{unit}", self.0 / millis),
            None => write!(f, "{}ms", self.0),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Period {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Period {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Returns whether a character matches `\s` of a Java regular expression.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0B' | '\x0C' | '\r')
}

fn unit_nanos(unit: &str) -> Option<u128> {
    Some(match unit {
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => 1,
        "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => 1_000_000,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000_000_000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60 * 1_000_000_000,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600 * 1_000_000_000,
        "d" | "day" | "days" => 86_400 * 1_000_000_000,
        "w" | "wk" | "wks" | "week" | "weeks" => 7 * 86_400 * 1_000_000_000,
        _ => return None,
    })
}

/// Milliseconds of `number` units, saturating; `None` when `number` is not one number.
fn to_millis(number: &str, unit_ns: u128) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole_ns = decimal(whole).saturating_mul(unit_ns);
    // 20 decimals resolve far below a nanosecond even for weeks; what lies beyond them only
    // matters as "more than zero".
    let kept = &fraction[..fraction.len().min(20)];
    let scale = 10_u128.pow(u32::try_from(kept.len()).expect("at most 20"));
    let fraction_ns_scaled = decimal(kept).saturating_mul(unit_ns);
    let (fraction_ns, rest) = (fraction_ns_scaled / scale, fraction_ns_scaled % scale);
    let total_ns = whole_ns.saturating_add(fraction_ns);
    let above_zero = total_ns > 0 || rest > 0 || fraction.bytes().any(|b| b != b'0');
    Some(rounded(total_ns, above_zero))
}

/// Returns the milliseconds of whole numbers with units without blanks, each smaller than the one before: `1h30m`.
fn sum_of_parts(text: &str) -> Option<u128> {
    let (mut rest, mut total_ns, mut unit_before) = (text, 0_u128, u128::MAX);
    while !rest.is_empty() {
        let (number, behind) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let (unit, behind) = behind.split_at(behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len()));
        let unit_ns =
            unit_nanos(&unit.to_lowercase()).filter(|unit_ns| *unit_ns < unit_before && !number.is_empty())?;
        total_ns = total_ns.saturating_add(decimal(number).saturating_mul(unit_ns));
        (rest, unit_before) = (behind, unit_ns);
    }
    Some(rounded(total_ns, total_ns > 0))
}

/// Returns the nearest millisecond, a half upwards, and at least one for anything above zero.
fn rounded(total_ns: u128, above_zero: bool) -> u128 {
    let nearest = total_ns.saturating_add(500_000) / 1_000_000;
    if above_zero { nearest.max(1) } else { 0 }
}

/// Returns the value of ASCII digits, saturating; 0 when there are none.
fn decimal(digits: &str) -> u128 {
    digits.bytes().fold(0_u128, |n, b| n.saturating_mul(10).saturating_add(u128::from(b - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPELLINGS: [(&str, i64); 33] = [
        ("ns", 1),
        ("nano", 1),
        ("nanos", 1),
        ("nanosecond", 1),
        ("nanoseconds", 1),
        ("ms", 2),
        ("milli", 2),
        ("millis", 2),
        ("millisecond", 2),
        ("milliseconds", 2),
        ("s", 2_000),
        ("sec", 2_000),
        ("secs", 2_000),
        ("second", 2_000),
        ("seconds", 2_000),
        ("m", 120_000),
        ("min", 120_000),
        ("mins", 120_000),
        ("minute", 120_000),
        ("minutes", 120_000),
        ("h", 7_200_000),
        ("hr", 7_200_000),
        ("hrs", 7_200_000),
        ("hour", 7_200_000),
        ("hours", 7_200_000),
        ("d", 172_800_000),
        ("day", 172_800_000),
        ("days", 172_800_000),
        ("w", 1_209_600_000),
        ("wk", 1_209_600_000),
        ("wks", 1_209_600_000),
        ("week", 1_209_600_000),
        ("weeks", 1_209_600_000),
    ];

    fn millis(text: &str) -> Result<i64, &'static str> {
        text.parse::<Period>().map(Period::as_millis).map_err(|e| e.code())
    }

    #[test]
    fn all_33_spellings_of_units_are_read_in_any_case_and_with_any_blanks() {
        for (unit, expected) in SPELLINGS {
            for text in [
                format!("2{unit}"),
                format!("2 {unit}"),
                format!("2 \t  {unit}"),
                format!("2 {}", unit.to_uppercase()),
                format!("2.0{unit}"),
                format!("002.{unit}"),
            ] {
                assert_eq!(millis(&text), Ok(expected), "{text}");
            }
        }
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_millisecond_but_never_down_to_zero() {
        for (text, expected) in [
            ("10sec", 10_000),
            ("10   SEC", 10_000),
            ("1.5 sec", 1_500),
            (".5 s", 500),
            ("0.010 ns", 1),
            ("0 days", 0),
            ("0.0 ns", 0),
            ("1.4 ms", 1),
            ("1.5 ms", 2),
            ("1499999 ns", 1),
            ("1500000 ns", 2),
            ("0.000000000000000000000000000001 ns", 1),
            ("0.1 weeks", 60_480_000),
            ("3652500 d", Period::MAX.as_millis()),
        ] {
            assert_eq!(millis(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn whole_numbers_with_smaller_and_smaller_units_are_added_up() {
        for (text, expected) in [
            ("1h30m", 5_400_000),
            ("1H30MIN", 5_400_000),
            ("2d12h", 216_000_000),
            ("1w2d3h4m5s6ms", 788_645_006),
            ("1m0s", 60_000),
            ("0h0m", 0),
            ("0h1ns", 1),
            ("1ms500000ns", 2),
        ] {
            assert_eq!(millis(text), Ok(expected), "{text}");
        }
        for text in ["1h30", "30m1h", "1h1h", "1h 30m", "1.5h30m", "1h1.5m", "1h-30m", "1hm", "1h30x", "1h30m ", "1h٣m"]
        {
            assert_eq!(millis(text), Err("period.unknown_unit"), "{text}");
        }
        assert_eq!(millis("99999999999999999999999999999999999999w1s"), Err("period.too_long"));
    }

    #[test]
    fn what_nifi_refuses_is_refused_with_a_reason() {
        for (text, code) in [
            ("", "period.empty"),
            ("5", "period.no_unit"),
            ("5 ", "period.no_unit"),
            (" 5 sec", "period.no_number"),
            ("5 sec ", "period.unknown_unit"),
            ("-5 sec", "period.no_number"),
            ("+5 sec", "period.no_number"),
            ("sec", "period.no_number"),
            ("1,000 ms", "period.unknown_unit"),
            ("1e3 ms", "period.unknown_unit"),
            ("1 sec 2 ms", "period.unknown_unit"),
            ("1.2.3 s", "period.bad_number"),
            (". s", "period.bad_number"),
            ("1 micros", "period.unknown_unit"),
            ("1 us", "period.unknown_unit"),
            ("1 month", "period.unknown_unit"),
            ("1 year", "period.unknown_unit"),
            ("٣ s", "period.no_number"),
            ("3652501 d", "period.too_long"),
            ("99999999999999999999999999999999999999999999999999 weeks", "period.too_long"),
        ] {
            assert_eq!(millis(text), Err(code), "{text}");
        }
        assert_eq!(millis(&"9".repeat(65)), Err("period.text_too_long"));
    }

    #[test]
    fn errors_name_the_place_and_what_to_write() {
        let error = "10  fortnights".parse::<Period>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`fortnights` at column 5 is not a unit of time; use ns, ms, s, m, h, d or w, or their long names"
        );
    }

    #[test]
    fn the_shortest_form_is_written_and_reads_back() {
        for (millis, text) in [
            (0, "0s"),
            (1, "1ms"),
            (250, "250ms"),
            (90_000, "90s"),
            (900_000, "15m"),
            (7_200_000, "2h"),
            (86_400_000, "1d"),
            (7 * 86_400_000, "1w"),
            (8 * 86_400_000, "8d"),
            (3_600_001, "3600001ms"),
        ] {
            let period = Period::from_millis(millis).unwrap();
            assert_eq!(period.to_string(), text);
            assert_eq!(text.parse(), Ok(period));
        }
    }
}
