//! The next and the previous local time that fits an expression, without regard to zones.

use super::fields::{Fields, next_bit, previous_bit};
use crate::civil::{DAY_MS, Date, HOUR_MS, MINUTE_MS, SECOND_MS};
use crate::steps::step;

/// Returns the first fitting local time from `local` on, with `hours` in place of the expression's own.
///
/// `local` is in whole seconds, given in milliseconds.
pub(crate) fn next_local(fields: &Fields, hours: u32, local: i64) -> Option<i64> {
    if hours == 0 {
        return None;
    }
    let day_number = local.div_euclid(DAY_MS);
    let date = Date::from_day_number(day_number);
    if fields.allows_month(date.year, date.month) {
        let days = u64::from(fields.days_of(date.year, date.month));
        if days >> date.day & 1 == 1
            && let Some(of_day) = next_time(fields, hours, local - day_number * DAY_MS)
        {
            return Some(day_number * DAY_MS + of_day);
        }
        if let Some(day) = next_bit(days, u32::from(date.day) + 1) {
            let later = day_number + i64::from(day) - i64::from(date.day);
            return Some(later * DAY_MS + first_time(fields, hours));
        }
    }
    let (mut year, mut month) = (date.year, date.month);
    loop {
        (year, month) = fields.month_after(year, month)?;
        let days = fields.days_of(year, month);
        if days != 0 {
            let day = Date::new(year, month, days.trailing_zeros() as u8).day_number();
            return Some(day * DAY_MS + first_time(fields, hours));
        }
    }
}

/// Returns the last fitting local time up to `local`, with `hours` in place of the expression's own.
pub(crate) fn previous_local(fields: &Fields, hours: u32, local: i64) -> Option<i64> {
    if hours == 0 {
        return None;
    }
    let day_number = local.div_euclid(DAY_MS);
    let date = Date::from_day_number(day_number);
    if fields.allows_month(date.year, date.month) {
        let days = u64::from(fields.days_of(date.year, date.month));
        if days >> date.day & 1 == 1
            && let Some(of_day) = previous_time(fields, hours, local - day_number * DAY_MS)
        {
            return Some(day_number * DAY_MS + of_day);
        }
        if let Some(day) = previous_bit(days, u32::from(date.day) - 1) {
            let earlier = day_number + i64::from(day) - i64::from(date.day);
            return Some(earlier * DAY_MS + last_time(fields, hours));
        }
    }
    let (mut year, mut month) = (date.year, date.month);
    loop {
        (year, month) = fields.month_before(year, month)?;
        let days = fields.days_of(year, month);
        if days != 0 {
            let day = Date::new(year, month, 31 - days.leading_zeros() as u8).day_number();
            return Some(day * DAY_MS + last_time(fields, hours));
        }
    }
}

impl Fields {
    fn allows_month(&self, year: i32, month: u8) -> bool {
        self.months >> month & 1 == 1 && self.years.contains(year)
    }

    /// Returns the next month that the expression allows, as (year, month).
    pub fn month_after(&self, year: i32, month: u8) -> Option<(i32, u8)> {
        step();
        if self.years.contains(year)
            && let Some(month) = next_bit(u64::from(self.months), u32::from(month) + 1)
        {
            return Some((year, month as u8));
        }
        Some((self.years.next(year + 1)?, self.months.trailing_zeros() as u8))
    }

    /// Returns the month before that the expression allows, as (year, month).
    pub fn month_before(&self, year: i32, month: u8) -> Option<(i32, u8)> {
        step();
        if self.years.contains(year)
            && let Some(month) = previous_bit(u64::from(self.months), u32::from(month) - 1)
        {
            return Some((year, month as u8));
        }
        Some((self.years.previous(year - 1)?, 15 - self.months.leading_zeros() as u8))
    }
}

fn time(hour: u32, minute: u32, second: u32) -> i64 {
    i64::from(hour) * HOUR_MS + i64::from(minute) * MINUTE_MS + i64::from(second) * SECOND_MS
}

fn split(of_day: i64) -> (u32, u32, u32) {
    let seconds = (of_day / SECOND_MS) as u32;
    (seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn first_time(fields: &Fields, hours: u32) -> i64 {
    time(hours.trailing_zeros(), fields.minutes.trailing_zeros(), fields.seconds.trailing_zeros())
}

/// Returns the last fitting time of a day.
pub(crate) fn last_time(fields: &Fields, hours: u32) -> i64 {
    time(31 - hours.leading_zeros(), 63 - fields.minutes.leading_zeros(), 63 - fields.seconds.leading_zeros())
}

fn next_time(fields: &Fields, hours: u32, of_day: i64) -> Option<i64> {
    let (hour, minute, second) = split(of_day);
    let first_second = fields.seconds.trailing_zeros();
    if hours >> hour & 1 == 1 {
        if fields.minutes >> minute & 1 == 1
            && let Some(second) = next_bit(fields.seconds, second)
        {
            return Some(time(hour, minute, second));
        }
        if let Some(minute) = next_bit(fields.minutes, minute + 1) {
            return Some(time(hour, minute, first_second));
        }
    }
    let hour = next_bit(u64::from(hours), hour + 1)?;
    Some(time(hour, fields.minutes.trailing_zeros(), first_second))
}

/// Returns the last fitting time of a day up to `of_day`.
pub(crate) fn previous_time(fields: &Fields, hours: u32, of_day: i64) -> Option<i64> {
    let (hour, minute, second) = split(of_day);
    let last_second = 63 - fields.seconds.leading_zeros();
    if hours >> hour & 1 == 1 {
        if fields.minutes >> minute & 1 == 1
            && let Some(second) = previous_bit(fields.seconds, second)
        {
            return Some(time(hour, minute, second));
        }
        if let Some(minute) = minute.checked_sub(1).and_then(|from| previous_bit(fields.minutes, from)) {
            return Some(time(hour, minute, last_second));
        }
    }
    let hour = previous_bit(u64::from(hours), hour.checked_sub(1)?)?;
    Some(time(hour, 63 - fields.minutes.leading_zeros(), last_second))
}
