//! Triggers between job file and definition.

use std::sync::Arc;

use mainspring_api::{
    CalendarInterval, DailyWindow, ErrorCode, IntervalUnit, Misfire, OneOrMany, Problem, Semantics, TriggerSpec,
    Weekday,
};
use mainspring_core::compile::{self, FieldError};
use mainspring_core::job::{ScheduleDefinition, TriggerDefinition};
use mainspring_schedule::{Calendar, TimeOfDay, Timestamp, Trigger, Zone};

use super::defaults::unless_default;
use super::texts::{duration_ms, duration_text, instant, positive_ms};
use super::{problem, under};

/// Reads a trigger. Its zone is `timezone` if it names none, its name `trigger`.
///
/// # Errors
/// Everything that is wrong, with pointers that begin at the trigger.
pub fn trigger(spec: &TriggerSpec, timezone: &str) -> Result<TriggerDefinition, Vec<Problem>> {
    let mut problems = Vec::new();
    let definition = read(spec, timezone, &mut problems);
    definition.filter(|_| problems.is_empty()).ok_or(problems)
}

/// The same, as far as it can be read: what cannot is noted, and left at its default. Nothing without a schedule.
pub(super) fn read(spec: &TriggerSpec, timezone: &str, problems: &mut Vec<Problem>) -> Option<TriggerDefinition> {
    let zone_name = spec.timezone.as_deref().unwrap_or(if spec.after.is_some() { "UTC" } else { timezone });
    let zone = compile::zone(zone_name).map_err(|error| problem(error, "/timezone")).or_note(problems);
    // The rest is read all the same, so that its problems show at once.
    let zone = zone.unwrap_or_else(Zone::utc);
    let schedule = schedule(spec, &zone).or_note(problems);
    times_of_day(spec, problems);
    let at = |text: &Option<String>, pointer| text.as_deref().map(|text| instant(text, &zone, pointer)).transpose();
    let start_at = at(&spec.start_at, "/start_at").or_note(problems).flatten();
    let end_at = at(&spec.end_at, "/end_at").or_note(problems).flatten();
    let ms = |text: &Option<String>, pointer| text.as_deref().map(|text| duration_ms(text, pointer)).transpose();
    let threshold = ms(&spec.misfire_threshold, "/misfire_threshold").or_note(problems).flatten();
    let jitter = ms(&spec.jitter, "/jitter").or_note(problems).flatten();
    Some(TriggerDefinition {
        timezone: zone.name().to_owned(),
        start_at,
        end_at,
        calendar: spec.calendar.clone(),
        misfire: spec.misfire.unwrap_or_default().as_str().to_owned(),
        misfire_threshold_ms: threshold,
        priority: spec.priority,
        input: spec.input.clone().unwrap_or_default(),
        jitter_ms: jitter.unwrap_or(0),
        semantics: spec.semantics.unwrap_or_default().as_str().to_owned(),
        paused: spec.paused.unwrap_or(false),
        ..TriggerDefinition::new(spec.name.as_deref().unwrap_or("trigger"), schedule?)
    })
}

/// Notes what is wrong with the times of a daily window: compiling would tell of the first only.
fn times_of_day(spec: &TriggerSpec, problems: &mut Vec<Problem>) {
    let Some(window) = &spec.daily_window else { return };
    for (pointer, text) in [("/daily_window/from", &window.from), ("/daily_window/to", &window.to)] {
        if let Some(Err(error)) = text.as_deref().map(str::parse::<TimeOfDay>) {
            problems.push(Problem::new(ErrorCode::ScheduleInstant, error.to_string()).at(pointer));
        }
    }
}

