//! Next fire as Quartz 2.5.2 computes it, to the bit.
//!
//! Quartz walks a lenient Java calendar: it looks at second, minute, hour, day, month and year in turn,
//! moves the first one that does not fit to its next value, resets what is smaller, and starts again.
//! Each move *sets* the local time, so a time in a gap slides forward by the length of the gap, and the
//! walk goes on from there: that is how fires in gaps are lost. This file walks the same steps on local
//! time and asks the zone only near its offset changes.

use super::fields::{Days, Fields, LAST_YEAR, MonthDays, nearest_weekday, next_bit};
use crate::civil::{Civil, DAY_MS, Date, HOUR_MS, MINUTE_MS, SECOND_MS, days_in_month, weekday};
use crate::{Timestamp, Zone};

/// The first fire after `t`, or `None` if there is none up to the last year.
pub(crate) fn next_after(fields: &Fields, zone: &Zone, t: Timestamp) -> Option<Timestamp> {
    let start = t.as_millis().checked_add(SECOND_MS)?.div_euclid(SECOND_MS) * SECOND_MS;
    let mut walk = Walk::start(zone, Timestamp::from_millis(start));
    while walk.date.year <= LAST_YEAR {
        if walk.fix_second(fields)
            && walk.fix_minute(fields)
            && walk.fix_hour(fields)
            && walk.fix_day(fields, start)
            && walk.fix_month(fields)
        {
            match fields.years.next(walk.date.year) {
                Some(year) if year == walk.date.year => return Some(walk.instant()),
                Some(year) => walk.go_to_month(year, 1),
                None => return None,
            }
        }
    }
    None
}

/// Whether Quartz calls the schedule satisfied at `t`, whose milliseconds do not count.
pub(crate) fn matches(fields: &Fields, zone: &Zone, t: Timestamp) -> bool {
    let second = Timestamp::from_millis(t.as_millis().div_euclid(SECOND_MS) * SECOND_MS);
    // Setting the milliseconds moves an instant in the first of two equal hours to the second.
    let settled = zone.lenient(zone.to_local(second));
    next_after(fields, zone, settled - SECOND_MS) == Some(settled)
}

/// The last fire before `t`, or `None` if there is none since 1970.
///
/// Quartz can only be asked forwards, so it is asked from further and further back, and then on up to `t`.
/// Each step back is 16 times as long as the one before, which bounds the fires in between.
pub(crate) fn previous_before(fields: &Fields, zone: &Zone, t: Timestamp) -> Option<Timestamp> {
    let spans = std::iter::successors(Some(SECOND_MS), |span| Some(span * 16));
    let starts = spans.take(STEPS_BACK).map(|span| t - span);
    let first = starts
        .filter_map(|start| next_after(fields, zone, start))
        .find(|fire| *fire < t)?;
    std::iter::successors(Some(first), |fire| {
        next_after(fields, zone, *fire).filter(|next| *next < t)
    })
    .last()
}

/// 16^9 seconds are 2,177 years, which is back before any first fire.
const STEPS_BACK: usize = 10;

/// The calendar that Quartz walks with: a local time that exists.
struct Walk<'a> {
    zone: &'a Zone,
    /// Local times for which `offset` holds for certain.
    safe_from: i64,
    safe_to: i64,
    offset: i64,
    local: i64,
    day_number: i64,
    date: Date,
}

impl<'a> Walk<'a> {
    fn start(zone: &'a Zone, t: Timestamp) -> Self {
        let mut walk = Self {
            zone,
            safe_from: 0,
            safe_to: 0,
            offset: 0,
            local: 0,
            day_number: i64::MIN,
            date: Date::new(1970, 1, 1),
        };
        let window = zone.window(t);
        walk.adopt(window);
        walk.set(t.as_millis() + window.offset_ms);
        walk
    }

    fn adopt(&mut self, window: crate::OffsetWindow) {
        self.offset = window.offset_ms;
        self.safe_from = window.from_ms.saturating_add(2 * DAY_MS);
        self.safe_to = window.to_ms.saturating_sub(2 * DAY_MS);
    }

    /// Sets the local time, leniently.
    fn set(&mut self, local: i64) {
        self.local = if self.safe_from <= local && local < self.safe_to {
            local
        } else {
            self.settle(local)
        };
        let day_number = self.local.div_euclid(DAY_MS);
        if day_number != self.day_number {
            self.day_number = day_number;
            self.date = Date::from_day_number(day_number);
        }
    }

    #[cold]
    fn settle(&mut self, local: i64) -> i64 {
        let t = self.zone.lenient(Civil::from_millis(local));
        let window = self.zone.window(t);
        self.adopt(window);
        t.as_millis() + window.offset_ms
    }

    fn instant(&self) -> Timestamp {
        if self.safe_from <= self.local && self.local < self.safe_to {
            Timestamp::from_millis(self.local - self.offset)
        } else {
            self.zone.lenient(Civil::from_millis(self.local))
        }
    }

    fn of_day(&self) -> i64 {
        self.local - self.day_number * DAY_MS
    }

    fn hour(&self) -> i64 {
        self.of_day() / HOUR_MS
    }

    /// The second moves, and drags the minute along; Quartz does not start again for that.
    fn fix_second(&mut self, fields: &Fields) -> bool {
        let below_minute = self.local.rem_euclid(MINUTE_MS);
        let minute_start = self.local - below_minute;
        let second = below_minute / SECOND_MS;
        match next_bit(fields.seconds, second as u32) {
            Some(next) if i64::from(next) == second => {}
            Some(next) => self.set(minute_start + i64::from(next) * SECOND_MS),
            None => {
                let first = i64::from(fields.seconds.trailing_zeros());
                self.set(minute_start + MINUTE_MS + first * SECOND_MS);
            }
        }
        true
    }

