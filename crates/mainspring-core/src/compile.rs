//! From definitions to rules: every text of a trigger or calendar is read here, and refused with the field that is wrong.

use std::sync::Arc;

use mainspring_schedule::{
    Calendar, CalendarUnit, Cron, Date, DaysOfWeek, Dialect, MisfirePolicy, Schedule, Semantics, TimeOfDay, Timestamp,
    Trigger, TzdataVersion, Zone,
};

use crate::job::{CalendarDefinition, CalendarRule, Job, ScheduleDefinition, TriggerDefinition};
use crate::rule::Rule;

/// A field of a definition that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{field}: {message}")]
pub struct FieldError {
    /// The field, as in the job file: `timezone`, `cron`, `misfire`.
    pub field: &'static str,
    /// Stable code.
    pub code: &'static str,
    /// What is wrong, and what would be right.
    pub message: String,
    /// A value that was probably meant.
    pub hint: Option<String>,
}

impl FieldError {
    fn new(field: &'static str, code: &'static str, message: impl ToString) -> Self {
        Self { field, code, message: message.to_string(), hint: None }
    }
}

/// Finds the calendars of a namespace by name.
pub type Calendars<'a> = &'a dyn Fn(&str) -> Option<Arc<Calendar>>;

/// What holds where a definition says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Defaults {
    /// When a fire time counts as missed.
    pub misfire_threshold_ms: i64,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { misfire_threshold_ms: 60_000 }
    }
}

/// Compiles a trigger of a job. `anchor` is the start of schedules that name none: the moment of saving.
///
/// # Errors
/// The first field that cannot be used.
pub fn rule(
    job: &Arc<Job>,
    definition: &TriggerDefinition,
    anchor: Timestamp,
    defaults: Defaults,
    calendars: Calendars,
) -> Result<Rule, FieldError> {
    let trigger = trigger(definition, anchor, calendars)?;
    Ok(Rule {
        tzdata: trigger.reads_tzdata().then(TzdataVersion::bundled),
        trigger,
        jitter_ms: definition.jitter_ms,
        misfire_threshold_ms: definition.misfire_threshold_ms.unwrap_or(defaults.misfire_threshold_ms),
        priority: definition.priority.unwrap_or(job.priority),
        gate: job.gate(),
        delay_ms: match definition.schedule {
            ScheduleDefinition::Delay { delay_ms } => Some(delay_ms),
            _ => None,
        },
        queue: job.line().into(),
        input: (!definition.input.is_null()).then(|| definition.input.to_string().into()),
        definition: Arc::clone(job),
    })
}

/// Compiles the schedule of a trigger, without what the job adds.
///
/// # Errors
/// The first field that cannot be used.
pub fn trigger(definition: &TriggerDefinition, anchor: Timestamp, calendars: Calendars) -> Result<Trigger, FieldError> {
    let semantics: Semantics =
        definition.semantics.parse().map_err(|error| FieldError::new("semantics", "trigger.semantics", error))?;
    let zone = zone(&definition.timezone)?;
    let misfire: MisfirePolicy =
        definition.misfire.parse().map_err(|error| FieldError::new("misfire", "trigger.misfire", error))?;
    let mut trigger = Trigger::new(schedule(&definition.schedule, semantics)?, zone, start(definition, anchor));
    trigger.end_at = definition.end_at;
    trigger.misfire = misfire;
    trigger.semantics = semantics;
    if let Some(name) = &definition.calendar {
        let missing = || FieldError::new("calendar", "calendar.not_found", format!("there is no calendar `{name}`"));
        trigger.calendar = Some(calendars(name).ok_or_else(missing)?);
    }
    trigger.validate().map_err(|error| FieldError::new("schedule", error.code(), error))?;
    Ok(trigger)
}

/// The start of a schedule that an edit or resume looks at: `at` triggers start at their instant.
fn start(definition: &TriggerDefinition, anchor: Timestamp) -> Timestamp {
    match definition.schedule {
        ScheduleDefinition::At { at } => at,
        ScheduleDefinition::After { .. } => Timestamp::UNIX_EPOCH,
        _ => definition.start_at.unwrap_or(anchor),
    }
}

/// Reads a zone's name.
///
/// # Errors
/// Names zones that are spelled alike.
pub fn zone(name: &str) -> Result<Zone, FieldError> {
    Zone::parse(name).map_err(|error| FieldError::new("timezone", "zone.unknown", error))
}

fn schedule(definition: &ScheduleDefinition, semantics: Semantics) -> Result<Schedule, FieldError> {
    Ok(match definition {
        ScheduleDefinition::Cron { expression } => Schedule::Cron(Arc::new(cron(expression, semantics)?)),
        ScheduleDefinition::Every { interval_ms, repeat_count } => {
            Schedule::Every { interval_ms: *interval_ms, repeat_count: *repeat_count }
        }
        ScheduleDefinition::CalendarInterval { unit, interval, preserve_hour, skip_day } => {
            Schedule::CalendarInterval {
                unit: calendar_unit(unit)?,
                interval: *interval,
                preserve_hour: *preserve_hour,
                skip_day: *skip_day,
            }
        }
        ScheduleDefinition::DailyWindow { from, to, days, interval_ms, repeat_count } => {
            let (unit, interval) = window_step(*interval_ms)?;
            Schedule::DailyWindow {
                from: time_of_day("from", from)?,
                to: to.as_deref().map(|to| time_of_day("to", to)).transpose()?,
                days: days_of_week(days)?,
                unit,
                interval,
                repeat_count: *repeat_count,
            }
        }
        // One instant that has long passed: nothing is ever due.
        ScheduleDefinition::At { .. } | ScheduleDefinition::After { .. } => Schedule::At,
        ScheduleDefinition::Delay { delay_ms } => Schedule::Delay { delay_ms: *delay_ms },
    })
}

