//! How often an expression fires in a range, by sums over its fields instead of a walk.
//!
//! Within one offset of a zone the fires are the fitting local times. What differs at a change is
//! known for `standard`, and for the usual changes for `quartz`; around the unusual ones, and for
//! Quartz's `W`, whose fires depend on where the question starts, the fires are walked through.

use super::Cron;
use super::fields::{ALL_HOURS, ALL_SECONDS, Fields};
use super::standard;
use crate::civil::{Civil, DAY_MS, Date, HOUR_MS, MINUTE_MS, SECOND_MS, days_in_month};
use crate::{OffsetWindow, Timestamp, Zone};

impl Cron {
    /// The number of fires in `[from, to)`.
    pub(crate) fn count_between(&self, zone: &Zone, from: Timestamp, to: Timestamp) -> u64 {
        if from >= to {
            return 0;
        }
        if self.walks_only() {
            return self.walk(zone, from.as_millis(), to.as_millis());
        }
        let mut count = 0;
        let mut window = zone.window(from);
        let mut t = from.as_millis();
        loop {
            let end = window.to_ms.min(to.as_millis());
            if t < end {
                count += self.count_in_window(zone, window, t, end);
            }
            if window.to_ms >= to.as_millis() {
                return count;
            }
            t = t.max(window.to_ms);
            window = zone.window(Timestamp::from_millis(window.to_ms));
        }
    }

    /// The last second of a run of fires, one in each second, that begins with the fire at `t`; or
    /// an earlier second of that run, where a change of offset is near.
    pub(crate) fn run_end(&self, zone: &Zone, t: Timestamp) -> Timestamp {
        let fields = &self.0.fields;
        if fields.seconds != ALL_SECONDS || self.walks_only() {
            return t;
        }
        let window = zone.window(t);
        let local = t.as_millis() + window.offset_ms;
        let unit_ms = Self::run_unit_ms(fields, window, t);
        let end = t + (unit_ms - SECOND_MS - local.rem_euclid(unit_ms) / SECOND_MS * SECOND_MS);
        let first_repeated = window.to_ms.saturating_sub(HOUR_MS);
        if end.as_millis() < first_repeated { end } else { t }
    }

    /// The first second of a run of fires, one in each second, that ends with the fire at `t`; or a later
    /// second of that run.
    pub(crate) fn run_start(&self, zone: &Zone, t: Timestamp) -> Timestamp {
        let fields = &self.0.fields;
        if fields.seconds != ALL_SECONDS || self.walks_only() {
            return t;
        }
        let window = zone.window(t);
        let unit_ms = Self::run_unit_ms(fields, window, t);
        let start = t - (t.as_millis() + window.offset_ms).rem_euclid(unit_ms);
        if start.as_millis() >= window.from_ms { start } else { t }
    }

    /// The unit of local time in which a fire in each second goes on; cautious near a change of offset.
    fn run_unit_ms(fields: &Fields, window: OffsetWindow, t: Timestamp) -> i64 {
        let near_change = window.to_ms.saturating_sub(2 * DAY_MS) <= t.as_millis()
            || window.from_ms.saturating_add(2 * DAY_MS) > t.as_millis();
        match (near_change, fields.minutes == ALL_SECONDS, fields.hours) {
            (false, true, ALL_HOURS) => DAY_MS,
            (false, true, _) => HOUR_MS,
            _ => MINUTE_MS,
        }
    }

    /// The step in which Quartz looks for its final fire: the smallest distance between two members
    /// of the first field, from the seconds on, that has more than one.
    pub(crate) fn quartz_step_ms(&self) -> i64 {
        let fields = &self.0.fields;
        let units = [(fields.seconds, SECOND_MS), (fields.minutes, MINUTE_MS), (u64::from(fields.hours), HOUR_MS)];
        let field = units.into_iter().find(|(mask, _)| mask.count_ones() != 1);
        field.map_or(DAY_MS, |(mask, unit_ms)| smallest_distance(mask) * unit_ms)
    }

    /// Whether fires depend on where the question starts.
    pub(crate) fn walks_only(&self) -> bool {
        self.follows_quartz() && self.0.fields.days.have_nearest()
    }

    fn walk(&self, zone: &Zone, from: i64, to: i64) -> u64 {
        let fires = std::iter::successors(self.next_after(zone, Timestamp::from_millis(from - 1)), |fire| {
            self.next_after(zone, *fire)
        });
        fires.take_while(|fire| fire.as_millis() < to).count() as u64
    }

    /// The fires in `[from, to)`, which lies in a stretch of constant offset.
    fn count_in_window(&self, zone: &Zone, window: OffsetWindow, from: i64, to: i64) -> u64 {
        if self.follows_quartz() {
            return self.count_as_quartz(zone, window, from, to);
        }
        let fields = &self.0.fields;
        let local = |t: i64| t + window.offset_ms;
        if window.from_ms == i64::MIN {
            return local_times(fields, fields.hours, local(from), local(to));
        }
        let before = zone.window(Timestamp::from_millis(window.from_ms - 1));
        // Up to here the clock shows again what it has shown before.
        let repeated_end = window.from_ms + (before.offset_ms - window.offset_ms).max(0);
        let split = repeated_end.clamp(from, to);
        let again = local_times(fields, fields.stepped, local(from), local(split));
        let regular = local_times(fields, fields.hours, local(split), local(to));
        let makes_up = from == window.from_ms
            && standard::makes_up(fields, before, window)
            && local_times(fields, fields.hours, local(from), local(from) + 1) == 0;
        again + regular + u64::from(makes_up)
    }

