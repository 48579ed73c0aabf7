//! A cron expression as sets: what both parsers produce and both evaluators read.
//!
//! A set is a bit mask, so that "the next member from here" is one instruction.

use crate::civil::{Date, days_in_month, on_weekdays};

/// The last year in which a schedule fires, unless its year field says less. The offset table of a zone
/// ends here too.
pub(crate) const LAST_YEAR: i32 = 2199;
/// The first year that a year field can hold.
pub(crate) const FIRST_YEAR: i32 = 1900;

pub(crate) const ALL_SECONDS: u64 = (1 << 60) - 1;
pub(crate) const ALL_HOURS: u32 = (1 << 24) - 1;
pub(crate) const ALL_MONTHS: u16 = 0b1_1111_1111_1110;
pub(crate) const ALL_DAYS: u32 = 0xFFFF_FFFE;
pub(crate) const ALL_WEEKDAYS: u8 = 0b1111_1110;

/// The meaning of an expression. Bit n of a mask stands for the value n.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Fields {
    pub seconds: u64,
    pub minutes: u64,
    pub hours: u32,
    /// The hours that the schedule steps through: those that come from `*`, a range or a step that yields more
    /// than one hour.
    pub stepped: u32,
    pub months: u16,
    pub days: Days,
    pub years: Years,
}

/// The days of a month on which a schedule fires.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Days {
    OfMonth(MonthDays),
    /// Weekdays, bit 1 = Sunday to bit 7 = Saturday.
    OfWeek(u8),
    /// The last such weekday of the month.
    LastOfWeek(u8),
    /// The nth such weekday of the month.
    NthOfWeek {
        weekday: u8,
        nth: u8,
    },
    /// Unix: both fields restrict the day.
    Both(u32, u8),
    /// Unix: either field allows the day.
    Either(u32, u8),
    /// Quartz accepts texts that name no day.
    Never,
}

/// The parts of a day-of-month field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct MonthDays {
    /// Days by number.
    pub plain: u32,
    /// Bit n: the nth day before the last one (`L-n`; `L` is bit 0).
    pub from_end: u32,
    /// Bit n: the weekday nearest to day n (`nW`).
    pub nearest: u32,
    /// Bit n: the weekday nearest to the nth day before the last one (`L-nW`).
    pub nearest_from_end: u32,
}

/// A set of years in `FIRST_YEAR..FIRST_YEAR + 320`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Years([u64; 5]);

impl Years {
    /// All years from 1970 on.
    pub const EVERY: Self = {
        let mut words = [0; 5];
        let mut year = 1970;
        while year <= LAST_YEAR {
            let bit = (year - FIRST_YEAR) as usize;
            words[bit / 64] |= 1 << (bit % 64);
            year += 1;
        }
        Self(words)
    };

    /// Adds a year; those that no schedule reaches are left out.
    pub fn insert(&mut self, year: i32) {
        if (FIRST_YEAR..=LAST_YEAR).contains(&year) {
            let bit = (year - FIRST_YEAR) as usize;
            self.0[bit / 64] |= 1 << (bit % 64);
        }
    }

    pub fn contains(&self, year: i32) -> bool {
        self.next(year) == Some(year)
    }

    /// Returns the first year of the set that is not before `year`.
    pub fn next(&self, year: i32) -> Option<i32> {
        let bit = (year.max(FIRST_YEAR) - FIRST_YEAR) as usize;
        let word = bit / 64;
        let rest = self.0.get(word)? >> (bit % 64);
        if rest != 0 {
            return Some(FIRST_YEAR + (bit + rest.trailing_zeros() as usize) as i32);
        }
        let later = (word + 1..self.0.len()).find(|&w| self.0[w] != 0)?;
        Some(FIRST_YEAR + (later * 64 + self.0[later].trailing_zeros() as usize) as i32)
    }

    /// Returns the last year of the set that is not after `year`.
    pub fn previous(&self, year: i32) -> Option<i32> {
        (FIRST_YEAR..=year.min(LAST_YEAR)).rev().find(|&y| self.contains(y))
    }

    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        std::iter::successors(self.next(FIRST_YEAR), |year| self.next(year + 1))
    }
}

/// Returns the smallest member that is not below `from`.
pub(crate) const fn next_bit(mask: u64, from: u32) -> Option<u32> {
    let rest = if from < 64 { mask >> from << from } else { 0 };
    if rest == 0 { None } else { Some(rest.trailing_zeros()) }
}

/// Returns the largest member that is not above `from`.
pub(crate) const fn previous_bit(mask: u64, from: u32) -> Option<u32> {
    let rest = if from < 63 { mask & ((2 << from) - 1) } else { mask };
    if rest == 0 { None } else { Some(63 - rest.leading_zeros()) }
}

