//! Finds expressions that can never fire, and the reason.

use super::Cron;
use super::fields::{Days, FIRST_YEAR, Fields, members};
use crate::civil::days_in_month;

/// The reason why a schedule never fires.
///
/// ```
/// use mainspring_schedule::{Cron, NeverFires, Semantics};
/// let cron = Cron::parse_auto("0 0 12 30 2 ?", Semantics::Standard)?;
/// let reason = cron.never_fires().expect("February has no day 30");
/// assert_eq!(reason.to_string(), "none of its months has day 30");
/// assert_eq!(Cron::parse_auto("0 0 12 29 2 ?", Semantics::Standard)?.never_fires(), None);
/// # Ok::<(), mainspring_schedule::CronError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NeverFires {
    /// The year field names no year in which anything fires. Only Quartz accepts such a field.
    NoYear,
    /// The day fields name no day. Only Quartz accepts such fields.
    NoDay,
    /// The smallest day that is named is larger than any of the months is long.
    NoSuchDay {
        /// The day of the month.
        day: u8,
    },
    /// Only 29 February is named, and none of the years is a leap year.
    NoLeapYear,
    /// The days exist, but not in the months and years that are named.
    NoSuchDate,
}

impl NeverFires {
    /// Returns the reason in Chinese.
    #[must_use]
    pub fn to_chinese(self) -> String {
        match self {
            Self::NoYear => "年份字段中没有可用的年份".to_owned(),
            Self::NoDay => "日期字段没有指定任何一天".to_owned(),
            Self::NoSuchDay { day } => format!("所选月份都没有 {day} 日"),
            Self::NoLeapYear => "所选年份都没有 2 月 29 日".to_owned(),
            Self::NoSuchDate => "所选的年和月中没有这样的日期".to_owned(),
        }
    }
}

impl std::fmt::Display for NeverFires {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoYear => f.write_str("its year field names no year that can come"),
            Self::NoDay => f.write_str("its day fields name no day"),
            Self::NoSuchDay { day } => write!(f, "none of its months has day {day}"),
            Self::NoLeapYear => f.write_str("29 February exists in none of its years"),
            Self::NoSuchDate => f.write_str("no date fits its days, months and years together"),
        }
    }
}

impl std::error::Error for NeverFires {}

impl Cron {
    /// Returns why the schedule never fires, in any zone; `None` if it fires at some time.
    ///
    /// A schedule whose years have all passed has fired, so this says nothing about it.
    #[must_use]
    pub fn never_fires(&self) -> Option<NeverFires> {
        let fields = &self.0.fields;
        if fields.years.next(FIRST_YEAR).is_none() {
            return Some(NeverFires::NoYear);
        }
        let mut months = std::iter::successors(fields.month_after(FIRST_YEAR - 1, 12), |(year, month)| {
            fields.month_after(*year, *month)
        });
        if months.any(|(year, month)| fields.days_of(year, month) != 0) {
            return None;
        }
        Some(reason(fields))
    }
}

fn reason(fields: &Fields) -> NeverFires {
    let smallest = match &fields.days {
        Days::Never => return NeverFires::NoDay,
        Days::OfMonth(days) if days.plain | days.from_end | days.nearest | days.nearest_from_end == 0 => {
            return NeverFires::NoDay;
        }
        Days::OfMonth(days) if days.from_end | days.nearest_from_end == 0 => {
            (days.plain | days.nearest).trailing_zeros()
        }
        Days::Both(days, _) => days.trailing_zeros(),
        _ => return NeverFires::NoSuchDate,
    };
    let longest = members(u64::from(fields.months)).map(|month| days_in_month(2000, month as u8)).max();
    match longest {
        Some(longest) if smallest > u32::from(longest) => NeverFires::NoSuchDay { day: smallest as u8 },
        Some(29) if smallest == 29 => NeverFires::NoLeapYear,
        _ => NeverFires::NoSuchDate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Semantics, Timestamp, Zone};

    #[test]
    fn reasons_are_found_and_agree_with_the_search() {
        let table = [
            ("0 0 12 30 2 ?", Some(NeverFires::NoSuchDay { day: 30 })),
            ("0 0 12 31 2,4,6 ?", Some(NeverFires::NoSuchDay { day: 31 })),
            ("0 0 12 29 2 ? 2025-2027", Some(NeverFires::NoLeapYear)),
            ("0 0 12 29 2 ? 2025-2028", None),
            ("0 0 12 ? 2 6#5 2025", Some(NeverFires::NoSuchDate)),
            ("0 0 12 L-30 2 ?", Some(NeverFires::NoSuchDate)),
            ("0 0 12 31W 6 ?", Some(NeverFires::NoSuchDay { day: 31 })),
            ("0 0 31 2 *", Some(NeverFires::NoSuchDay { day: 31 })),
            ("0 0 31 2 1", None),
            ("0 0 12 * * ?", None),
        ];
        for (text, expected) in table {
            let cron = Cron::parse_auto(text, Semantics::Standard).unwrap();
            assert_eq!(cron.never_fires(), expected, "{text}");
            let first = cron.next_after(&Zone::utc(), Timestamp::from_millis(-1));
            assert_eq!(first.is_none(), expected.is_some(), "{text}");
        }
        let quartz = [
            ("0 0 12 ? * 8#3", NeverFires::NoDay),
            ("0 0 12 , * ?", NeverFires::NoDay),
            ("0 0 12 ? * MON 99999", NeverFires::NoYear),
        ];
        for (text, expected) in quartz {
            let cron = Cron::parse_auto(text, Semantics::Quartz).unwrap();
            assert_eq!(cron.never_fires(), Some(expected), "{text}");
            assert_eq!(cron.next_after(&Zone::utc(), Timestamp::from_millis(-1)), None, "{text}");
        }
    }
}
