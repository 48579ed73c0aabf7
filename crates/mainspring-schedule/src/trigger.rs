//! Triggers: a schedule with its zone, bounds, calendar and misfire policy, and the state that advances.
//!
//! A [`Trigger`] is an immutable rule; a [`TriggerState`] is plain data that goes with it into a
//! database. One file per kind answers which instant comes after another; this file binds them
//! with the calendar. What is due at an instant is in `due`, misfires are in `late`, numbers of
//! instants in `count`, instants before another in `previous`.

mod by_day;
mod count;
mod cron;
mod due;
mod every;
mod interval;
mod late;
mod previous;
mod validate;
mod window;

use std::sync::Arc;

use crate::calendar::Budget;
use crate::{Calendar, Cron, DaysOfWeek, MisfirePolicy, Semantics, TimeOfDay, Timestamp, Zone};

pub use due::{Due, Fire, Missed, MissedReason};
pub use validate::TriggerError;

/// A schedule with its zone, bounds, calendar and misfire policy.
///
/// Immutable and cheap to clone. Make one with [`Trigger::new`], set the public fields, and check
/// it with [`Trigger::validate`]; the other functions answer for a valid trigger, and for an
/// invalid one return something without panicking.
///
/// ```
/// use mainspring_schedule::{Schedule, Timestamp, Trigger, Zone};
/// let start: Timestamp = "2026-01-01T00:00:00Z".parse()?;
/// let schedule = Schedule::Every { interval_ms: 60_000, repeat_count: Some(2) };
/// let trigger = Trigger::new(schedule, Zone::utc(), start);
/// trigger.validate()?;
///
/// let mut state = trigger.first_fire();
/// let mut fires = Vec::new();
/// while let Some(fire) = state.next_fire_at {
///     fires.push(fire);
///     trigger.triggered(&mut state);
/// }
/// assert_eq!(fires, [start, start + 60_000, start + 120_000]); // 2 repeats are 3 fires
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Trigger {
    /// The rule that yields instants.
    pub schedule: Schedule,
    /// The zone in which the schedule is read, and a calendar that has none of its own.
    pub zone: Zone,
    /// The earliest fire time.
    pub start_at: Timestamp,
    /// The latest fire time; `every` and `calendar_interval` do not fire at this instant either.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub end_at: Option<Timestamp>,
    /// Removes fire times.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none", with = "crate::forms::arcs::shared_option")
    )]
    pub calendar: Option<Arc<Calendar>>,
    /// The policy for fire times that passed the threshold unfired.
    #[cfg_attr(feature = "serde", serde(default))]
    pub misfire: MisfirePolicy,
    /// Whose rules decide the points at which Quartz surprises.
    #[cfg_attr(feature = "serde", serde(default))]
    pub semantics: Semantics,
}

/// The rule that yields instants.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", tag = "kind", rename_all = "snake_case")
)]
pub enum Schedule {
    /// The instants of a cron expression.
    Cron(#[cfg_attr(feature = "serde", serde(with = "crate::forms::arcs::shared"))] Arc<Cron>),
    /// Each `interval_ms` from the start on: Quartz's SimpleTrigger.
    Every {
        /// The time between two fire times, in milliseconds, above 0.
        interval_ms: i64,
        /// The number of *further* fires: n repeats are n + 1 fires. `None` means no end.
        repeat_count: Option<u32>,
    },
    /// Each n seconds to years by the local calendar: Quartz's CalendarIntervalTrigger.
    CalendarInterval {
        /// The unit that is counted.
        unit: CalendarUnit,
        /// The number of units between two fire times, above 0.
        interval: u32,
        /// Keeps the hour when the offset changes (days and longer). Standard semantics always do.
        preserve_hour: bool,
        /// Leaves out a day on which the hour does not exist.
        skip_day: bool,
    },
    /// Each n seconds to hours between two times of day: Quartz's DailyTimeIntervalTrigger.
    DailyWindow {
        /// The first instant of each day; whole seconds.
        from: TimeOfDay,
        /// No instant of a day is later; whole seconds. `None` is the end of the day.
        to: Option<TimeOfDay>,
        /// The days on which it fires.
        days: DaysOfWeek,
        /// Seconds, minutes or hours.
        unit: CalendarUnit,
        /// The number of units between two fire times of a day; 24 hours at most.
        interval: u32,
        /// The number of *further* fires: n repeats are n + 1 fires. `None` means no end.
        repeat_count: Option<u32>,
    },
    /// Once, at the start.
    At,
    /// Fires at the start, and then each time `delay_ms` after completion, which only an engine knows.
    Delay {
        /// The time from the completion of a run to the next fire, in milliseconds, 0 or more.
        delay_ms: i64,
    },
}

impl Schedule {
    /// Returns the kind: `cron`, `every`, `calendar_interval`, `daily_window`, `at` or `delay`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Cron(_) => "cron",
            Self::Every { .. } => "every",
            Self::CalendarInterval { .. } => "calendar_interval",
            Self::DailyWindow { .. } => "daily_window",
            Self::At => "at",
            Self::Delay { .. } => "delay",
        }
    }

    const fn repeat_count(&self) -> Option<u32> {
        match self {
            Self::Every { repeat_count, .. } | Self::DailyWindow { repeat_count, .. } => *repeat_count,
            Self::At => Some(0),
            Self::Cron(_) | Self::CalendarInterval { .. } | Self::Delay { .. } => None,
        }
    }
}

