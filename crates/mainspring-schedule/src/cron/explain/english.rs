//! English sentences: time, then days, months and years.

use super::super::fields::{Days, Fields, MonthDays, members};
use super::{DayParts, Pattern, days_pattern, every_day, few_times, year_run, years};
use crate::Cron;

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

pub(super) fn explain(cron: &Cron) -> String {
    let fields = &cron.0.fields;
    let (mut sentence, at_times) = time(fields);
    match days(&fields.days) {
        Some(days) if at_times => sentence += &format!(" {days}"),
        Some(days) => sentence += &format!(", {days}"),
        None if at_times && every_day(&fields.days) => sentence += " every day",
        None => {}
    }
    if let Some(months) = values(&Pattern::months(fields), |month| MONTHS[month as usize - 1].to_owned()) {
        sentence += &format!(", in {months}");
    }
    match years(&fields.years) {
        None => {}
        Some(Pattern::Steps { first, last, step }) => {
            sentence += &format!(", every {step} years from {first} to {last}");
        }
        Some(Pattern::Runs(runs)) if runs.is_empty() => sentence += ", in no year",
        Some(years) => sentence += &format!(", in {}", and(years.runs().iter().map(|run| year_run(*run)).collect())),
    }
    format!("{sentence} ({} dialect)", cron.dialect())
}

/// Returns the time of day, and whether it is a list of times ("At …") rather than a repetition ("Every …").
fn time(fields: &Fields) -> (String, bool) {
    let (seconds, minutes, hours) = (Pattern::seconds(fields), Pattern::minutes(fields), Pattern::hours(fields));
    let (&Pattern::One(second), &Pattern::One(minute)) = (&seconds, &minutes) else {
        if let Some(times) = few_times(fields) {
            return (format!("At {}", and(times)), true);
        }
        return (repetition(&seconds, &minutes, &hours), false);
    };
    let clock = |hour: u32| match second {
        0 => format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    let sentence = match hours {
        Pattern::All => match (minute, second) {
            (0, 0) => "Every hour".to_owned(),
            (_, 0) => format!("Every hour at minute {minute}"),
            _ => format!("Every hour at minute {minute} and second {second}"),
        },
        Pattern::Range(first, last) => {
            format!("Every hour from {} to {}", clock(first), clock(last))
        }
        Pattern::Steps { first, last, step } if (last - first) / step > 2 => {
            format!("Every {step} hours from {} to {}", clock(first), clock(last))
        }
        _ => {
            return (format!("At {}", and(members(u64::from(fields.hours)).map(clock).collect())), true);
        }
    };
    (sentence, false)
}

fn repetition(seconds: &Pattern, minutes: &Pattern, hours: &Pattern) -> String {
    let mut sentence = match (seconds, minutes) {
        (Pattern::One(0), minutes) => every(minutes, "minute", "hour"),
        (Pattern::One(second), minutes) => {
            format!("{} at second {second}", every(minutes, "minute", "hour"))
        }
        (seconds, Pattern::All) => every(seconds, "second", "minute"),
        (seconds, Pattern::One(minute)) => {
            format!("{} of minute {minute}", every(seconds, "second", "minute"))
        }
        (seconds, minutes) => {
            format!("{}, during {}", every(seconds, "second", "minute"), some_minutes(minutes))
        }
    };
    let comma = if matches!(seconds, Pattern::One(_)) { "" } else { "," };
    match hours {
        Pattern::All => {}
        Pattern::One(hour) => sentence += &format!("{comma} from {hour:02}:00 to {hour:02}:59"),
        Pattern::Range(first, last) => sentence += &format!("{comma} from {first:02}:00 to {last:02}:59"),
        hours => {
            let hours = values(hours, |hour| hour.to_string()).unwrap_or_default();
            sentence += &format!("{comma} during hours {hours}");
        }
    }
    sentence
}

fn some_minutes(minutes: &Pattern) -> String {
    match *minutes {
        Pattern::Steps { first, last, step } => {
            format!("every {step}{} minute from {first} to {last} of the hour", ordinal_ending(step))
        }
        _ => format!("minutes {} of the hour", values(minutes, |v| v.to_string()).unwrap_or_default()),
    }
}

fn every(values_of: &Pattern, unit: &str, whole: &str) -> String {
    match *values_of {
        Pattern::All => format!("Every {unit}"),
        Pattern::One(value) => format!("At {unit} {value}"),
        Pattern::Range(first, last) => {
            format!("Every {unit} from {first} to {last} of the {whole}")
        }
        Pattern::Steps { first: 0, last, step } if last + step > 59 => format!("Every {step} {unit}s"),
        Pattern::Steps { first, last, step } => {
            format!("Every {step} {unit}s from {unit} {first} to {last} of the {whole}")
        }
        Pattern::Runs(_) => {
            format!("At {unit}s {} of the {whole}", values(values_of, |v| v.to_string()).unwrap_or_default())
        }
    }
}

fn days(days: &Days) -> Option<String> {
    if every_day(days) {
        return None;
    }
    Some(match days {
        Days::OfMonth(days) => of_month(days),
        Days::OfWeek(weekdays) => on_weekdays(*weekdays),
        Days::LastOfWeek(weekday) => {
            format!("on the last {} of the month", name(u32::from(*weekday)))
        }
        Days::NthOfWeek { weekday, nth } => {
            let nth = ORDINALS[usize::from(*nth) - 1];
            format!("on the {nth} {} of the month", name(u32::from(*weekday)))
        }
        Days::Both(days, weekdays) => {
            let weekdays = members(u64::from(*weekdays)).map(|day| format!("a {}", name(day))).collect();
            format!("{} that is also {}", plain(&days_pattern(*days)), list(weekdays, "or"))
        }
        Days::Either(days, weekdays) => format!("{} or {}", plain(&days_pattern(*days)), on_weekdays(*weekdays)),
        Days::Never => "on no day".to_owned(),
    })
}

fn of_month(days: &MonthDays) -> String {
    let parts = DayParts::of(days);
    let mut phrases: Vec<String> = parts.plain.iter().map(plain).collect();
    phrases.extend(parts.from_end.iter().map(|offset| match offset {
        0 => "on the last day of the month".to_owned(),
        1 => "on the day before the last day of the month".to_owned(),
        offset => format!("on the day {offset} days before the last day of the month"),
    }));
    phrases.extend(parts.nearest.iter().map(|day| format!("on the weekday nearest to day {day} of the month")));
    phrases.extend(parts.nearest_from_end.iter().map(|offset| match offset {
        0 => "on the last weekday of the month".to_owned(),
        offset => {
            format!("on the weekday nearest to {offset} days before the last day of the month")
        }
    }));
    if phrases.is_empty() { "on no day".to_owned() } else { and(phrases) }
}

fn plain(days: &Pattern) -> String {
    match days {
        Pattern::All => "on every day of the month".to_owned(),
        Pattern::One(day) => format!("on day {day} of the month"),
        Pattern::Steps { first, last, step } if *step <= 10 => {
            format!("on every {step}{} day of the month from day {first} to {last}", ordinal_ending(*step))
        }
        days => format!("on days {} of the month", values(days, |day| day.to_string()).unwrap_or_default()),
    }
}

const fn ordinal_ending(number: u32) -> &'static str {
    match number {
        2 => "nd",
        3 => "rd",
        _ => "th",
    }
}

