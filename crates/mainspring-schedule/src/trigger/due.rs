//! Decides what is due at an instant: the fires, the missed fire times, and the state after them.

use super::{Schedule, Trigger, TriggerState, interval};
use crate::{MisfirePolicy, Timestamp};

/// The answer of [`Trigger::due`].
///
/// Every instant of the schedule from the old `next_fire_at` to now is in it exactly once: as the
/// fire time of a fire, or in a range of missed instants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The fires, in order.
    pub fires: Vec<Fire>,
    /// The fire times that do not fire, in order; at most two ranges.
    pub missed: Vec<Missed>,
    /// The state after it; its `next_fire_at` lies after now or is `None`.
    pub state: TriggerState,
}

/// One fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fire {
    /// The instant of the schedule: of several that it stands for, the first.
    pub fire_time: Timestamp,
    /// 1, or the number of instants that it stands for, its own included. The others are in
    /// [`Due::missed`] as well, so they are not to be added up.
    pub stands_for: u64,
}

/// A range of instants that do not fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missed {
    /// The first of them.
    pub first: Timestamp,
    /// The last of them.
    pub last: Timestamp,
    /// The number of fire times.
    pub count: u64,
    /// The reason.
    pub reason: MissedReason,
    /// The policy that allowed it; never `smart`, but what it chose.
    pub policy: MisfirePolicy,
}

/// The reason why fire times do not fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum MissedReason {
    /// They passed the threshold, and the policy drops them or fires once for all of them.
    Misfire,
    /// More were late than may be caught up with.
    CatchUpCap,
}

impl MissedReason {
    /// Returns the name in files and in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Misfire => "misfire",
            Self::CatchUpCap => "catch_up_cap",
        }
    }
}

impl std::fmt::Display for MissedReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Trigger {
    /// Returns what is due at `now`: the only question that an engine asks.
    ///
    /// - Nothing, when `next_fire_at` lies after `now` or there is none.
    /// - Late by at most `threshold_ms` (on time included): all instants up to `now` fire, one by
    ///   one. So do those of a trigger with the policy `ignore`, however late. At most
    ///   `catch_up_max` of them; the rest is one missed range.
    /// - Later than that, the misfire policy decides. A policy that fires now makes one fire, which
    ///   takes the first missed instant as its fire time; the other instants are one missed range.
    ///   A policy that waits makes all of them one missed range.
    ///
    /// Cost does not grow with the number of missed instants, beyond `catch_up_max`.
    ///
    /// ```
    /// use mainspring_schedule::{Schedule, Timestamp, Trigger, Zone};
    /// let start: Timestamp = "2026-01-01T00:00:00Z".parse()?;
    /// let each_second = Schedule::Every { interval_ms: 1_000, repeat_count: None };
    /// let trigger = Trigger::new(each_second, Zone::utc(), start);
    /// let state = trigger.first_fire();
    ///
    /// // Three seconds late, and a minute is allowed: four instants fire at once.
    /// assert_eq!(trigger.due(&state, start + 3_000, 60_000, 100).fires.len(), 4);
    ///
    /// // A year late: `smart` waits for the next instant.
    /// let now = start + 365 * 86_400_000;
    /// let due = trigger.due(&state, now, 60_000, 100);
    /// assert!(due.fires.is_empty());
    /// assert_eq!(due.missed[0].count, 365 * 86_400 + 1);
    /// assert_eq!(due.state.next_fire_at, Some(now + 1_000));
    /// # Ok::<(), mainspring_schedule::ParseTimestampError>(())
    /// ```
    #[must_use]
    pub fn due(&self, state: &TriggerState, now: Timestamp, threshold_ms: i64, catch_up_max: u32) -> Due {
        let mut due = Due { fires: Vec::new(), missed: Vec::new(), state: *state };
        let Some(next) = state.next_fire_at.filter(|next| *next <= now) else {
            return due;
        };
        let policy = self.effective_misfire(state);
        if policy == MisfirePolicy::Ignore || now.since(next) <= threshold_ms {
            self.catch_up(&mut due, now, catch_up_max, policy);
        } else {
            self.decide_misfire(&mut due, next, now, policy);
        }
        due
    }

