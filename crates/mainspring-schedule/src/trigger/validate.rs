//! Validates triggers, and says what is wrong with the others.

use super::{CalendarUnit, Schedule, Trigger, bounded, cron};
use crate::{MisfirePolicy, Semantics, Timestamp};

/// The reason why a trigger is refused. [`TriggerError::code`] returns the stable code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TriggerError {
    /// The end lies before the start.
    #[error("the end {end_at} lies before the start {start_at}; move one of them")]
    EndBeforeStart {
        /// The start (under Quartz semantics, as Quartz moves it).
        start_at: Timestamp,
        /// The end.
        end_at: Timestamp,
    },
    /// The start or the end lies before year 1 or after year 9998.
    #[error("{t} lies outside the years 1 to 9998")]
    OutOfRange {
        /// The instant.
        t: Timestamp,
    },
    /// The interval or delay is zero or negative.
    #[error("the interval of `{kind}` must be above zero")]
    NoInterval {
        /// The kind of the schedule.
        kind: &'static str,
    },
    /// The interval of a daily window is longer than a day.
    #[error("{interval} {unit}s are more than 24 hours; a daily window begins anew each day")]
    IntervalOverADay {
        /// The number of units.
        interval: u32,
        /// The unit.
        unit: CalendarUnit,
    },
    /// A daily window cannot count days or longer units.
    #[error("a daily window counts seconds, minutes or hours, not {unit}s; use `calendar_interval`")]
    UnitTooLong {
        /// The unit.
        unit: CalendarUnit,
    },
    /// A daily window ends before it begins.
    #[error("the daily window ends before it begins; for a night, use one trigger up to 23:59:59 and one from 00:00")]
    WindowOrder,
    /// A daily window begins or ends within a second.
    #[error("a daily window begins and ends at whole seconds")]
    WindowMillis,
    /// A daily window without days.
    #[error("the daily window names no day of the week, so it never fires")]
    NoDays,
    /// The kind of the schedule has no such misfire policy.
    #[error("`{kind}` has no misfire policy `{policy}`; use {}", names(.allowed))]
    MisfirePolicy {
        /// The kind of the schedule.
        kind: &'static str,
        /// The policy asked for.
        policy: MisfirePolicy,
        /// The policies of the kind.
        allowed: &'static [MisfirePolicy],
    },
    /// No instant is left after schedule, bounds and calendar.
    #[error("the trigger never fires: {reason}")]
    NeverFires {
        /// Why.
        reason: String,
    },
}

impl TriggerError {
    /// Returns the stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::EndBeforeStart { .. } => "trigger.end_before_start",
            Self::OutOfRange { .. } => "trigger.out_of_range",
            Self::NoInterval { .. } => "trigger.no_interval",
            Self::IntervalOverADay { .. } => "trigger.interval_over_a_day",
            Self::UnitTooLong { .. } => "trigger.unit_too_long",
            Self::WindowOrder => "trigger.window_order",
            Self::WindowMillis => "trigger.window_millis",
            Self::NoDays => "trigger.no_days",
            Self::MisfirePolicy { .. } => "trigger.misfire_policy",
            Self::NeverFires { .. } => "trigger.never_fires",
        }
    }
}

impl Trigger {
    /// Checks bounds, interval, window and misfire policy, as Quartz's setters and `validate` do.
    ///
    /// # Errors
    /// The first thing that is wrong. That the trigger fires at all is asked by [`Trigger::validate_fires`].
    pub fn validate(&self) -> Result<(), TriggerError> {
        self.validate_bounds()?;
        self.schedule.validate()?;
        let (kind, policy) = (self.schedule.kind(), self.misfire);
        let allowed = self.schedule.misfire_policies();
        if allowed.contains(&policy) { Ok(()) } else { Err(TriggerError::MisfirePolicy { kind, policy, allowed }) }
    }