/// Writes a trigger as a job file would.
#[must_use]
pub fn trigger_spec(definition: &TriggerDefinition) -> TriggerSpec {
    let misfire = Misfire::from_word(&definition.misfire);
    let mut spec = TriggerSpec {
        name: Some(definition.name.clone()),
        timezone: Some(definition.timezone.clone()),
        start_at: definition.start_at.map(|at| at.to_string()),
        end_at: definition.end_at.map(|at| at.to_string()),
        calendar: definition.calendar.clone(),
        misfire: misfire.and_then(unless_default),
        misfire_threshold: definition.misfire_threshold_ms.map(duration_text),
        priority: definition.priority,
        input: Some(definition.input.clone()).filter(|input| !input.is_null()),
        jitter: (definition.jitter_ms > 0).then(|| duration_text(definition.jitter_ms)),
        semantics: Semantics::from_word(&definition.semantics).and_then(unless_default),
        paused: definition.paused.then_some(true),
        ..TriggerSpec::default()
    };
    write_schedule(&definition.schedule, &mut spec);
    spec
}

/// Compiles a trigger as the engine will, and checks that it fires. Pointers begin at the trigger.
pub(super) fn compiled(
    definition: &TriggerDefinition,
    now: Timestamp,
    calendars: &dyn Fn(&str) -> Option<Arc<Calendar>>,
) -> Result<Trigger, Problem> {
    let pointed = |error: FieldError| {
        let pointer = pointer_of(error.field, &definition.schedule);
        problem(error, pointer)
    };
    let trigger = compile::trigger(definition, now, calendars).map_err(pointed)?;
    if matches!(definition.schedule, ScheduleDefinition::After { .. }) {
        return Ok(trigger);
    }
    match trigger.validate_fires() {
        Ok(()) => Ok(trigger),
        Err(error) => {
            let pointer = format!("/{}", definition.schedule.kind());
            Err(Problem::new(super::code_of(error.code()), error.to_string()).at(pointer))
        }
    }
}

/// Where a field of the core stands in a trigger of a job file.
fn pointer_of(field: &str, schedule: &ScheduleDefinition) -> String {
    let kind = schedule.kind();
    match field {
        "schedule" => format!("/{kind}"),
        "unit" => "/calendar_interval/unit".to_owned(),
        "interval" => "/daily_window/every".to_owned(),
        "from" | "to" | "days" => format!("/daily_window/{field}"),
        other => format!("/{other}"),
    }
}

fn schedule(spec: &TriggerSpec, zone: &Zone) -> Result<ScheduleDefinition, Problem> {
    let repeat_count = spec.repeat_count;
    if let Some(expression) = &spec.cron {
        return Ok(ScheduleDefinition::Cron { expression: expression.clone() });
    }
    if let Some(text) = &spec.every {
        return Ok(ScheduleDefinition::Every { interval_ms: positive_ms(text, "/every")?, repeat_count });
    }
    if let Some(text) = &spec.at {
        return Ok(ScheduleDefinition::At { at: instant(text, zone, "/at")? });
    }
    if let Some(interval) = &spec.calendar_interval {
        return Ok(ScheduleDefinition::CalendarInterval {
            unit: unit_word(interval.unit).to_owned(),
            interval: interval.every,
            preserve_hour: interval.preserve_hour,
            skip_day: interval.skip_missing_hour,
        });
    }
    if let Some(window) = &spec.daily_window {
        return daily_window(window, repeat_count).map_err(|problem| under("/daily_window", problem));
    }
    if let Some(jobs) = &spec.after {
        let on = spec.on.unwrap_or_default();
        return Ok(ScheduleDefinition::After { jobs: jobs.as_slice().to_vec(), on });
    }
    if let Some(text) = &spec.delay {
        return Ok(ScheduleDefinition::Delay { delay_ms: duration_ms(text, "/delay")? });
    }
    Err(Problem::new(ErrorCode::TriggerNoKind, "the trigger does not say when"))
}

fn daily_window(window: &DailyWindow, repeat_count: Option<u32>) -> Result<ScheduleDefinition, Problem> {
    Ok(ScheduleDefinition::DailyWindow {
        from: window.from.clone().unwrap_or_else(|| "00:00".to_owned()),
        to: window.to.clone(),
        days: window.days.as_ref().map(weekday_words).unwrap_or_default(),
        interval_ms: positive_ms(&window.every, "/every")?,
        repeat_count,
    })
}