/// A unit of the local calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum CalendarUnit {
    /// Elapsed seconds.
    Second,
    /// Elapsed minutes.
    Minute,
    /// Elapsed hours.
    Hour,
    /// Days of the local calendar.
    Day,
    /// Seven days of the local calendar.
    Week,
    /// Months of the local calendar.
    Month,
    /// Years of the local calendar.
    Year,
}

impl CalendarUnit {
    /// Returns the name in files and in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// Returns the length of a unit that is elapsed time; `None` from days on.
    const fn elapsed_ms(self) -> Option<i64> {
        match self {
            Self::Second => Some(1_000),
            Self::Minute => Some(60_000),
            Self::Hour => Some(3_600_000),
            Self::Day | Self::Week | Self::Month | Self::Year => None,
        }
    }
}

impl std::fmt::Display for CalendarUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The progress of a trigger. Plain data, stored beside the trigger.
///
/// `start_at` and `repeat_count` begin as the trigger's own; a misfire policy that starts again
/// from now moves them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TriggerState {
    /// The next instant at which it fires; `None` when it never does again (or, for `delay`, while a run is open).
    pub next_fire_at: Option<Timestamp>,
    /// The last instant at which it fired.
    pub previous_fire_at: Option<Timestamp>,
    /// The instant from which `every` and `calendar_interval` count.
    pub start_at: Timestamp,
    /// The number of repeats; `None` is for ever.
    pub repeat_count: Option<u32>,
    /// The number of fires since the start.
    pub times_triggered: u32,
}

impl Trigger {
    /// Makes a trigger without end and calendar, with the policy `smart` and standard semantics.
    #[must_use]
    pub const fn new(schedule: Schedule, zone: Zone, start_at: Timestamp) -> Self {
        Self {
            schedule,
            zone,
            start_at,
            end_at: None,
            calendar: None,
            misfire: MisfirePolicy::Smart,
            semantics: Semantics::Standard,
        }
    }

    /// Returns whether its fire times depend on the tz database, so that another release may change them.
    ///
    /// ```
    /// use mainspring_schedule::{Calendar, Cron, DaysOfWeek, Schedule, Semantics, Timestamp, Trigger, Zone};
    /// let start: Timestamp = "2026-01-01T00:00:00Z".parse()?;
    /// let minutes = || Schedule::Every { interval_ms: 60_000, repeat_count: None };
    /// let eight = Cron::parse_auto("0 8 * * *", Semantics::Standard).expect("an expression");
    /// let daily = || Schedule::Cron(eight.clone().into());
    /// let zone = |name: &str| Zone::parse(name).expect("a zone");
    /// assert!(Trigger::new(daily(), zone("Europe/Berlin"), start).reads_tzdata());
    /// assert!(!Trigger::new(daily(), Zone::utc(), start).reads_tzdata());
    /// // Minutes are elapsed time, but the calendar asks what day it is in Berlin.
    /// let mut every = Trigger::new(minutes(), zone("Europe/Berlin"), start);
    /// assert!(!every.reads_tzdata());
    /// every.calendar = Some(Calendar::weekly(DaysOfWeek::WEEKEND).into());
    /// assert!(every.reads_tzdata());
    /// # Ok::<(), mainspring_schedule::ParseTimestampError>(())
    /// ```
    #[must_use]
    pub fn reads_tzdata(&self) -> bool {
        let is_local = match self.schedule {
            Schedule::Cron(_) | Schedule::CalendarInterval { .. } | Schedule::DailyWindow { .. } => true,
            Schedule::Every { .. } | Schedule::At | Schedule::Delay { .. } => false,
        };
        is_local && !self.zone.is_fixed()
            || self.calendar.as_deref().is_some_and(|calendar| calendar.reads_tzdata(&self.zone))
    }

