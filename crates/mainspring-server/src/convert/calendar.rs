//! Calendars between job file and definition.

use mainspring_api::{CalendarSpec, DailyRange, ErrorCode, OneOrMany, Problem};
use mainspring_core::job::{CalendarDefinition, CalendarRule};

use super::schedule::{weekday, weekday_words};
use super::texts::date;

/// Reads a calendar. Its base is not looked at, and its texts are read when it is compiled.
///
/// # Errors
/// What is wrong, with pointers that begin at the calendar.
pub fn calendar(spec: &CalendarSpec) -> Result<CalendarDefinition, Vec<Problem>> {
    Ok(CalendarDefinition {
        rule: rule(spec)?,
        timezone: spec.timezone.clone(),
        base: spec.base.clone(),
        description: spec.description.clone().unwrap_or_default(),
    })
}

/// Writes a calendar as a job file would.
#[must_use]
pub fn calendar_spec(namespace: &str, name: &str, definition: &CalendarDefinition) -> CalendarSpec {
    let mut spec = CalendarSpec {
        name: name.to_owned(),
        namespace: Some(namespace.to_owned()),
        description: Some(definition.description.clone()).filter(|text| !text.is_empty()),
        timezone: definition.timezone.clone(),
        base: definition.base.clone(),
        ..CalendarSpec::default()
    };
    match &definition.rule {
        CalendarRule::Annual { days } => {
            spec.annual = Some(days.iter().map(|(month, day)| format!("{month:02}-{day:02}")).collect());
        }
        CalendarRule::Cron { expression } => spec.cron = Some(expression.clone()),
        CalendarRule::Daily { from, to, invert } => {
            spec.daily = Some(DailyRange { from: from.clone(), to: to.clone(), invert: *invert });
        }
        CalendarRule::Holiday { dates } => spec.holiday = Some(dates.clone()),
        CalendarRule::Monthly { days } => spec.monthly = Some(OneOrMany::Many(days.clone())),
        CalendarRule::Weekly { days } => {
            spec.weekly = Some(OneOrMany::Many(days.iter().filter_map(|word| weekday(word)).collect()));
        }
    }
    spec
}

fn rule(spec: &CalendarSpec) -> Result<CalendarRule, Vec<Problem>> {
    if let Some(days) = &spec.annual {
        return annual(days);
    }
    if let Some(expression) = &spec.cron {
        return Ok(CalendarRule::Cron { expression: expression.clone() });
    }
    if let Some(range) = &spec.daily {
        return Ok(CalendarRule::Daily { from: range.from.clone(), to: range.to.clone(), invert: range.invert });
    }
    if let Some(dates) = &spec.holiday {
        return holiday(dates);
    }
    if let Some(days) = &spec.monthly {
        return Ok(CalendarRule::Monthly { days: days.as_slice().to_vec() });
    }
    if let Some(days) = &spec.weekly {
        return match weekday_words(days) {
            days if days.is_empty() => {
                Err(vec![Problem::new(ErrorCode::FieldValue, "the calendar names no day").at("/weekly")])
            }
            days => Ok(CalendarRule::Weekly { days }),
        };
    }
    Err(vec![Problem::new(ErrorCode::CalendarNoKind, "the calendar removes nothing")])
}

fn holiday(dates: &[String]) -> Result<CalendarRule, Vec<Problem>> {
    let wrong = dates.iter().enumerate().filter(|(_, text)| date(text).is_none());
    let problems: Vec<_> = wrong
        .map(|(index, text)| {
            let shown: String = text.chars().take(32).collect();
            let message = format!("`{}` is not a date such as 2026-12-25", shown.escape_debug());
            Problem::new(ErrorCode::ScheduleInstant, message).at(format!("/holiday/{index}"))
        })
        .collect();
    if problems.is_empty() { Ok(CalendarRule::Holiday { dates: dates.to_vec() }) } else { Err(problems) }
}

fn annual(texts: &[String]) -> Result<CalendarRule, Vec<Problem>> {
    let mut days = Vec::with_capacity(texts.len());
    let mut problems = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        match month_and_day(text) {
            Some(day) => days.push(day),
            None => {
                let shown: String = text.chars().take(32).collect();
                let message = format!("`{}` is not a day of the year such as 12-25", shown.escape_debug());
                problems.push(Problem::new(ErrorCode::ScheduleInstant, message).at(format!("/annual/{index}")));
            }
        }
    }
    if problems.is_empty() { Ok(CalendarRule::Annual { days }) } else { Err(problems) }
}

fn month_and_day(text: &str) -> Option<(u8, u8)> {
    let (month, day) = text.split_once('-')?;
    let number = |digits: &str| {
        let plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse().ok())?
    };
    Some((number(month)?, number(day)?))
}