fn write_schedule(schedule: &ScheduleDefinition, spec: &mut TriggerSpec) {
    match schedule {
        ScheduleDefinition::Cron { expression } => spec.cron = Some(expression.clone()),
        ScheduleDefinition::Every { interval_ms, repeat_count } => {
            spec.every = Some(duration_text(*interval_ms));
            spec.repeat_count = *repeat_count;
        }
        ScheduleDefinition::CalendarInterval { unit, interval, preserve_hour, skip_day } => {
            let unit = UNITS.into_iter().find(|known| unit_word(*known) == unit).unwrap_or(IntervalUnit::Day);
            spec.calendar_interval = Some(CalendarInterval {
                every: *interval,
                unit,
                preserve_hour: *preserve_hour,
                skip_missing_hour: *skip_day,
            });
        }
        ScheduleDefinition::DailyWindow { from, to, days, interval_ms, repeat_count } => {
            let days: Vec<Weekday> = days.iter().filter_map(|word| weekday(word)).collect();
            spec.daily_window = Some(DailyWindow {
                every: duration_text(*interval_ms),
                from: Some(from.clone()),
                to: to.clone(),
                days: (!days.is_empty()).then_some(OneOrMany::Many(days)),
            });
            spec.repeat_count = *repeat_count;
        }
        ScheduleDefinition::At { at } => spec.at = Some(at.to_string()),
        ScheduleDefinition::Delay { delay_ms } => spec.delay = Some(duration_text(*delay_ms)),
        ScheduleDefinition::After { jobs, on } => {
            spec.after = Some(match jobs.as_slice() {
                [job] => OneOrMany::One(job.clone()),
                jobs => OneOrMany::Many(jobs.to_vec()),
            });
            spec.on = unless_default(*on);
            spec.timezone = None;
        }
    }
}

const UNITS: [IntervalUnit; 7] = [
    IntervalUnit::Second,
    IntervalUnit::Minute,
    IntervalUnit::Hour,
    IntervalUnit::Day,
    IntervalUnit::Week,
    IntervalUnit::Month,
    IntervalUnit::Year,
];

const fn unit_word(unit: IntervalUnit) -> &'static str {
    match unit {
        IntervalUnit::Second => "second",
        IntervalUnit::Minute => "minute",
        IntervalUnit::Hour => "hour",
        IntervalUnit::Day => "day",
        IntervalUnit::Week => "week",
        IntervalUnit::Month => "month",
        IntervalUnit::Year => "year",
    }
}

const WEEKDAYS: [(Weekday, &str); 7] = [
    (Weekday::Mon, "mon"),
    (Weekday::Tue, "tue"),
    (Weekday::Wed, "wed"),
    (Weekday::Thu, "thu"),
    (Weekday::Fri, "fri"),
    (Weekday::Sat, "sat"),
    (Weekday::Sun, "sun"),
];

/// Days of the week as words, Monday first and each once, so that equal sets are equal texts.
pub(super) fn weekday_words(days: &OneOrMany<Weekday>) -> Vec<String> {
    let named = WEEKDAYS.iter().filter(|(day, _)| days.as_slice().contains(day));
    named.map(|(_, word)| (*word).to_owned()).collect()
}

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    WEEKDAYS.iter().find(|(_, known)| *known == word).map(|(day, _)| *day)
}

/// Keeps a value, or notes what is wrong with it.
pub(super) trait OrNote<T> {
    fn or_note(self, problems: &mut Vec<Problem>) -> Option<T>;
}

impl<T> OrNote<T> for Result<T, Problem> {
    fn or_note(self, problems: &mut Vec<Problem>) -> Option<T> {
        self.map_err(|problem| problems.push(problem)).ok()
    }
}