    fn fix_minute(&mut self, fields: &Fields) -> bool {
        let minute = self.of_day() / MINUTE_MS % 60;
        let (hour, next) = match next_bit(fields.minutes, minute as u32) {
            Some(next) if i64::from(next) == minute => return true,
            Some(next) => (self.hour(), next),
            None => (self.hour() + 1, fields.minutes.trailing_zeros()),
        };
        self.go_to_hour(self.day_number, hour, i64::from(next));
        false
    }

    fn fix_hour(&mut self, fields: &Fields) -> bool {
        let hour = self.hour();
        let (day_number, next) = match next_bit(u64::from(fields.hours), hour as u32) {
            Some(next) if i64::from(next) == hour => return true,
            Some(next) => (self.day_number, next),
            None => (self.day_number + 1, fields.hours.trailing_zeros()),
        };
        self.go_to_hour(day_number, i64::from(next), 0);
        false
    }

    /// Sets hour and minute. When the clock then shows another hour, because of a gap, Quartz sets the
    /// hour after the wanted one.
    fn go_to_hour(&mut self, day_number: i64, hour: i64, minute: i64) {
        self.set(day_number * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS);
        if hour != 24 && self.hour() != hour {
            let below_hour = self.of_day() % HOUR_MS;
            self.set(self.day_number * DAY_MS + (hour + 1) * HOUR_MS + below_hour);
        }
    }

    fn go_to_day(&mut self, day: u8) {
        self.set((self.day_number + i64::from(day) - i64::from(self.date.day)) * DAY_MS);
    }

    /// Goes to the first of a month; month 13 is January of the next year.
    fn go_to_month(&mut self, year: i32, month: u8) {
        let (year, month) = if month > 12 {
            (year + 1, 1)
        } else {
            (year, month)
        };
        self.set(Date::new(year, month, 1).day_number() * DAY_MS);
    }

    fn fix_day(&mut self, fields: &Fields, start: i64) -> bool {
        let Date { year, month, day } = self.date;
        let length = days_in_month(year, month);
        let wanted = match &fields.days {
            Days::OfMonth(days) if days.only_plain() => next_bit(u64::from(days.plain), day.into())
                .map(|d| d as u8)
                .filter(|d| *d <= length),
            Days::OfMonth(days) => {
                if let Some(nearest) = self.nearest_day(days, length, start) {
                    return nearest;
                }
                numbered_day(days.plain, days.from_end, day, length)
            }
            Days::OfWeek(weekdays) => self.next_weekday(*weekdays, length),
            _ => next_bit(u64::from(fields.days_of(year, month)), day.into()).map(|d| d as u8),
        };
        match wanted {
            Some(wanted) if wanted == day => return true,
            Some(wanted) => self.go_to_day(wanted),
            None => self.go_to_month(year, month + 1),
        }
        false
    }

    /// `W`: the day moves, but the time of day stays, and Quartz does not look at it again. That is how
    /// times of day are lost, and how a fire can lie inside a gap. `None`: `W` does not decide.
    fn nearest_day(&mut self, days: &MonthDays, length: u8, start: i64) -> Option<bool> {
        let day = self.date.day;
        let named = numbered_day(days.nearest, days.nearest_from_end, day, length)?;
        // The weekday is read off the lenient calendar too, which in a skipped day shows the one after.
        let midnight = (self.day_number + i64::from(named) - i64::from(day)) * DAY_MS;
        let shown = self
            .zone
            .to_local(self.zone.lenient(Civil::from_millis(midnight)));
        let nearest = nearest_weekday(named, weekday(shown.day_number()), length);
        let local = self.local + (i64::from(nearest) - i64::from(day)) * DAY_MS;
        let t = self.zone.lenient(Civil::from_millis(local));
        let plain = numbered_day(days.plain, days.from_end, day, length);
        if t.as_millis() < start || plain.is_some_and(|plain| plain < nearest) {
            return None;
        }
        if nearest != day {
            self.set(local);
        }
        Some(true)
    }

    /// The next of some weekdays in this month.
    fn next_weekday(&self, weekdays: u8, length: u8) -> Option<u8> {
        let today = weekday(self.day_number);
        // Two weeks side by side, beginning with today.
        let days_ahead =
            ((u16::from(weekdays) | u16::from(weekdays) << 7) >> today).trailing_zeros() as u8;
        Some(self.date.day + days_ahead).filter(|day| *day <= length)
    }

    fn fix_month(&mut self, fields: &Fields) -> bool {
        let month = u32::from(self.date.month);
        let (year, next) = match next_bit(u64::from(fields.months), month) {
            Some(next) if next == month => return true,
            Some(next) => (self.date.year, next),
            None => (self.date.year + 1, fields.months.trailing_zeros()),
        };
        self.go_to_month(year, next as u8);
        false
    }
}

/// The smallest day from `day` on, of days by number and days counted from the end.
///
/// Quartz compares the two kinds as if each month had 31 days, so in shorter months a numbered day can win
/// over an earlier one that is counted from the end.
fn numbered_day(plain: u32, from_end: u32, day: u8, length: u8) -> Option<u8> {
    let by_number = next_bit(u64::from(plain), day.into())
        .map(|d| d as u8)
        .filter(|d| *d <= length);
    let left = u32::from(length - day);
    let reachable = u64::from(from_end) & ((2 << left) - 1);
    let offset = (reachable != 0).then(|| 63 - reachable.leading_zeros() as u8);
    match (by_number, offset) {
        (Some(numbered), Some(offset)) if numbered >= 31 - offset => Some(length - offset),
        (None, Some(offset)) => Some(length - offset),
        (numbered, _) => numbered,
    }
}