    /// Fires what is late one by one; what exceeds the cap is one range.
    fn catch_up(&self, due: &mut Due, now: Timestamp, catch_up_max: u32, policy: MisfirePolicy) {
        let late = |state: &TriggerState| state.next_fire_at.filter(|next| *next <= now);
        while let Some(fire_time) = late(&due.state) {
            if due.fires.len() >= catch_up_max as usize {
                break;
            }
            due.fires.push(Fire { fire_time, stands_for: 1 });
            self.triggered(&mut due.state);
        }
        let Some(first) = late(&due.state) else {
            return;
        };
        let (count, last) = self.instants_until(&due.state, first, now);
        let reason = MissedReason::CatchUpCap;
        due.missed.push(Missed { first, last, count, reason, policy });
        // What was dropped uses up repeats like what fired.
        let used = u32::try_from(count).unwrap_or(u32::MAX);
        due.state.times_triggered = due.state.times_triggered.saturating_add(used);
        due.state.next_fire_at = match self.schedule {
            Schedule::Delay { .. } => None,
            _ => self.next_after(&due.state, now),
        };
    }

    fn decide_misfire(&self, due: &mut Due, first: Timestamp, now: Timestamp, policy: MisfirePolicy) {
        let (count, last) = self.instants_until(&due.state, first, now);
        let reason = MissedReason::Misfire;
        let state = self.misfire(&due.state, now);
        if state.next_fire_at != Some(now) {
            due.missed.push(Missed { first, last, count, reason, policy });
            due.state = state;
            return;
        }
        due.fires.push(Fire { fire_time: first, stands_for: count });
        if count > 1 {
            let second = self.next_after(&due.state, first).unwrap_or(last);
            due.missed.push(Missed { first: second, last, count: count - 1, reason, policy });
        }
        due.state = state;
        self.triggered(&mut due.state);
    }

    /// Returns the number of instants from `first`, which is one, to `now`, and the last of them.
    fn instants_until(&self, state: &TriggerState, first: Timestamp, now: Timestamp) -> (u64, Timestamp) {
        if matches!(self.schedule, Schedule::Delay { .. } | Schedule::At) {
            return (1, first);
        }
        if self.is_path(state, now) {
            return self.path_until(state, first, now);
        }
        let later = self.count_between(state, first + 1, now + 1);
        let window = matches!(self.schedule, Schedule::DailyWindow { .. });
        let left = match state.repeat_count {
            Some(repeats) if window => u64::from(repeats.saturating_sub(state.times_triggered)),
            _ => u64::MAX,
        };
        if later == 0 || left == 0 {
            return (1, first);
        }
        let last = if later > left {
            self.nth_after(state, first, left, now + 1).unwrap_or(first)
        } else {
            self.last_before(state, now + 1).unwrap_or(first)
        };
        (later.min(left) + 1, last)
    }
}