/// Weeks begin on Monday in sentences, so that Sunday comes last.
fn on_weekdays(weekdays: u8) -> String {
    let from_monday = u64::from(weekdays >> 1 & !1) | u64::from(weekdays >> 1 & 1) << 7;
    let monday_first = |day: u32| WEEKDAYS[day as usize % 7].to_owned();
    match values(&Pattern::of(from_monday, 0b1111_1110), monday_first) {
        Some(days) => format!("on {days}"),
        None => "on every day of the week".to_owned(),
    }
}

fn name(weekday: u32) -> &'static str {
    WEEKDAYS[weekday as usize - 1]
}

/// Returns the members in words; `None` for all of them.
fn values(pattern: &Pattern, show: impl Fn(u32) -> String) -> Option<String> {
    let range = |(first, last): (u32, u32)| {
        if first == last { show(first) } else { format!("{} to {}", show(first), show(last)) }
    };
    Some(match pattern {
        Pattern::All => return None,
        Pattern::One(value) => show(*value),
        Pattern::Range(first, last) => range((*first, *last)),
        Pattern::Steps { first, last, step } => and((*first..=*last).step_by(*step as usize).map(show).collect()),
        Pattern::Runs(runs) => and(runs.iter().copied().map(range).collect()),
    })
}

fn and(items: Vec<String>) -> String {
    list(items, "and")
}

fn list(mut items: Vec<String>, word: &str) -> String {
    match items.pop() {
        Some(last) if !items.is_empty() => format!("{} {word} {last}", items.join(", ")),
        last => last.unwrap_or_default(),
    }
}
