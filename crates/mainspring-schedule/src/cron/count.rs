//! Counts the fires of an expression in a range, by arithmetic over its fields.
//!
//! Within one offset of a zone the fires are the fitting local times. What differs at a change is
//! known for `standard`, and for the usual changes for `quartz`; around the unusual ones the fires
//! are walked through. So are those of Quartz's `W`, day by day, since they depend on where the
//! question starts.

use super::Cron;
use super::fields::{ALL_HOURS, ALL_SECONDS, Fields};
use super::search::previous_time;
use super::standard;
use crate::civil::{Civil, DAY_MS, Date, HOUR_MS, MINUTE_MS, SECOND_MS, days_in_month, is_leap_year, weekday};
use crate::{OffsetWindow, Timestamp, Zone};

impl Cron {
    /// Returns the number of fires in `[from, to)`.
    pub(crate) fn count_between(&self, zone: &Zone, from: Timestamp, to: Timestamp) -> u64 {
        if from >= to {
            return 0;
        }
        if self.follows_quartz() && !self.0.fields.days.are_a_set() {
            return self.walk(zone, from.as_millis(), to.as_millis());
        }
        let mut sum = Sum { cron: self, total: 0, stretch: None };
        let mut window = zone.window(from);
        let mut before = (window.from_ms > i64::MIN).then(|| zone.window(Timestamp::from_millis(window.from_ms - 1)));
        loop {
            let range = (from.as_millis().max(window.from_ms), to.as_millis().min(window.to_ms));
            if self.follows_quartz() {
                sum.add_as_quartz(zone, before, window, range);
            } else {
                sum.add_as_standard(before, window, range);
            }
            if window.to_ms >= to.as_millis() {
                return sum.total();
            }
            before = Some(window);
            window = zone.window(Timestamp::from_millis(window.to_ms));
        }
    }

    /// Returns the run of fires on one day that begins with `fire`: the last of them up to `limit`, and how many there
    /// are. For Quartz's `W`, which finds all later times of a day once it has found the second of two.
    pub(crate) fn run_on_day(&self, zone: &Zone, fire: Timestamp, limit: Timestamp) -> (Timestamp, u64) {
        let alone = (fire, 1);
        let (fields, window) = (&self.0.fields, zone.window(fire));
        let local = |t: Timestamp| t.as_millis() + window.offset_ms;
        let midnight = local(fire) - local(fire).rem_euclid(DAY_MS);
        let is_usual = |t: Timestamp| !near_change(window, t) && local(t) < midnight + DAY_MS;
        if !is_usual(fire) || !self.next_after(zone, fire).is_some_and(|next| next <= limit && is_usual(next)) {
            return alone;
        }
        let second_of_day = |t: Timestamp| (local(t).min(midnight + DAY_MS - SECOND_MS) - midnight) / SECOND_MS;
        let (first, last) = (second_of_day(fire), second_of_day(limit));
        let count =
            |from: i64, to: i64| times_before(fields, fields.hours, to) - times_before(fields, fields.hours, from);
        match previous_time(fields, fields.hours, last * SECOND_MS) {
            Some(of_day) if count(first, first + 1) == 1 => {
                (Timestamp::from_millis(midnight + of_day - window.offset_ms), count(first, last + 1))
            }
            _ => alone,
        }
    }

    /// Returns the last second of a run of fires, one in each second, that begins with the fire at `t`; or an earlier
    /// second of that run, where a change of offset is near.
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

    /// Returns the first second of a run of fires, one in each second, that ends with the fire at `t`; or a later
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

    /// Returns the unit of local time in which a fire in each second goes on; cautious near a change of offset.
    fn run_unit_ms(fields: &Fields, window: OffsetWindow, t: Timestamp) -> i64 {
        match (near_change(window, t), fields.minutes == ALL_SECONDS, fields.hours) {
            (false, true, ALL_HOURS) => DAY_MS,
            (false, true, _) => HOUR_MS,
            _ => MINUTE_MS,
        }
    }

    /// Returns the step in which Quartz looks for its final fire: the smallest distance between two members of the
    /// first field, from the seconds on, that has more than one, also over the turn of the minute, hour or day.
    pub(crate) fn quartz_step_ms(&self) -> i64 {
        let fields = &self.0.fields;
        let (seconds, minutes, hours) = (fields.seconds, fields.minutes, u64::from(fields.hours));
        let units = [(seconds, 60, SECOND_MS), (minutes, 60, MINUTE_MS), (hours, 24, HOUR_MS)];
        let field = units.into_iter().find(|(mask, ..)| mask.count_ones() != 1);
        field.map_or(DAY_MS, |(mask, size, unit_ms)| smallest_distance(mask, size) * unit_ms)
    }