impl Trigger {
    /// Counts as [`Trigger::instants_until`] does, where only the way from one fire to the next is right.
    fn path_until(&self, state: &TriggerState, first: Timestamp, now: Timestamp) -> (u64, Timestamp) {
        let (mut count, mut last) = (1, first);
        if matches!(self.schedule, Schedule::CalendarInterval { .. }) {
            interval::each_until(self, state, first, now, |fire| {
                if self.calendar.as_deref().is_none_or(|it| it.is_included(fire, self.semantics, &self.zone)) {
                    (count, last) = (count + 1, fire);
                }
            });
            return (count, last);
        }
        let limit = self.end_at.map_or(now, |end| now.min(end));
        let mut exclusions = self.calendar.as_deref().map(|it| it.exclusions(self.semantics, &self.zone));
        while let Some(fire) = self.next_after(state, last).filter(|fire| *fire <= now) {
            let excluded = exclusions.as_mut().and_then(|it| it.first_from(fire));
            let limit = excluded.map_or(limit, |excluded| limit.min(excluded - 1));
            let (run_last, fires) = match &self.schedule {
                Schedule::Cron(cron) => cron.run_on_day(&self.zone, fire, limit),
                _ => (fire, 1),
            };
            (count, last) = (count + fires, run_last);
        }
        (count, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cron, Semantics, Zone};

    const MINUTE_MS: i64 = 60_000;
    const THRESHOLD_MS: i64 = 60_000;
    const START: Timestamp = Timestamp::from_millis(1_767_225_600_000);

    fn every_minute(repeat_count: Option<u32>, misfire: MisfirePolicy) -> Trigger {
        let schedule = Schedule::Every { interval_ms: MINUTE_MS, repeat_count };
        Trigger { misfire, ..Trigger::new(schedule, Zone::utc(), START) }
    }

    fn cron(expression: &str, misfire: MisfirePolicy) -> Trigger {
        let cron = Cron::parse_auto(expression, Semantics::Standard).unwrap();
        let schedule = Schedule::Cron(std::sync::Arc::new(cron));
        Trigger { misfire, ..Trigger::new(schedule, Zone::utc(), START) }
    }

    /// Fires, missed instants and the next fire, in seconds from the start.
    #[expect(clippy::type_complexity, reason = "read once, next to its doc")]
    fn summary(due: &Due) -> (Vec<i64>, Vec<(i64, i64, u64)>, Option<i64>) {
        let offset = |t: Timestamp| t.since(START) / 1_000;
        let missed = due.missed.iter().map(|m| (offset(m.first), offset(m.last), m.count));
        (
            due.fires.iter().map(|fire| offset(fire.fire_time)).collect(),
            missed.collect(),
            due.state.next_fire_at.map(offset),
        )
    }

    #[test]
    fn each_policy_of_every_does_what_quartz_documents() {
        use MisfirePolicy as P;
        // (policy, repeats, seconds late): fires, missed, next; in seconds from the start.
        let table: [(P, Option<u32>, _); 12] = [
            (P::Smart, None, (vec![], vec![(0, 300, 6)], Some(360))),
            (P::Smart, Some(0), (vec![0], vec![], None)),
            (P::Smart, Some(9), (vec![0], vec![(60, 300, 5)], Some(390))),
            (P::Ignore, None, (vec![0, 60, 120], vec![(180, 300, 3)], Some(360))),
            (P::FireNow, Some(0), (vec![0], vec![], None)),
            (P::FireNow, Some(9), (vec![0], vec![(60, 300, 5)], Some(390))),
            (P::NowWithExistingCount, Some(2), (vec![0], vec![(60, 120, 2)], Some(390))),
            (P::NowWithRemainingCount, Some(2), (vec![0], vec![(60, 120, 2)], None)),
            (P::NowWithRemainingCount, None, (vec![0], vec![(60, 300, 5)], Some(390))),
            (P::NextWithRemainingCount, Some(9), (vec![], vec![(0, 300, 6)], Some(360))),
            (P::NextWithExistingCount, Some(9), (vec![], vec![(0, 300, 6)], Some(360))),
            (P::NextWithExistingCount, Some(2), (vec![], vec![(0, 120, 3)], None)),
        ];
        for (policy, repeats, expected) in table {
            let trigger = every_minute(repeats, policy);
            let due = trigger.due(&trigger.first_fire(), START + 330_000, THRESHOLD_MS, 3);
            assert_eq!(summary(&due), expected, "{policy} with {repeats:?} repeats");
        }
    }

    #[test]
    fn cron_fires_once_or_waits() {
        let daily = "0 12 * * *";
        let noon = 12 * 3_600;
        let day = 86_400;
        let now = START + (3 * day + noon + 600) * 1_000;
        let once = cron(daily, MisfirePolicy::FireOnceNow);
        let due = once.due(&once.first_fire(), now, THRESHOLD_MS, 100);
        let rest = vec![(noon + day, noon + 3 * day, 3)];
        assert_eq!(summary(&due), (vec![noon], rest, Some(noon + 4 * day)));
        assert_eq!(due.fires[0].stands_for, 4);
        assert_eq!(due.missed[0].policy, MisfirePolicy::FireOnceNow);

        let wait = cron(daily, MisfirePolicy::DoNothing);
        let due = wait.due(&wait.first_fire(), now, THRESHOLD_MS, 100);
        assert_eq!(summary(&due), (vec![], vec![(noon, noon + 3 * day, 4)], Some(noon + 4 * day)));
    }

    #[test]
    fn what_is_late_within_the_threshold_fires_one_by_one_up_to_the_cap() {
        let trigger = Trigger {
            schedule: Schedule::Every { interval_ms: 1_000, repeat_count: None },
            ..every_minute(None, MisfirePolicy::Smart)
        };
        let state = trigger.first_fire();
        let at_threshold = trigger.due(&state, START + THRESHOLD_MS, THRESHOLD_MS, 100);
        assert_eq!((at_threshold.fires.len(), at_threshold.missed.len()), (61, 0));
        let capped = trigger.due(&state, START + THRESHOLD_MS, THRESHOLD_MS, 10);
        assert_eq!((capped.fires.len(), capped.missed[0].count), (10, 51));
        assert_eq!(capped.missed[0].reason, MissedReason::CatchUpCap);
        assert_eq!(capped.state.next_fire_at, Some(START + 61_000));
        let beyond = trigger.due(&state, START + THRESHOLD_MS + 1, THRESHOLD_MS, 100);
        assert_eq!((beyond.fires.len(), beyond.missed[0].count), (0, 61));
    }

    #[test]
    fn nothing_is_due_before_the_next_fire_or_without_one() {
        let trigger = every_minute(Some(1), MisfirePolicy::Smart);
        let mut state = trigger.first_fire();
        assert!(trigger.due(&state, START - 1, THRESHOLD_MS, 100).fires.is_empty());
        trigger.triggered(&mut state);
        trigger.triggered(&mut state);
        let due = trigger.due(&state, START + 1_000_000, 0, 100);
        assert_eq!((due.fires, due.missed, due.state), (vec![], vec![], state));
    }

    #[test]
    fn a_delay_fires_and_then_waits_for_its_run_however_late_it_is() {
        for misfire in [MisfirePolicy::Smart, MisfirePolicy::Ignore, MisfirePolicy::FireOnceNow] {
            let schedule = Schedule::Delay { delay_ms: 10_000 };
            let trigger = Trigger { misfire, ..Trigger::new(schedule, Zone::utc(), START) };
            for late_ms in [0, 59_000, 86_400_000] {
                let due = trigger.due(&trigger.first_fire(), START + late_ms, THRESHOLD_MS, 100);
                assert_eq!(summary(&due), (vec![0], vec![], None), "{misfire}, {late_ms} ms late");
            }
            assert_eq!(trigger.delayed_from(START + 500), Some(START + 10_500));
        }
    }

    #[test]
    fn a_one_second_trigger_asleep_for_ten_years_is_counted_to_the_second() {
        let trigger = Trigger {
            schedule: Schedule::Every { interval_ms: 1_000, repeat_count: None },
            ..every_minute(None, MisfirePolicy::Smart)
        };
        let seconds = 3_652 * 86_400;
        let due = trigger.due(&trigger.first_fire(), START + seconds * 1_000, THRESHOLD_MS, 100);
        assert_eq!(summary(&due), (vec![], vec![(0, seconds, seconds as u64 + 1)], Some(seconds + 1)));
        let by_cron = cron("* * * * * ?", MisfirePolicy::DoNothing);
        let due = by_cron.due(&by_cron.first_fire(), START + seconds * 1_000, THRESHOLD_MS, 100);
        assert_eq!(due.missed[0].count, seconds as u64 + 1);
    }

    /// Steps are look-ups of offsets, months and days; an hour late there are a few dozen.
    fn steps_of_decision(trigger: &Trigger, late_ms: i64) -> u64 {
        let state = trigger.first_fire();
        let first = state.next_fire_at.expect("it fires");
        let before = crate::steps::taken();
        let due = trigger.due(&state, first + late_ms, THRESHOLD_MS, 100);
        assert!(due.state.next_fire_at.is_some());
        crate::steps::taken() - before
    }

    #[test]
    fn a_decision_takes_few_steps_however_many_instants_were_missed() {
        use crate::{Calendar, CalendarUnit, DaysOfWeek, TimeOfDay};
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let cron = |text, semantics| Schedule::Cron(std::sync::Arc::new(Cron::parse_auto(text, semantics).unwrap()));
        let interval = |unit| Schedule::CalendarInterval { unit, interval: 1, preserve_hour: false, skip_day: false };
        let window = Schedule::DailyWindow {
            from: TimeOfDay::new(1, 0, 0).unwrap(),
            to: TimeOfDay::new(23, 0, 0),
            days: DaysOfWeek::ALL,
            unit: CalendarUnit::Second,
            interval: 1,
            repeat_count: None,
        };
        let weekends = Calendar::weekly(DaysOfWeek::WEEKEND);
        let night = Calendar::daily(TimeOfDay::new(3, 0, 0).unwrap(), TimeOfDay::new(5, 0, 0).unwrap(), false).unwrap();
        let calendars = [None, Some(weekends.clone()), Some(night.on_base(weekends.into()).unwrap())];
        let table = [
            (Schedule::Every { interval_ms: 1_000, repeat_count: None }, Semantics::Standard, 1_000),
            (cron("* * * * * ?", Semantics::Standard), Semantics::Standard, 1_000),
            (cron("* * * * * ?", Semantics::Quartz), Semantics::Quartz, 15_000),
            (cron("0 30 2 * * ?", Semantics::Standard), Semantics::Standard, 1_000),
            (window, Semantics::Standard, 1_000),
            (interval(CalendarUnit::Day), Semantics::Standard, 1_000),
            (interval(CalendarUnit::Month), Semantics::Standard, 1_000),
            (cron("* * * 15W * ?", Semantics::Quartz), Semantics::Quartz, 20_000),
            (interval(CalendarUnit::Day), Semantics::Quartz, 80_000),
            (interval(CalendarUnit::Month), Semantics::Quartz, 5_000),
        ];
        for (schedule, semantics, steps_max) in table {
            for calendar in &calendars {
                // The time of day is one that a gap skips each year.
                let plain = Trigger::new(schedule.clone(), berlin.clone(), START + 3 * 3_600_000 / 2);
                let calendar = calendar.clone().map(Into::into);
                let trigger = Trigger { semantics, calendar, misfire: MisfirePolicy::Smart, ..plain };
                let steps = steps_of_decision(&trigger, 3_652 * 86_400_000);
                assert!(steps <= steps_max, "{steps} steps: {schedule:?} under {:?}", trigger.calendar);
            }
        }
    }

    #[test]
    fn quartz_days_late_for_ever_are_counted_in_bounded_steps_to_the_end_of_its_walk() {
        use crate::{Calendar, CalendarUnit};
        // What the fuzz has found: it looked at each offset change of 8,000 years for each stretch of the calendar.
        let mondays = || Calendar::cron(Cron::parse_auto("* * 2 ? * MON#5", Semantics::Quartz).unwrap().into());
        // (zone, calendar, unit, start): instants, the last of them. The walk ends in 2300.
        let table = [
            (
                "America/New_York",
                Some(mondays()),
                CalendarUnit::Day,
                "1971-03-10T17:30:00Z",
                120_098,
                "2300-01-01T17:30:00Z",
            ),
            (
                "America/New_York",
                Some(mondays()),
                CalendarUnit::Day,
                "1971-03-10T06:30:00Z",
                120_098,
                "2300-01-01T06:30:00Z",
            ),
            ("America/New_York", None, CalendarUnit::Day, "1971-03-10T06:30:00Z", 120_098, "2300-01-01T06:30:00Z"),
            ("America/New_York", None, CalendarUnit::Month, "1971-03-10T17:30:00Z", 3_947, "2300-01-10T17:30:00Z"),
            ("UTC", Some(mondays()), CalendarUnit::Month, "1971-03-10T12:30:00Z", 3_947, "2300-01-10T12:30:00Z"),
            ("UTC", None, CalendarUnit::Day, "1971-03-10T12:30:00Z", 120_098, "2300-01-01T12:30:00Z"),
        ];
        for (zone, calendar, unit, start, count, last) in table {
            let schedule = Schedule::CalendarInterval { unit, interval: 1, preserve_hour: false, skip_day: false };
            let plain = Trigger::new(schedule, Zone::parse(zone).unwrap(), start.parse().unwrap());
            let trigger = Trigger { semantics: Semantics::Quartz, calendar: calendar.map(Into::into), ..plain };
            let before = crate::steps::taken();
            let due = trigger.due(&trigger.first_fire(), Timestamp::MAX, THRESHOLD_MS, 100);
            let steps = crate::steps::taken() - before;
            assert!(steps <= 2_000_000, "{steps} steps: {trigger:?}");
            assert_eq!((due.fires[0].stands_for, due.missed[0].last), (count, last.parse().unwrap()), "{trigger:?}");
        }
    }
}