/// Reads a cron expression; the dialect follows from the number of fields.
///
/// # Errors
/// Says what was expected, and at which column.
pub fn cron(expression: &str, semantics: Semantics) -> Result<Cron, FieldError> {
    Cron::parse_auto(expression, semantics).map_err(|error| FieldError::new("cron", error.code(), error))
}

fn calendar_unit(word: &str) -> Result<CalendarUnit, FieldError> {
    use CalendarUnit::{Day, Hour, Minute, Month, Second, Week, Year};
    let units = [Second, Minute, Hour, Day, Week, Month, Year];
    units.into_iter().find(|unit| unit.as_str() == word).ok_or_else(|| {
        let expected = units.map(CalendarUnit::as_str).join(", ");
        FieldError::new("unit", "trigger.unit", format!("`{}` is not one of {expected}", word.escape_debug()))
    })
}

/// Quartz's daily window steps by whole seconds, minutes or hours; the largest that fits is as good as any.
fn window_step(interval_ms: i64) -> Result<(CalendarUnit, u32), FieldError> {
    let units = [(CalendarUnit::Hour, 3_600_000), (CalendarUnit::Minute, 60_000), (CalendarUnit::Second, 1_000)];
    units
        .into_iter()
        .find(|(_, unit_ms)| interval_ms > 0 && interval_ms % unit_ms == 0)
        .and_then(|(unit, unit_ms)| Some((unit, u32::try_from(interval_ms / unit_ms).ok()?)))
        .ok_or_else(|| FieldError::new("interval", "trigger.interval", "a daily window steps by whole seconds"))
}

fn time_of_day(field: &'static str, text: &str) -> Result<TimeOfDay, FieldError> {
    text.parse().map_err(|error| FieldError::new(field, "trigger.time_of_day", error))
}

fn days_of_week(words: &[String]) -> Result<DaysOfWeek, FieldError> {
    if words.is_empty() {
        return Ok(DaysOfWeek::ALL);
    }
    words.join(",").parse().map_err(|error| FieldError::new("days", "trigger.days", error))
}

/// Compiles a calendar and its bases.
///
/// # Errors
/// The first field that cannot be used; a base that is missing.
pub fn calendar(definition: &CalendarDefinition, calendars: Calendars) -> Result<Calendar, FieldError> {
    let refused = |error: mainspring_schedule::CalendarError| FieldError::new("calendar", error.code(), error);
    let mut calendar = match &definition.rule {
        CalendarRule::Annual { days } => Calendar::annual(days.iter().copied()).map_err(refused)?,
        CalendarRule::Cron { expression } => {
            let expression = Cron::parse(expression, Dialect::Quartz, Semantics::Standard)
                .map_err(|error| FieldError::new("cron", error.code(), error))?;
            Calendar::cron(Arc::new(expression))
        }
        CalendarRule::Daily { from, to, invert } => {
            Calendar::daily(time_of_day("from", from)?, time_of_day("to", to)?, *invert).map_err(refused)?
        }
        CalendarRule::Holiday { dates } => {
            let dates: Result<Vec<Date>, FieldError> = dates.iter().map(|text| date(text)).collect();
            Calendar::holiday(dates?).map_err(refused)?
        }
        CalendarRule::Monthly { days } => Calendar::monthly(days.iter().copied()).map_err(refused)?,
        CalendarRule::Weekly { days } => Calendar::weekly(days_of_week(days)?),
    };
    if let Some(name) = &definition.timezone {
        calendar = calendar.in_zone(zone(name)?);
    }
    if let Some(name) = &definition.base {
        let missing = || FieldError::new("base", "calendar.not_found", format!("there is no calendar `{name}`"));
        calendar = calendar.on_base(calendars(name).ok_or_else(missing)?).map_err(refused)?;
    }
    Ok(calendar)
}

fn date(text: &str) -> Result<Date, FieldError> {
    let refused = || {
        FieldError::new("dates", "calendar.date", format!("`{}` is not a date such as 2026-12-25", text.escape_debug()))
    };
    let mut parts = text.split('-');
    let mut next = |width: usize| {
        let part = parts.next().filter(|part| part.len() == width && part.bytes().all(|b| b.is_ascii_digit()));
        part.and_then(|part| part.parse::<i32>().ok()).ok_or_else(refused)
    };
    let (year, month, day) = (next(4)?, next(2)?, next(2)?);
    if parts.next().is_some() {
        return Err(refused());
    }
    let small = |n: i32| u8::try_from(n).map_err(|_| refused());
    Ok(Date::new(year, small(month)?, small(day)?))
}