    /// Returns whether fires depend on where the question starts.
    pub(crate) fn walks_only(&self) -> bool {
        self.follows_quartz() && self.0.fields.days.have_nearest()
    }

    /// Returns the days of a month on which it fires, where that does not depend on anything else; `None` for Quartz's
    /// `W` and its days from the end beside days by number.
    pub(crate) fn days_of(&self, year: i32, month: u8) -> Option<u32> {
        let fields = &self.0.fields;
        if self.follows_quartz() && !fields.days.are_a_set() {
            return None;
        }
        Some(if allows_month(fields, year, month) { fields.days_of(year, month) } else { 0 })
    }

    /// Returns the number of fires before a time of day, on a day that no change of offset disturbs.
    pub(crate) fn times_before(&self, of_day_ms: i64) -> u64 {
        let fields = &self.0.fields;
        times_before(fields, fields.hours, (of_day_ms + SECOND_MS - 1) / SECOND_MS)
    }

    fn walk(&self, zone: &Zone, from: i64, to: i64) -> u64 {
        let (mut count, mut t) = (0, Timestamp::from_millis(from - 1));
        let limit = Timestamp::from_millis(to - 1);
        while let Some(fire) = self.next_after(zone, t).filter(|fire| *fire <= limit) {
            let (last, fires) = self.run_on_day(zone, fire, limit);
            (count, t) = (count + fires, last);
        }
        count
    }

    /// Returns the number of fitting days in `[first, last)`.
    fn days_between(&self, first: i64, last: i64) -> u64 {
        if first >= last {
            return 0;
        }
        let fields = &self.0.fields;
        let new_year = |year: i32| Date::new(year, 1, 1).day_number();
        let (first_year, last_year) = (Date::from_day_number(first).year, Date::from_day_number(last - 1).year);
        if first_year == last_year {
            return days_of_year(fields, first, last);
        }
        let days = self.0.days_of_years.get_or_init(|| days_of_years(fields));
        let of_year = |year: &i32| u64::from(days[year_kind(*year)]);
        let whole = (first_year + 1..last_year).filter(|year| fields.years.contains(*year)).map(|year| of_year(&year));
        let ends =
            days_of_year(fields, first, new_year(first_year + 1)) + days_of_year(fields, new_year(last_year), last);
        ends + whole.sum::<u64>()
    }

    /// Returns the number of fitting local times in `[from, to)`.
    fn local_times(&self, hours: u32, from: i64, to: i64) -> u64 {
        if from >= to || hours == 0 {
            return 0;
        }
        // Fires are whole seconds.
        let second = |local: i64| (local + SECOND_MS - 1).div_euclid(SECOND_MS);
        let fields = &self.0.fields;
        let (from, to) = (second(from), second(to));
        let day = DAY_MS / SECOND_MS;
        let (first_day, last_day) = (from.div_euclid(day), to.div_euclid(day));
        let of_day = |seconds: i64| times_before(fields, hours, seconds.rem_euclid(day));
        let on = |times: u64, day: i64| if times > 0 && fires_on(fields, day) { times } else { 0 };
        if first_day == last_day {
            return on(of_day(to) - of_day(from), first_day);
        }
        let per_day = times_before(fields, hours, day);
        on(per_day - of_day(from), first_day)
            + per_day * self.days_between(first_day + 1, last_day)
            + on(of_day(to), last_day)
    }
}

/// A sum over stretches of local time. Those that meet are joined, so that a change of offset costs what it
/// skips or repeats, and the years in between are counted once.
struct Sum<'a> {
    cron: &'a Cron,
    /// Beyond the stretch; negative while that stands for too much.
    total: i64,
    /// The local times that are still to be counted.
    stretch: Option<(i64, i64)>,
}