/// Returns the members in ascending order.
pub(crate) fn members(mask: u64) -> impl Iterator<Item = u32> {
    std::iter::successors(next_bit(mask, 0), move |value| next_bit(mask, value + 1))
}

impl Fields {
    /// Returns the days of a month on which the schedule fires, as bits 1..=31; months are not looked at.
    pub fn days_of(&self, year: i32, month: u8) -> u32 {
        let length = days_in_month(year, month);
        let existing = ALL_DAYS & (u32::MAX >> (31 - length));
        match &self.days {
            Days::OfMonth(days) if days.only_plain() => days.plain & existing,
            Days::OfMonth(days) => days.days_of(first_weekday(year, month), length),
            Days::OfWeek(weekdays) => on_weekdays(*weekdays, first_weekday(year, month)) & existing,
            Days::LastOfWeek(weekday) => {
                let all = on_weekdays(1 << weekday, first_weekday(year, month)) & existing;
                1 << (31 - all.leading_zeros())
            }
            Days::NthOfWeek { weekday, nth } => {
                let first = 1 + (weekday + 7 - first_weekday(year, month)) % 7;
                (1_u64 << (first + 7 * (nth - 1))) as u32 & existing
            }
            Days::Both(days, weekdays) => days & on_weekdays(*weekdays, first_weekday(year, month)) & existing,
            Days::Either(days, weekdays) => (days | on_weekdays(*weekdays, first_weekday(year, month))) & existing,
            Days::Never => 0,
        }
    }
}

impl Days {
    /// Returns whether `W` is among them.
    pub const fn have_nearest(&self) -> bool {
        matches!(self, Self::OfMonth(days) if days.nearest | days.nearest_from_end != 0)
    }

    /// Returns whether Quartz too takes the days for a set. It does not with `W`, nor where it compares days by number
    /// with days from the end.
    pub const fn are_a_set(&self) -> bool {
        match self {
            Self::OfMonth(days) => days.nearest | days.nearest_from_end == 0 && (days.plain == 0 || days.from_end == 0),
            _ => true,
        }
    }
}

impl MonthDays {
    pub const fn only_plain(&self) -> bool {
        self.from_end | self.nearest | self.nearest_from_end == 0
    }

    fn days_of(&self, first_weekday: u8, length: u8) -> u32 {
        let existing = ALL_DAYS & (u32::MAX >> (31 - length));
        // Bit n of `from_end` is day `length - n`: the mask, mirrored.
        let mirrored = |from_end: u32| from_end.reverse_bits() >> (31 - length) & existing;
        let mut days = (self.plain | mirrored(self.from_end)) & existing;
        let mut nearest = (self.nearest | mirrored(self.nearest_from_end)) & existing;
        while nearest != 0 {
            let day = nearest.trailing_zeros() as u8;
            days |= 1 << nearest_weekday(day, (first_weekday + day - 2) % 7 + 1, length);
            nearest &= nearest - 1;
        }
        days
    }
}

/// Returns the Monday to Friday that is nearest to a day, whose weekday is given (1 = Sunday), without leaving its
/// month of `length` days.
pub(crate) const fn nearest_weekday(day: u8, weekday: u8, length: u8) -> u8 {
    match weekday {
        1 if day == length => day - 2,
        1 => day + 1,
        7 if day == 1 => 3,
        7 => day - 1,
        _ => day,
    }
}

/// Returns the weekday of the first of a month, 1 = Sunday.
pub(crate) const fn first_weekday(year: i32, month: u8) -> u8 {
    Date::new(year, month, 1).weekday()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weekday_masks_agree_with_the_calendar() {
        for (year, month) in (2023..2031).flat_map(|y| (1..=12).map(move |m| (y, m))) {
            let mask = on_weekdays(1 << 2 | 1 << 7, first_weekday(year, month));
            for day in 1..=days_in_month(year, month) {
                let weekday = Date::new(year, month, day).weekday();
                assert_eq!(mask >> day & 1 == 1, weekday == 2 || weekday == 7, "{year}-{month}-{day}");
            }
        }
    }

    #[test]
    fn days_from_the_end_are_mirrored() {
        let days = MonthDays { from_end: 1 | 1 << 29, ..MonthDays::default() };
        assert_eq!(days.days_of(1, 30), 1 << 30 | 1 << 1);
        assert_eq!(days.days_of(1, 28), 1 << 28);
    }

    #[test]
    fn years_are_found_across_words() {
        let mut years = Years::default();
        [1970, 2099, 2199, 2500].into_iter().for_each(|y| years.insert(y));
        assert_eq!(years.iter().collect::<Vec<_>>(), [1970, 2099, 2199]);
        assert_eq!(years.next(1971), Some(2099));
        assert_eq!(years.previous(2098), Some(1970));
        assert_eq!(years.next(2200), None);
    }
}
