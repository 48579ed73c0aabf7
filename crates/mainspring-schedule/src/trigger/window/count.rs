//! How many instants a daily window has in a range: whole days by multiplication, days near an
//! offset change and at the ends of the range by their own sums.

use super::{Window, quartz, standard};
use crate::civil::{DAY_MS, HOUR_MS};
use crate::trigger::{Trigger, TriggerState};
use crate::{Civil, Semantics, TimeOfDay, Timestamp};

/// The number of instants in `[from, to)`, whatever the repeats.
pub(in crate::trigger) fn count(trigger: &Trigger, state: &TriggerState, from: Timestamp, to: Timestamp) -> u64 {
    let Some(window) = Window::of(trigger, state.start_at) else {
        return 0;
    };
    let sums = Sums { window: &window, semantics: trigger.semantics };
    let from = from.max(sums.earliest());
    let end = window.end.map_or(to, |end| to.min(end + 1));
    sums.count(from, end) + u64::from(sums.fire_past_end().is_some_and(|t| from <= t && t < to))
}

/// Quartz's fire after the end, if there is one: only the fire before it leads there.
pub(in crate::trigger) fn fire_past_end(trigger: &Trigger, state: &TriggerState) -> Option<Timestamp> {
    let window = Window::of(trigger, state.start_at)?;
    Sums { window: &window, semantics: trigger.semantics }.fire_past_end()
}

struct Sums<'a> {
    window: &'a Window<'a>,
    semantics: Semantics,
}

impl Sums<'_> {
    /// No instant is earlier. Quartz fires up to 999 ms before the start, unless the start lies
    /// after its day's window.
    fn earliest(&self) -> Timestamp {
        let start = self.window.start;
        let bounds = quartz::bounds(self.window, self.day_of(start));
        match (self.semantics, bounds) {
            (Semantics::Quartz, Some((_, last))) if start <= last => start - 999,
            _ => start,
        }
    }

    /// Where a clock is put back over midnight, two windows overlap, and the instants are walked
    /// through.
    fn count(&self, from: Timestamp, to: Timestamp) -> u64 {
        let mut count = 0;
        let mut done = from;
        let mut window = self.window.zone.window(from - NEAR_MS);
        while window.to_ms < to.as_millis().saturating_add(NEAR_MS) {
            let change = Timestamp::from_millis(window.to_ms);
            let day_before = self.day_of(change - 1);
            if self.day_of(change) < day_before {
                let walk_from = (change - NEAR_MS).max(done).min(to);
                let walk_to = (change + NEAR_MS).min(to).max(walk_from);
                count += self.count_days(done, walk_from) + self.walk(walk_from, walk_to);
                done = walk_to;
            }
            window = self.window.zone.window(change);
        }
        count + self.count_days(done, to)
    }

    fn walk(&self, from: Timestamp, to: Timestamp) -> u64 {
        let after = |t: Timestamp| match self.semantics {
            Semantics::Standard => standard::after(self.window, t),
            Semantics::Quartz => quartz::after(self.window, t),
        };
        let fires = std::iter::successors(after(from - 1), |fire| after(*fire));
        fires.take_while(|fire| *fire < to).count() as u64
    }

    fn count_days(&self, from: Timestamp, to: Timestamp) -> u64 {
        if from >= to {
            return 0;
        }
        let (first, last) = (self.day_of(from) - 1, self.day_of(to) + 1);
        let mut count = 0;
        let mut day = first;
        while day <= last {
            let regular_end = self.regular_until(day).min(last - 2);
            if day > first + 2 && regular_end > day {
                count += self.days_between(day, regular_end) * self.per_day();
                day = regular_end;
            } else {
                count += self.count_on(day, from, to);
                day += 1;
            }
        }
        count
    }

    /// The instants of one day's window that lie in `[from, to)`.
    fn count_on(&self, day: i64, from: Timestamp, to: Timestamp) -> u64 {
        let bounds = match self.semantics {
            Semantics::Standard => standard::bounds(self.window, day),
            Semantics::Quartz => quartz::bounds(self.window, day),
        };
        let Some((first, last)) = bounds else {
            return 0;
        };
        let step_ms = self.window.step_ms;
        let before = |t: Timestamp| match t.min(last + 1).since(first) {
            ..=0 => 0,
            elapsed => (elapsed + step_ms - 1) / step_ms,
        };
        u64::try_from(before(to) - before(from)).unwrap_or(0)
    }

    /// The first day from `day` on that lies near an offset change.
    fn regular_until(&self, day: i64) -> i64 {
        let noon = self.window.zone.lenient(Civil::from_millis(day * DAY_MS + 12 * HOUR_MS));
        let window = self.window.zone.window(noon);
        let day_of = |t: i64| t.saturating_add(window.offset_ms).div_euclid(DAY_MS);
        if day < day_of(window.from_ms) + 2 { day } else { day_of(window.to_ms) - 1 }
    }

    /// The instants of a day without an offset change.
    fn per_day(&self) -> u64 {
        let to = self.window.to.unwrap_or(TimeOfDay::LAST_SECOND);
        let length_ms = to.as_millis() - self.window.from.as_millis();
        u64::try_from(length_ms / self.window.step_ms + 1).unwrap_or(0)
    }

    /// The days that fire in `[first, end)`.
    fn days_between(&self, first: i64, end: i64) -> u64 {
        let weeks = (end - first) / 7;
        let rest = (first + 7 * weeks..end).filter(|day| self.window.fires_on(*day)).count();
        weeks.unsigned_abs() * u64::from(self.window.days.count()) + rest as u64
    }

    /// Quartz looks at the end only when it moves to another day, so one more fire of the end's
    /// day may come after it.
    fn fire_past_end(&self) -> Option<Timestamp> {
        let end = self.window.end.filter(|_| self.semantics == Semantics::Quartz)?;
        let (first, last) = quartz::bounds(self.window, self.day_of(end))?;
        if end < first {
            return None;
        }
        let before = first + end.since(first) / self.window.step_ms * self.window.step_ms;
        let fire = before + self.window.step_ms;
        let asked_in_time = before + 1_000 <= end || before < self.window.start - 999;
        (fire <= last && asked_in_time).then_some(fire)
    }

    fn day_of(&self, t: Timestamp) -> i64 {
        self.window.zone.to_local(t).day_number()
    }
}

const NEAR_MS: i64 = 36 * HOUR_MS;