impl Sum<'_> {
    fn add_stretch(&mut self, from: i64, to: i64) {
        if from >= to {
            return;
        }
        let hours = self.cron.0.fields.hours;
        let first = match self.stretch {
            None => from,
            Some((first, last)) => {
                self.total -= self.cron.local_times(hours, last, from).cast_signed();
                self.total += self.cron.local_times(hours, from, last).cast_signed();
                first
            }
        };
        self.stretch = Some((first, to));
    }

    fn total(&self) -> u64 {
        let hours = self.cron.0.fields.hours;
        // A clock that was put back may end before where it began.
        let (first, last) = self.stretch.unwrap_or_default();
        let stretch = self.cron.local_times(hours, first, last).cast_signed()
            - self.cron.local_times(hours, last, first).cast_signed();
        (self.total + stretch).max(0).cast_unsigned()
    }

    /// Adds the fires from `from` to before `to`, which lie in `window`.
    fn add_as_standard(&mut self, before: Option<OffsetWindow>, window: OffsetWindow, (from, to): (i64, i64)) {
        let fields = &self.cron.0.fields;
        let local = |t: i64| t + window.offset_ms;
        let repeated_ms = before.map_or(0, |before| (before.offset_ms - window.offset_ms).max(0));
        // Up to here the clock shows again what it has shown before.
        let split = window.from_ms.saturating_add(repeated_ms).clamp(from, to);
        self.total += self.cron.local_times(fields.stepped, local(from), local(split)).cast_signed();
        self.add_stretch(local(split), local(to));
        let makes_up = |before: OffsetWindow| standard::makes_up(fields, before, window) && !fits(fields, local(from));
        if from == window.from_ms && before.is_some_and(makes_up) {
            self.total += 1;
        }
    }

    /// Adds the fires of Quartz, which never fires in the first of two equal hours.
    fn add_as_quartz(&mut self, zone: &Zone, before: Option<OffsetWindow>, window: OffsetWindow, range: (i64, i64)) {
        let (from, to) = range;
        let (mut start, mut end) = range;
        if let Some(before) = before {
            let near_end = window.from_ms.saturating_add(2 * DAY_MS).min(to);
            if from < near_end && !usual(before, window) {
                self.total += self.cron.walk(zone, from, near_end).cast_signed();
                start = near_end;
            }
        }
        let near_start = window.to_ms.saturating_sub(2 * DAY_MS).max(start);
        if near_start < to && window.to_ms < i64::MAX {
            let after = zone.window(Timestamp::from_millis(window.to_ms));
            if usual(window, after) {
                end = end.min(window.to_ms - (window.offset_ms - after.offset_ms).max(0)).max(start);
            } else {
                self.total += self.cron.walk(zone, near_start, to).cast_signed();
                end = near_start;
            }
        }
        self.add_stretch(start + window.offset_ms, end + window.offset_ms);
    }
}

/// Returns whether a change of offset is so near that a day of local time may be odd.
fn near_change(window: OffsetWindow, t: Timestamp) -> bool {
    window.to_ms.saturating_sub(2 * DAY_MS) <= t.as_millis()
        || window.from_ms.saturating_add(2 * DAY_MS) > t.as_millis()
}

/// Returns whether a change is one after which Quartz's walk goes on regularly: half an hour or an hour, at a full hour
/// of the local clock that is not the last one of a day.
fn usual(before: OffsetWindow, after: OffsetWindow) -> bool {
    let change = (after.offset_ms - before.offset_ms).abs();
    let local = Civil::from_millis(after.from_ms + before.offset_ms.min(after.offset_ms));
    (change == HOUR_MS || change == HOUR_MS / 2)
        && local.as_millis().rem_euclid(HOUR_MS / 2) == 0
        && (1..=22).contains(&local.hour())
}

/// Returns the number of fitting times of day before a second of the day.
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

/// The number of fitting days of each kind of year, if the expression allows the year.
pub(super) type DaysOfYears = [u16; 14];

/// Returns whether it is a leap year, and its first weekday: all that the days of a year depend on.
fn year_kind(year: i32) -> usize {
    let first = usize::from(weekday(Date::new(year, 1, 1).day_number())) - 1;
    if is_leap_year(year) { 7 + first } else { first }
}

fn days_of_years(fields: &Fields) -> DaysOfYears {
    let mut all = DaysOfYears::default();
    // The years from 2000 to 2027 are of all kinds.
    for year in 2000..2028 {
        let days =
            |month| if fields.months >> month & 1 == 1 { fields.days_of(year, month).count_ones() as u16 } else { 0 };
        all[year_kind(year)] = (1..=12).map(days).sum();
    }
    all
}

/// Returns the number of fitting days in `[first, last)`, which lies in one year.
fn days_of_year(fields: &Fields, first: i64, last: i64) -> u64 {
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
    let date = Date::from_day_number(day);
    allows_month(fields, date.year, date.month) && fields.days_of(date.year, date.month) >> date.day & 1 == 1
}

fn fits(fields: &Fields, local: i64) -> bool {
    let second = local.rem_euclid(DAY_MS) / SECOND_MS;
    let times = |until: i64| times_before(fields, fields.hours, until);
    local % SECOND_MS == 0 && times(second + 1) > times(second) && fires_on(fields, local.div_euclid(DAY_MS))
}

fn allows_month(fields: &Fields, year: i32, month: u8) -> bool {
    fields.months >> month & 1 == 1 && fields.years.contains(year)
}

/// The smallest distance between two members of a set, also from the last one over the turn to the first one.
fn smallest_distance(mask: u64, size: u32) -> i64 {
    let twice = u128::from(mask) | u128::from(mask) << size;
    (1..size).find(|distance| u128::from(mask) & (twice >> distance) != 0).map_or(1, i64::from)
}
