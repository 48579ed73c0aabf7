//! Computes fire times: cron (Quartz and Unix dialects), intervals, calendar intervals, daily windows, fixed delays,
//! calendars and misfire policies.
//!
//! Pure: no I/O, no clock, no randomness. Every function gets the time it needs as an argument.

mod civil;
mod cron;
mod semantics;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod steps;
#[cfg(not(fuzzing))]
mod steps;
mod timestamp;
mod zone;

pub use civil::{Civil, Date, days_in_month, is_leap_year};
pub use cron::{Cron, CronError, Dialect, Field, Lang, Lint, MAX_EXPRESSION_BYTES, NeverFires, explain, lint};
pub use semantics::{SemanticPoint, Semantics, UnknownSemantics};
pub use timestamp::{ParseTimestampError, Timestamp};
pub use zone::{OffsetWindow, Resolved, TzdataVersion, UnknownZone, Zone, tzdata_version};

mod calendar;
#[cfg(feature = "serde")]
mod forms;
mod jitter;
mod misfire;
mod period;
mod time_of_day;
mod trigger;
mod weekdays;

pub use calendar::{Calendar, CalendarError};
pub use jitter::jitter_ms;
pub use misfire::{MisfirePolicy, UnknownMisfirePolicy};
pub use period::{Period, PeriodError};
pub use time_of_day::{BadTimeOfDay, TimeOfDay};
pub use trigger::{CalendarUnit, Due, Fire, Missed, MissedReason, Schedule, Trigger, TriggerError, TriggerState};
pub use weekdays::{DaysOfWeek, UnknownDayOfWeek};

#[cfg(test)]
extern crate self as mainspring_schedule;

/// Replays the fuzzers' corpus.
#[cfg(test)]
mod fuzz_corpus;

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