    /// Quartz never fires in the first of two equal hours.
    fn count_as_quartz(&self, zone: &Zone, window: OffsetWindow, from: i64, to: i64) -> u64 {
        let fields = &self.0.fields;
        let regular =
            |from: i64, to: i64| local_times(fields, fields.hours, from + window.offset_ms, to + window.offset_ms);
        let (mut start, mut end) = (from, to);
        let mut walked = 0;
        if window.from_ms > i64::MIN {
            let before = zone.window(Timestamp::from_millis(window.from_ms - 1));
            let near_end = window.from_ms.saturating_add(2 * DAY_MS).min(to);
            if !usual(before, window) && from < near_end {
                walked += self.walk(zone, from, near_end);
                start = near_end;
            }
        }
        if window.to_ms < i64::MAX {
            let after = zone.window(Timestamp::from_millis(window.to_ms));
            let near_start = window.to_ms.saturating_sub(2 * DAY_MS).max(start);
            if usual(window, after) {
                end = end.min(window.to_ms - (window.offset_ms - after.offset_ms).max(0)).max(start);
            } else if near_start < to {
                walked += self.walk(zone, near_start, to);
                end = near_start;
            }
        }
        walked + regular(start, end)
    }
}

/// Whether a change is one after which Quartz's walk goes on regularly: half an hour or an hour, at
/// a full hour of the local clock that is not the last one of a day.
fn usual(before: OffsetWindow, after: OffsetWindow) -> bool {
    let change = (after.offset_ms - before.offset_ms).abs();
    let local = Civil::from_millis(after.from_ms + before.offset_ms.min(after.offset_ms));
    (change == HOUR_MS || change == HOUR_MS / 2)
        && local.as_millis().rem_euclid(HOUR_MS / 2) == 0
        && (1..=22).contains(&local.hour())
}

/// The number of fitting local times in `[from, to)`.
fn local_times(fields: &Fields, hours: u32, from: i64, to: i64) -> u64 {
    if from >= to || hours == 0 {
        return 0;
    }
    // Fires are whole seconds.
    let second = |local: i64| (local + SECOND_MS - 1).div_euclid(SECOND_MS);
    let (from, to) = (second(from), second(to));
    let day = DAY_MS / SECOND_MS;
    let (first_day, last_day) = (from.div_euclid(day), to.div_euclid(day));
    let of_day = |seconds: i64| times_before(fields, hours, seconds.rem_euclid(day));
    let whole = times_before(fields, hours, day) * days_between(fields, first_day, last_day);
    let on = |day: i64| u64::from(fires_on(fields, day));
    whole + on(last_day) * of_day(to) - on(first_day) * of_day(from)
}

/// The number of fitting times of day before a second of the day.
fn times_before(fields: &Fields, hours: u32, second_of_day: i64) -> u64 {
    let below = |mask: u64, n: i64| u64::from((mask & ((1 << n) - 1)).count_ones());
    let member = |mask: u64, n: i64| mask >> n & 1;
    let hours = u64::from(hours);
    let (hour, minute, second) = (second_of_day / 3_600, second_of_day / 60 % 60, second_of_day % 60);
    let per_minute = u64::from(fields.seconds.count_ones());
    let in_minute = member(fields.minutes, minute) * below(fields.seconds, second);
    let in_hour = below(fields.minutes, minute) * per_minute + in_minute;
    let per_hour = u64::from(fields.minutes.count_ones()) * per_minute;
    below(hours, hour) * per_hour + member(hours, hour) * in_hour
}

/// The number of fitting days in `[first, last)`.
fn days_between(fields: &Fields, first: i64, last: i64) -> u64 {
    if first >= last {
        return 0;
    }
    let start = Date::from_day_number(first);
    let mut month = Some((start.year, start.month));
    if !allows_month(fields, start.year, start.month) {
        month = fields.month_after(start.year, start.month);
    }
    let mut count = 0;
    while let Some((year, number)) = month {
        let day_zero = Date::new(year, number, 1).day_number() - 1;
        if day_zero + 1 >= last {
            break;
        }
        let mut days = u64::from(fields.days_of(year, number));
        if first > day_zero {
            days &= u64::MAX << (first - day_zero);
        }
        if last - day_zero <= i64::from(days_in_month(year, number)) {
            days &= (1 << (last - day_zero)) - 1;
        }
        count += u64::from(days.count_ones());
        month = fields.month_after(year, number);
    }
    count
}

fn fires_on(fields: &Fields, day: i64) -> bool {
    days_between(fields, day, day + 1) == 1
}

fn allows_month(fields: &Fields, year: i32, month: u8) -> bool {
    fields.months >> month & 1 == 1 && fields.years.contains(year)
}

fn smallest_distance(mask: u64) -> i64 {
    (1..64_u32).find(|distance| mask & (mask >> distance) != 0).map_or(1, i64::from)
}
