//! Next fire as Quartz 2.5.2 computes it, to the bit.
//!
//! Quartz walks a lenient Java calendar: it looks at second, minute, hour, day, month and year in turn,
//! moves the first one that does not fit to its next value, resets what is smaller, and starts again.
//! Each move *sets* the local time, so a time in a gap slides forward by the length of the gap, and the
//! walk goes on from there: that is how fires in gaps are lost. This file walks the same steps on local
//! time and asks the zone only near its offset changes. A fire that no gap precedes closely needs no walk.

mod previous;

pub(super) use previous::previous_between;

use super::fields::{Days, FIRST_YEAR, Fields, LAST_YEAR, MonthDays, nearest_weekday, next_bit};
use super::search::next_local;
use crate::civil::{Civil, DAY_MS, Date, HOUR_MS, MINUTE_MS, SECOND_MS, days_in_month, weekday};
use crate::steps::step;
use crate::{OffsetWindow, Resolved, Timestamp, Zone};

/// Returns the first fire after `t`, or `None` if there is none up to the last year.
pub(crate) fn next_after(fields: &Fields, zone: &Zone, t: Timestamp) -> Option<Timestamp> {
    let start = (t.as_millis() + SECOND_MS).div_euclid(SECOND_MS) * SECOND_MS;
    if fields.days.are_a_set() {
        let local = zone.to_local(Timestamp::from_millis(start)).as_millis();
        let next = next_local(fields, fields.hours, local)?;
        if let Some(fire) = far_from_gaps(zone, next) {
            return Some(fire);
        }
    }
    walk(fields, zone, start)
}

/// Returns the instant of a local time, if the clock shows it once and no gap lies so shortly before it that Quartz's
/// walk may have been led astray there: by the gap's length and at most a day more.
fn far_from_gaps(zone: &Zone, local: i64) -> Option<Timestamp> {
    const FAR_MS: i64 = 3 * DAY_MS;
    let Resolved::Once(t) = zone.resolve(Civil::from_millis(local)) else {
        return None;
    };
    let window = zone.window(t);
    if window.from_ms.saturating_add(FAR_MS) <= t.as_millis() {
        return Some(t);
    }
    let before = zone.window(Timestamp::from_millis(window.from_ms - 1));
    let gap = before.offset_ms < window.offset_ms;
    (!gap && before.from_ms.saturating_add(FAR_MS) <= window.from_ms).then_some(t)
}

/// The most moves of a walk: some per month, up to the last year. A text that never fires takes about a
/// third of them.
const MAX_MOVES: u32 = 12 * 12 * (LAST_YEAR - FIRST_YEAR + 1).cast_unsigned();