    /// Checks that the trigger is valid and fires at least once.
    ///
    /// # Errors
    /// As [`Trigger::validate`], and `trigger.never_fires` with the reason.
    pub fn validate_fires(&self) -> Result<(), TriggerError> {
        self.validate()?;
        if self.first_fire().next_fire_at.is_some() {
            return Ok(());
        }
        if let Schedule::Cron(cron) = &self.schedule
            && let Some(never) = cron.never_fires()
        {
            return Err(TriggerError::NeverFires { reason: never.to_string() });
        }
        let mut freed = self.clone();
        freed.calendar = None;
        let reason = if freed.first_fire().next_fire_at.is_some() {
            "the calendar excludes every instant of the schedule"
        } else {
            freed.end_at = None;
            if freed.first_fire().next_fire_at.is_some() {
                "the schedule has no instant between start and end"
            } else {
                "the schedule has no instant after the start"
            }
        };
        Err(TriggerError::NeverFires { reason: reason.to_owned() })
    }

    fn validate_bounds(&self) -> Result<(), TriggerError> {
        let shown = Timestamp::MIN..=Timestamp::MAX;
        let bounds = [Some(self.start_at), self.end_at].into_iter().flatten();
        if let Some(t) = bounds.into_iter().find(|t| !shown.contains(t)) {
            return Err(TriggerError::OutOfRange { t });
        }
        let start_at = match (&self.schedule, self.semantics) {
            (Schedule::Cron(_), Semantics::Quartz) => cron::quartz_start(bounded(self.start_at), &self.zone),
            _ => self.start_at,
        };
        match self.end_at {
            Some(end_at) if end_at < start_at => Err(TriggerError::EndBeforeStart { start_at, end_at }),
            _ => Ok(()),
        }
    }
}

impl Schedule {
    /// Checks interval and window, as Quartz's setters do.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate(&self) -> Result<(), TriggerError> {
        let kind = self.kind();
        match *self {
            Self::Cron(_) | Self::At => Ok(()),
            // An interval is not looked at when it fires only once.
            Self::Every { interval_ms, repeat_count } => match interval_ms {
                1.. => Ok(()),
                0 if repeat_count == Some(0) => Ok(()),
                _ => Err(TriggerError::NoInterval { kind }),
            },
            Self::Delay { delay_ms: 0.. } => Ok(()),
            Self::Delay { .. } | Self::CalendarInterval { interval: 0, .. } => Err(TriggerError::NoInterval { kind }),
            Self::CalendarInterval { .. } => Ok(()),
            Self::DailyWindow { from, to, days, unit, interval, .. } => {
                let Some(unit_ms) = unit.elapsed_ms() else {
                    return Err(TriggerError::UnitTooLong { unit });
                };
                if interval == 0 {
                    return Err(TriggerError::NoInterval { kind });
                }
                if i64::from(interval) * unit_ms > crate::civil::DAY_MS {
                    return Err(TriggerError::IntervalOverADay { interval, unit });
                }
                if to.is_some_and(|to| from > to) {
                    return Err(TriggerError::WindowOrder);
                }
                if [Some(from), to].into_iter().flatten().any(|t| t.as_millis() % 1_000 != 0) {
                    return Err(TriggerError::WindowMillis);
                }
                if days.is_empty() { Err(TriggerError::NoDays) } else { Ok(()) }
            }
        }
    }
}

impl Schedule {
    /// Returns the misfire policies that this kind may have.
    #[must_use]
    pub const fn misfire_policies(&self) -> &'static [MisfirePolicy] {
        use MisfirePolicy::{
            DoNothing, FireNow, FireOnceNow, Ignore, NextWithExistingCount, NextWithRemainingCount,
            NowWithExistingCount, NowWithRemainingCount, Smart,
        };
        match self {
            Self::Every { .. } | Self::At => &[
                Smart,
                Ignore,
                FireNow,
                NowWithExistingCount,
                NowWithRemainingCount,
                NextWithRemainingCount,
                NextWithExistingCount,
            ],
            Self::Cron(_) | Self::CalendarInterval { .. } | Self::DailyWindow { .. } => {
                &[Smart, Ignore, FireOnceNow, DoNothing]
            }
            Self::Delay { .. } => &[Smart, Ignore, FireOnceNow],
        }
    }
}

