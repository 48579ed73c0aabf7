//! Counts the instants of a daily window in a range: whole days by multiplication, days near an offset change and at
//! the ends of the range by their own sums.

use std::ops::{Range, RangeInclusive};

use super::{Window, quartz, standard};
use crate::civil::{DAY_MS, HOUR_MS};
use crate::trigger::{Trigger, TriggerState};
use crate::{Semantics, TimeOfDay, Timestamp};

/// Returns the number of instants in `[from, to)`, whatever the repeats.
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
    /// Returns an instant before which there is no other. Quartz fires up to 999 ms before the start, unless the start
    /// lies after its day's window.
    fn earliest(&self) -> Timestamp {
        let start = self.window.start;
        let bounds = quartz::bounds(self.window, self.day_of(start));
        match (self.semantics, bounds) {
            (Semantics::Quartz, Some((_, last))) if start <= last => start - 999,
            _ => start,
        }
    }

    /// Counts the instants in `[from, to)`. Where a clock is put back over midnight, two windows overlap, and the
    /// instants are counted one by one.
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

    /// Days at the ends of the range have sums of their own; those in between are alike, but for changes of
    /// offset within a window.
    fn count_days(&self, from: Timestamp, to: Timestamp) -> u64 {
        if from >= to {
            return 0;
        }
        let (first, last) = (self.day_of(from) - 1, self.day_of(to) + 1);
        let middle = first + 3..last - 2;
        if middle.is_empty() {
            return (first..=last).map(|day| self.count_on(day, from, to)).sum();
        }
        let ends = (first..middle.start).chain(middle.end..=last).map(|day| self.count_on(day, from, to)).sum::<u64>();
        let usual = self.days_between(middle.start, middle.end) * self.per_day();
        (ends + usual).saturating_add_signed(self.corrections(middle, from, to))
    }

    /// Returns the difference in instants of days near offset changes.
    fn corrections(&self, days: Range<i64>, from: Timestamp, to: Timestamp) -> i64 {
        let mut more = 0;
        let mut next_day = days.start;
        let mut window = self.window.zone.window(from);
        while window.to_ms < to.as_millis() {
            let change = window.to_ms;
            let after = self.window.zone.window(Timestamp::from_millis(change));
            let (before_ms, after_ms) = (change + window.offset_ms, change + after.offset_ms);
            let shown = before_ms.min(after_ms)..=before_ms.max(after_ms);
            let near = before_ms.div_euclid(DAY_MS) - 1..after_ms.div_euclid(DAY_MS) + 2;
            let near = near.start.max(next_day)..near.end.min(days.end);
            let touched = |day: i64| self.meets(day, &shown);
            let quartz = self.semantics == Semantics::Quartz && near.clone().any(touched);
            for day in near.clone().filter(|day| quartz || touched(*day)) {
                let usual = if self.window.fires_on(day) { self.per_day() } else { 0 };
                more += self.count_on(day, from, to).cast_signed() - usual.cast_signed();
            }
            next_day = next_day.max(near.end);
            window = after;
        }
        more
    }

    /// Returns whether a day's window meets local times that a change of offset skips or repeats.
    fn meets(&self, day: i64, local: &RangeInclusive<i64>) -> bool {
        let to = self.window.to.unwrap_or(TimeOfDay::LAST_SECOND);
        let at = |time: TimeOfDay| day * DAY_MS + time.as_millis();
        at(self.window.from) <= *local.end() && *local.start() <= at(to)
    }

    /// Returns the instants of one day's window that lie in `[from, to)`.
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

    /// Returns the instants of a day without an offset change.
    fn per_day(&self) -> u64 {
        let to = self.window.to.unwrap_or(TimeOfDay::LAST_SECOND);
        let length_ms = to.as_millis() - self.window.from.as_millis();
        u64::try_from(length_ms / self.window.step_ms + 1).unwrap_or(0)
    }

    /// Returns the days that fire in `[first, end)`.
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