fn walk(fields: &Fields, zone: &Zone, start: i64) -> Option<Timestamp> {
    let mut walk = Walk::start(zone, Timestamp::from_millis(start));
    for _ in 0..MAX_MOVES {
        step();
        if walk.date.year > LAST_YEAR {
            break;
        }
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

/// Returns whether Quartz calls the schedule satisfied at `t`, whose milliseconds do not count.
pub(crate) fn matches(fields: &Fields, zone: &Zone, t: Timestamp) -> bool {
    let second = Timestamp::from_millis(t.as_millis().div_euclid(SECOND_MS) * SECOND_MS);
    // Setting the milliseconds moves an instant in the first of two equal hours to the second.
    let settled = zone.lenient(zone.to_local(second));
    next_after(fields, zone, settled - SECOND_MS) == Some(settled)
}

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

    /// Local times that only this window shows are safe.
    fn adopt(&mut self, window: OffsetWindow) {
        let OffsetWindow { from_ms, to_ms, offset_ms } = window;
        self.offset = offset_ms;
        self.safe_from = match from_ms {
            i64::MIN => i64::MIN,
            _ => from_ms + offset_ms.max(self.zone.offset_ms(Timestamp::from_millis(from_ms - 1))),
        };
        self.safe_to = match to_ms {
            i64::MAX => i64::MAX,
            _ => to_ms + offset_ms.min(self.zone.offset_ms(Timestamp::from_millis(to_ms))),
        };
    }

    /// Sets the local time, leniently.
    fn set(&mut self, local: i64) {
        self.local = if self.is_safe(local) { local } else { self.settle(local) };
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
        self.instant_of(self.local)
    }

    /// Returns the instant of another local time, set leniently.
    fn instant_of(&self, local: i64) -> Timestamp {
        if self.is_safe(local) {
            Timestamp::from_millis(local - self.offset)
        } else {
            self.zone.lenient(Civil::from_millis(local))
        }
    }

    /// Returns the weekday that the calendar shows when it is set to midnight of a day, which is that of the day after
    /// where the day is skipped.
    fn weekday_of(&self, day_number: i64) -> u8 {
        let midnight = day_number * DAY_MS;
        if self.is_safe(midnight) {
            return weekday(day_number);
        }
        let shown = self.zone.to_local(self.zone.lenient(Civil::from_millis(midnight)));
        weekday(shown.day_number())
    }

    const fn is_safe(&self, local: i64) -> bool {
        self.safe_from <= local && local < self.safe_to
    }

    fn of_day(&self) -> i64 {
        self.local - self.day_number * DAY_MS
    }

    fn hour(&self) -> i64 {
        self.of_day() / HOUR_MS
    }

    /// Moves to the next second of the field, and moves the minute with it. Returns whether it moved; Quartz does not
    /// start again for that.
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
        let (year, month) = if month > 12 { (year + 1, 1) } else { (year, month) };
        self.set(Date::new(year, month, 1).day_number() * DAY_MS);
    }

    fn fix_day(&mut self, fields: &Fields, start: i64) -> bool {
        let Date { year, month, day } = self.date;
        let length = days_in_month(year, month);
        let wanted = match &fields.days {
            Days::OfMonth(days) if days.only_plain() => {
                next_bit(u64::from(days.plain), day.into()).map(|d| d as u8).filter(|d| *d <= length)
            }
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
        let weekday = self.weekday_of(self.day_number + i64::from(named) - i64::from(day));
        let nearest = nearest_weekday(named, weekday, length);
        let local = self.local + (i64::from(nearest) - i64::from(day)) * DAY_MS;
        let t = self.instant_of(local);
        let plain = numbered_day(days.plain, days.from_end, day, length);
        if t.as_millis() < start || plain.is_some_and(|plain| plain < nearest) {
            return None;
        }
        if nearest != day {
            self.set(local);
        }
        Some(true)
    }

    /// Returns the next of some weekdays in this month.
    fn next_weekday(&self, weekdays: u8, length: u8) -> Option<u8> {
        let today = weekday(self.day_number);
        // Two weeks side by side, beginning with today.
        let days_ahead = ((u16::from(weekdays) | u16::from(weekdays) << 7) >> today).trailing_zeros() as u8;
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

/// Returns the smallest day from `day` on, of days by number and days counted from the end.
///
/// Quartz compares the two kinds as if each month had 31 days, so in shorter months a numbered day can win
/// over an earlier one that is counted from the end.
fn numbered_day(plain: u32, from_end: u32, day: u8, length: u8) -> Option<u8> {
    let by_number = next_bit(u64::from(plain), day.into()).map(|d| d as u8).filter(|d| *d <= length);
    let left = u32::from(length - day);
    let reachable = u64::from(from_end) & ((2 << left) - 1);
    let offset = (reachable != 0).then(|| 63 - reachable.leading_zeros() as u8);
    match (by_number, offset) {
        (Some(numbered), Some(offset)) if numbered >= 31 - offset => Some(length - offset),
        (None, Some(offset)) => Some(length - offset),
        (numbered, _) => numbered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cron::quartz_text;

    #[test]
    fn the_short_cut_answers_as_the_walk_does() {
        let zones = ["UTC", "America/New_York", "Pacific/Apia", "Antarctica/Troll", "Asia/Beirut", "Africa/Casablanca"];
        let zones = zones.map(|name| Zone::parse(name).unwrap());
        let cases = include_str!("../../tests/vectors/quartz/cron.jsonl").lines();
        let mut seed = 1_i64;
        for line in cases {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let Ok(fields) = quartz_text::parse(case["expr"].as_str().unwrap()) else {
                continue;
            };
            for zone in &zones {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Half of the instants lie within three days of an offset change.
                let any = (seed >> 8).rem_euclid(68 * 365 * DAY_MS);
                let near = zone.next_change(Timestamp::from_millis(any)).filter(|_| seed & 1 << 40 == 0);
                let t = near.map_or(any, |change| change.as_millis() - any % (3 * DAY_MS));
                let start = t.div_euclid(SECOND_MS) * SECOND_MS + SECOND_MS;
                let walked = walk(&fields, zone, start);
                assert_eq!(next_after(&fields, zone, Timestamp::from_millis(t)), walked, "{line} in {zone} at {t}");
            }
        }
    }
}