    /// Returns the state of a trigger that has not fired yet: Quartz's `computeFirstFireTime`.
    ///
    /// `next_fire_at` is `None` when it never fires.
    #[must_use]
    pub fn first_fire(&self) -> TriggerState {
        let mut state = self.unfired();
        state.next_fire_at = match self.schedule {
            // The first instant is the start, wherever the end is.
            Schedule::Every { .. } | Schedule::CalendarInterval { .. } | Schedule::At => {
                self.included_from(&state, Some(state.start_at))
            }
            Schedule::Delay { .. } => self.first_included(state.start_at),
            // As far back as Quartz asks; what it rounds depends on it.
            _ => self.next_after(&state, state.start_at - 1_000),
        };
        state
    }

    /// Returns the first fire time after `t`, or `None`: Quartz's `getFireTimeAfter`. Excluded instants are skipped.
    ///
    /// Of the state, only the start and the counts matter.
    #[must_use]
    pub fn next_after(&self, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
        self.included_from(state, self.schedule_after(state, t))
    }

    /// Returns what [`Trigger::next_after`] does, but without the calendar.
    #[must_use]
    pub fn schedule_after(&self, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
        let (state, t) = (&bounded_state(state), bounded(t));
        match &self.schedule {
            Schedule::Every { interval_ms, .. } => every::after(self, state, (*interval_ms).max(1), t),
            Schedule::At => every::after(self, state, 1, t),
            Schedule::Delay { .. } => (t < state.start_at).then_some(state.start_at),
            Schedule::Cron(cron) => cron::after(self, state, cron, t),
            Schedule::CalendarInterval { .. } => interval::after(self, state, t),
            Schedule::DailyWindow { .. } => window::after(self, state, t),
        }
    }

    /// Advances by one fire: Quartz's `triggered`.
    pub fn triggered(&self, state: &mut TriggerState) {
        let Some(fired) = state.next_fire_at else {
            return;
        };
        state.times_triggered = state.times_triggered.saturating_add(1);
        state.previous_fire_at = Some(fired);
        state.next_fire_at = match self.schedule {
            Schedule::Delay { .. } => None,
            _ => self.next_after(state, fired),
        };
    }

    /// Returns the last instant at which a trigger that has not fired yet can fire; `None` when there is no last one.
    ///
    /// Under [`Semantics::Quartz`] this is `getFinalFireTime`, which knows no calendar and may name
    /// an instant at which the trigger does not fire.
    #[must_use]
    pub fn final_fire(&self) -> Option<Timestamp> {
        match (&self.schedule, self.semantics) {
            (Schedule::At | Schedule::Delay { .. }, _) => Some(bounded(self.start_at)),
            (Schedule::Every { interval_ms, .. }, Semantics::Quartz) => every::final_fire(self, (*interval_ms).max(1)),
            (Schedule::Cron(cron), Semantics::Quartz) => cron::final_fire(self, cron),
            (Schedule::CalendarInterval { .. }, Semantics::Quartz) => interval::final_fire(self),
            (Schedule::DailyWindow { to, .. }, Semantics::Quartz) => window::final_fire(self, *to),
            (_, Semantics::Standard) => previous::last_fire(self),
        }
    }

    /// Returns the fire times in `[from, to)`, computed as they are asked for.
    pub fn fires_between(&self, from: Timestamp, to: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        let mut state = self.unfired();
        if matches!(self.schedule, Schedule::DailyWindow { repeat_count: Some(_), .. }) {
            // This kind alone counts fires instead of instants.
            let fired = self.count_between(&state, state.start_at - 1_000, from);
            state.times_triggered = u32::try_from(fired).unwrap_or(u32::MAX);
        }
        let first = match self.first_fire().next_fire_at {
            Some(first) if first >= from => Some(first),
            Some(_) => self.first_from(&state, from),
            None => None,
        };
        state.next_fire_at = first;
        std::iter::from_fn(move || {
            let fire = state.next_fire_at.filter(|&fire| fire < to)?;
            state.times_triggered = state.times_triggered.saturating_add(1);
            state.next_fire_at = match self.schedule {
                Schedule::Delay { .. } => None,
                _ => self.next_after(&state, fire),
            };
            Some(fire)
        })
    }

