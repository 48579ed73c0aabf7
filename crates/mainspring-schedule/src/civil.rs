//! Local time without a zone: the reading of a calendar and a wall clock.
//!
//! Proleptic Gregorian calendar. Knows nothing of zones; `zone` ties a [`Civil`] to an instant.

use std::fmt;

pub(crate) const SECOND_MS: i64 = 1_000;
pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const HOUR_MS: i64 = 3_600_000;
pub(crate) const DAY_MS: i64 = 86_400_000;

/// A reading of a local clock: milliseconds since 1970-01-01T00:00:00 *on that clock*.
///
/// Two readings compare by what the clock shows, which is not the order of instants where an
/// hour is repeated.
///
/// ```
/// use mainspring_schedule::{Civil, Date};
/// let noon = Date::new(2024, 2, 29).at(12, 0, 0);
/// assert_eq!(noon.to_string(), "2024-02-29T12:00:00");
/// assert_eq!(noon.date().weekday(), 5); // 1 = Sunday, so a Thursday
/// assert_eq!(Civil::from_millis(noon.as_millis() + 86_400_000).date(), Date::new(2024, 3, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Civil(i64);

impl Civil {
    /// Makes a reading from milliseconds since 1970-01-01T00:00:00 on the local clock.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970-01-01T00:00:00 on the local clock.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the date that the clock shows.
    #[must_use]
    pub const fn date(self) -> Date {
        Date::from_day_number(self.day_number())
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub const fn day_number(self) -> i64 {
        self.0.div_euclid(DAY_MS)
    }

    /// Milliseconds since the local clock showed midnight.
    #[must_use]
    pub const fn millis_of_day(self) -> i64 {
        self.0.rem_euclid(DAY_MS)
    }

    /// Returns the hour, 0..=23.
    #[must_use]
    pub const fn hour(self) -> u8 {
        (self.millis_of_day() / HOUR_MS) as u8
    }

    /// Returns the minute, 0..=59.
    #[must_use]
    pub const fn minute(self) -> u8 {
        (self.millis_of_day() / MINUTE_MS % 60) as u8
    }

    /// Returns the second, 0..=59.
    #[must_use]
    pub const fn second(self) -> u8 {
        (self.millis_of_day() / SECOND_MS % 60) as u8
    }

    /// Returns the millisecond, 0..=999.
    #[must_use]
    pub const fn millisecond(self) -> u16 {
        (self.0.rem_euclid(SECOND_MS)) as u16
    }
}

impl fmt::Display for Civil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{:02}:{:02}:{:02}", self.date(), self.hour(), self.minute(), self.second())?;
        match self.millisecond() {
            0 => Ok(()),
            ms => write!(f, ".{ms:03}"),
        }
    }
}

impl fmt::Debug for Civil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A date of the proleptic Gregorian calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// The year; 0 is the year before 1.
    pub year: i32,
    /// The month, 1..=12.
    pub month: u8,
    /// The day of the month, 1..=31.
    pub day: u8,
}

impl Date {
    /// Makes a date; the parts are not checked (see [`Date::is_valid`]).
    #[must_use]
    pub const fn new(year: i32, month: u8, day: u8) -> Self {
        Self { year, month, day }
    }

    /// Returns whether the month and the day exist.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        self.month >= 1 && self.month <= 12 && self.day >= 1 && self.day <= days_in_month(self.year, self.month)
    }

    /// Returns the date that lies `day_number` days after 1970-01-01.
    #[must_use]
    pub const fn from_day_number(day_number: i64) -> Self {
        // Years are counted from March, so that a leap day is the last day of its year.
        let days = day_number + DAYS_TO_1970_FROM_MARCH_0000;
        let era = days.div_euclid(DAYS_PER_ERA);
        let day_of_era = days.rem_euclid(DAYS_PER_ERA);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u8;
        let january_or_february = month_from_march >= 10;
        let month = (month_from_march + if january_or_february { -9 } else { 3 }) as u8;
        let year = (era * 400 + year_of_era + january_or_february as i64) as i32;
        Self { year, month, day }
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub const fn day_number(self) -> i64 {
        let before_march = (self.month <= 2) as i64;
        let year = self.year as i64 - before_march;
        let month_from_march = self.month as i64 - 3 + 12 * before_march;
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * month_from_march + 2) / 5 + self.day as i64 - 1;
        era * DAYS_PER_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
            - DAYS_TO_1970_FROM_MARCH_0000
    }

    /// Returns the day of the week as Quartz counts it: 1 = Sunday to 7 = Saturday.
    #[must_use]
    pub const fn weekday(self) -> u8 {
        weekday(self.day_number())
    }

    /// Returns the reading of a clock at this time of day.
    #[must_use]
    pub const fn at(self, hour: u8, minute: u8, second: u8) -> Civil {
        let of_day = hour as i64 * HOUR_MS + minute as i64 * MINUTE_MS + second as i64 * SECOND_MS;
        Civil(self.day_number() * DAY_MS + of_day)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const DAYS_PER_ERA: i64 = 146_097;
const DAYS_TO_1970_FROM_MARCH_0000: i64 = 719_468;

/// Returns whether the year has a 29 February.
#[must_use]
pub const fn is_leap_year(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the number of days of a month, 28..=31. `month` is 1..=12.
#[must_use]
pub const fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        2 if is_leap_year(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days 1..=31 that fall on one of the weekdays.
pub(crate) fn on_weekdays(weekdays: u8, first_weekday: u8) -> u32 {
    let week = u32::from(weekdays >> 1);
    let shift = u32::from(first_weekday - 1);
    let rotated = (week >> shift | week << (7 - shift)) & 0x7F;
    // Four whole weeks and three days; bit 0 of `rotated` is day 1.
    (rotated | rotated << 7 | rotated << 14 | rotated << 21) << 1 | rotated << 29
}

/// Returns the day of the week (1 = Sunday) of a day counted from 1970-01-01, which was a Thursday.
pub(crate) const fn weekday(day_number: i64) -> u8 {
    ((day_number + 4).rem_euclid(7) + 1) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_and_dates_are_inverse_over_a_whole_era() {
        let mut expected = Date::new(1799, 12, 31);
        for day_number in Date::new(1800, 1, 1).day_number()..Date::new(2201, 1, 1).day_number() {
            let date = Date::from_day_number(day_number);
            expected = following(expected);
            assert_eq!(date, expected);
            assert_eq!(date.day_number(), day_number);
            assert!(date.is_valid());
        }
    }

    fn following(date: Date) -> Date {
        if date.day < days_in_month(date.year, date.month) {
            Date::new(date.year, date.month, date.day + 1)
        } else if date.month < 12 {
            Date::new(date.year, date.month + 1, 1)
        } else {
            Date::new(date.year + 1, 1, 1)
        }
    }

    #[test]
    fn parts_of_a_reading_before_1970_are_never_negative() {
        let t = Civil::from_millis(-1);
        assert_eq!(t.to_string(), "1969-12-31T23:59:59.999");
        assert_eq!(t.date().weekday(), 4);
    }
}
