//! From job files to definitions and back: every text is read here, and refused with the place that is wrong.
//!
//! Works without a server, so that `check` says offline what `apply` would. Pointers begin at the value that was
//! handed in; codes are those of [`mainspring_api::ErrorCode`].
#![expect(clippy::result_large_err, reason = "a problem is made once for a file that is wrong, and soon shown")]

pub(crate) mod after;
mod alert;
mod bundle;
mod calendar;
pub(crate) mod calls;
mod defaults;
mod flow;
mod job;
pub(crate) mod past;
mod retry;
mod schedule;
mod task;
mod texts;
pub(crate) mod waits;
mod warnings;
mod workflow;

use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_api::{ErrorCode, Problem};
use mainspring_core::compile::FieldError;
use mainspring_schedule::{Calendar, Timestamp};

pub use alert::alert_rule;
pub(crate) use alert::write as alert_specs;
pub use bundle::{Compiled, NamedCalendar, bundle, calendars_of};
pub use calendar::{calendar, calendar_spec};
pub use flow::{CompiledFlow, flow};
pub use job::{job, job_spec};
pub use schedule::{trigger, trigger_spec};
pub use warnings::warnings;

/// Where definitions are read: what holds where they say nothing, and which calendars there are.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Namespace of items that name none.
    pub namespace: &'a str,
    /// Zone of triggers that name none.
    pub timezone: &'a str,
    /// Start of schedules that name none.
    pub now: Timestamp,
    /// Calendars outside of what is read, by namespace and name.
    pub calendars: &'a dyn Fn(&str, &str) -> Known,
    /// On which line the value at a pointer was written, where that is known. Pointers begin at what is read.
    pub line: &'a dyn Fn(&str) -> Option<u32>,
}

/// For texts whose lines are not known: those of requests.
pub const NO_LINES: &dyn Fn(&str) -> Option<u32> = &|_| None;

/// What is known of a calendar that is not in the same bundle.
#[derive(Clone, Debug)]
pub enum Known {
    /// This is it.
    Calendar(Arc<Calendar>),
    /// There is none.
    Missing,
    /// There may be one: nobody can be asked. Triggers that name it are checked without it.
    Unknown,
}

/// Adds what reading has found to what checking has. Of a place that is wrong already nothing more is said, and
/// nothing twice.
///
/// # Errors
/// Everything that is wrong, if anything is.
fn with_checked(mut checked: Vec<Problem>, read: Vec<Problem>) -> Result<(), Vec<Problem>> {
    let wrong: BTreeSet<String> = checked.iter().map(|problem| problem.pointer.clone()).collect();
    let mut said = BTreeSet::new();
    checked.extend(read.into_iter().filter(|problem| {
        !wrong.contains(&problem.pointer) && said.insert((problem.pointer.clone(), problem.message.clone()))
    }));
    if checked.is_empty() { Ok(()) } else { Err(checked) }
}

/// Moves a problem under a pointer.
fn under(prefix: &str, problem: Problem) -> Problem {
    let pointer = format!("{prefix}{}", problem.pointer);
    problem.at(pointer)
}

/// Makes a problem of an error of the core.
fn problem(error: FieldError, pointer: impl Into<String>) -> Problem {
    let problem = Problem::new(code_of(error.code), error.message).at(pointer);
    match error.hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

/// The code of the catalogue that stands for one of schedule or core.
pub(crate) fn code_of(code: &str) -> ErrorCode {
    match code {
        "trigger.never_fires" | "trigger.no_days" => ErrorCode::ScheduleNever,
        "trigger.misfire" | "trigger.misfire_policy" | "misfire.unknown_policy" => ErrorCode::ScheduleMisfire,
        "trigger.time_of_day" | "time_of_day.invalid" | "calendar.date" => ErrorCode::ScheduleInstant,
        "trigger.interval" | "trigger.no_interval" | "trigger.interval_over_a_day" => ErrorCode::ScheduleDuration,
        "calendar.not_found" => ErrorCode::CalendarUnknown,
        "calendar.cycle" => ErrorCode::CalendarCycle,
        "trigger.duplicate_name" => ErrorCode::NameDuplicate,
        code if code.starts_with("cron.") => ErrorCode::ScheduleCron,
        code if code.starts_with("zone.") => ErrorCode::ScheduleZone,
        code if code.starts_with("period.") => ErrorCode::ScheduleDuration,
        code => ErrorCode::parse(code).unwrap_or(ErrorCode::FieldValue),
    }
}