    /// Returns when a `delay` trigger fires after a run that ended at `completed_at`: the delay later, moved out of
    /// what the calendar excludes. `None` past the end, and for all other kinds.
    #[must_use]
    pub fn delayed_from(&self, completed_at: Timestamp) -> Option<Timestamp> {
        let Schedule::Delay { delay_ms } = self.schedule else {
            return None;
        };
        self.first_included(completed_at + delay_ms)
    }

    /// Returns `t`, or the first instant after it that the calendar includes; `None` past the end.
    fn first_included(&self, t: Timestamp) -> Option<Timestamp> {
        let included = match self.calendar.as_deref() {
            Some(calendar) => calendar.first_included(t, self.semantics, &self.zone, &mut Budget::default())?,
            None => t,
        };
        self.end_at.is_none_or(|end| included <= end).then_some(included)
    }

    /// Returns the first fire time at or after `t`.
    fn first_from(&self, state: &TriggerState, t: Timestamp) -> Option<Timestamp> {
        if !matches!(self.schedule, Schedule::DailyWindow { .. }) {
            return self.next_after(state, t - 1);
        }
        // Quartz asks a daily window a second ahead, and so passes over one that ends then.
        let mut fire = self.next_after(state, t - 1_000);
        while let Some(early) = fire.filter(|fire| *fire < t) {
            // It may answer with what it was asked about, and would for ever.
            fire = self.next_after(state, early).filter(|next| *next > early);
        }
        let past_end = || window::fire_past_end(self, state).filter(|fire| *fire >= t);
        fire.or_else(|| self.included_from(state, past_end()))
    }

    /// Returns a state in which nothing has fired and nothing has been computed.
    fn unfired(&self) -> TriggerState {
        TriggerState {
            next_fire_at: None,
            previous_fire_at: None,
            start_at: bounded(self.start_at),
            repeat_count: self.schedule.repeat_count(),
            times_triggered: 0,
        }
    }

    /// Returns the cost of [`Trigger::schedule_after`] near `t`, for the budget of a search.
    fn steps_after(&self, state: &TriggerState, t: Timestamp) -> u32 {
        match self.schedule {
            Schedule::DailyWindow { .. } => 25,
            Schedule::CalendarInterval { .. } => interval::steps_to(self, state, t).saturating_add(10),
            _ => 10,
        }
    }

    /// Returns the first instant of the schedule from `fire` (one of its instants) on that the calendar includes.
    fn included_from(&self, state: &TriggerState, fire: Option<Timestamp>) -> Option<Timestamp> {
        let mut fire = fire?;
        let Some(calendar) = self.calendar.as_deref() else {
            return Some(fire);
        };
        let horizon = fire + NEVER_AFTER_MS;
        let mut budget = Budget::default();
        let mut passed = 0;
        let mut ever_path = None;
        while !calendar.is_included(fire, self.semantics, &self.zone) {
            budget.spend_steps(self.steps_after(state, fire))?;
            let included = calendar.first_included(fire, self.semantics, &self.zone, &mut budget)?;
            passed += 1;
            let is_path = match passed {
                ..=3 => self.is_path(state, included),
                // From here on it is cheaper to ask once and for all.
                _ => *ever_path.get_or_insert_with(|| self.is_path(state, horizon)),
            };
            let from = match &self.schedule {
                // Quartz asks a daily window a second ahead, which passes over one that ends then.
                Schedule::DailyWindow { .. } if self.semantics == Semantics::Quartz => included - 1_000,
                _ if !is_path => included - 1,
                Schedule::Cron(cron) => cron.run_on_day(&self.zone, fire, included - 1).0,
                _ => fire,
            };
            fire = self.schedule_after(state, from)?;
            // An answer that rounds down is excluded still.
            while fire < included && from < included - 1 && !is_path {
                fire = self.schedule_after(state, fire).filter(|next| *next > fire)?;
            }
            if let Some(later) = window::left_out_until(self, state, fire) {
                fire = self.schedule_after(state, later)?;
            }
            if fire > horizon || !window::is_reached(self, state, fire) {
                return None;
            }
        }
        Some(fire)
    }
}

/// Returns an instant that can be shown: adding a few thousand years to it does not overflow.
fn bounded(t: Timestamp) -> Timestamp {
    t.clamp(Timestamp::MIN, Timestamp::MAX)
}

fn bounded_state(state: &TriggerState) -> TriggerState {
    TriggerState { start_at: bounded(state.start_at), ..*state }
}

/// The time after which a trigger that has not fired never fires: Quartz's own limit of a hundred years.
const NEVER_AFTER_MS: i64 = 36_525 * crate::civil::DAY_MS;