fn names(policies: &[MisfirePolicy]) -> String {
    policies.iter().map(|policy| policy.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Calendar, Cron, DaysOfWeek, TimeOfDay, Zone};
    use std::sync::Arc;

    const START: Timestamp = Timestamp::from_millis(1_767_225_600_000);

    fn code(trigger: &Trigger) -> &'static str {
        trigger.validate_fires().map_or_else(|e| e.code(), |()| "fine")
    }

    fn new(schedule: Schedule) -> Trigger {
        Trigger::new(schedule, Zone::utc(), START)
    }

    fn window(from: &str, to: &str, days: DaysOfWeek, unit: CalendarUnit, interval: u32) -> Schedule {
        let time = |text: &str| text.parse::<TimeOfDay>().unwrap();
        let (from, to) = (time(from), Some(time(to)));
        Schedule::DailyWindow { from, to, days, unit, interval, repeat_count: None }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_code() {
        use CalendarUnit::{Day, Hour, Minute};
        let all = DaysOfWeek::ALL;
        let every = |interval_ms, repeat_count| Schedule::Every { interval_ms, repeat_count };
        for (schedule, expected) in [
            (every(1, None), "fine"),
            (every(0, Some(0)), "fine"),
            (every(0, None), "trigger.no_interval"),
            (every(-1, Some(0)), "trigger.no_interval"),
            (Schedule::At, "fine"),
            (Schedule::Delay { delay_ms: 0 }, "fine"),
            (Schedule::Delay { delay_ms: -1 }, "trigger.no_interval"),
            (window("08:00", "17:00", all, Hour, 1), "fine"),
            (window("08:00", "08:00", all, Hour, 24), "fine"),
            (window("08:00", "17:00", all, Hour, 25), "trigger.interval_over_a_day"),
            (window("08:00", "17:00", all, Minute, 0), "trigger.no_interval"),
            (window("08:00", "17:00", all, Day, 1), "trigger.unit_too_long"),
            (window("17:00", "08:00", all, Hour, 1), "trigger.window_order"),
            (window("08:00:00.500", "17:00", all, Hour, 1), "trigger.window_millis"),
            (window("08:00", "17:00", DaysOfWeek::NONE, Hour, 1), "trigger.no_days"),
        ] {
            assert_eq!(code(&new(schedule.clone())), expected, "{schedule:?}");
        }
    }

    #[test]
    fn a_trigger_that_never_fires_is_refused_with_the_reason() {
        let cron = |text| Schedule::Cron(Arc::new(Cron::parse_auto(text, Semantics::Standard).unwrap()));
        let mut trigger = new(cron("0 12 * * 0"));
        trigger.end_at = Some(START + 86_400_000);
        let error = trigger.validate_fires().unwrap_err();
        assert_eq!(error.to_string(), "the trigger never fires: the schedule has no instant between start and end");
        trigger.end_at = None;
        trigger.calendar = Some(Arc::new(Calendar::weekly(DaysOfWeek::WEEKEND)));
        let error = trigger.validate_fires().unwrap_err();
        assert_eq!(error.to_string(), "the trigger never fires: the calendar excludes every instant of the schedule");
        assert_eq!(code(&Trigger { end_at: Some(START - 1), ..trigger }), "trigger.end_before_start");
    }

    #[test]
    fn each_kind_has_its_own_misfire_policies() {
        let mut trigger = new(Schedule::Delay { delay_ms: 1 });
        trigger.misfire = MisfirePolicy::DoNothing;
        assert_eq!(
            trigger.validate().unwrap_err().to_string(),
            "`delay` has no misfire policy `do_nothing`; use smart, ignore, fire_once_now"
        );
        trigger.schedule = Schedule::At;
        assert_eq!(code(&trigger), "trigger.misfire_policy");
    }

    #[test]
    fn a_million_triggers_with_shared_schedules_fit_into_200_mb() {
        assert!(size_of::<Trigger>() <= 200, "{} bytes", size_of::<Trigger>());
    }
}
