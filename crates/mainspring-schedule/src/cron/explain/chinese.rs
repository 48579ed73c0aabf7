//! Chinese sentences: years, months, days, then time.

use super::super::fields::{Days, Fields, MonthDays, members};
use super::{DayParts, Pattern, days_pattern, every_day, few_times, year_run, years};
use crate::Cron;

const WEEKDAYS: [&str; 7] = ["日", "一", "二", "三", "四", "五", "六"];
const ORDINALS: [&str; 5] = ["一", "二", "三", "四", "五"];

pub(super) fn explain(cron: &Cron) -> String {
    let fields = &cron.0.fields;
    let mut sentence = String::new();
    match years(&fields.years) {
        None => {}
        Some(Pattern::Steps { first, last, step }) => sentence += &format!("{first} 至 {last} 年每 {step} 年，"),
        Some(Pattern::Runs(runs)) if runs.is_empty() => sentence += "没有任何年份，",
        Some(years) => {
            let shown: Vec<_> = years.runs().iter().map(|run| year_run(*run)).collect();
            sentence += &format!("{} 年，", shown.join("、"));
        }
    }
    let months = values(&Pattern::months(fields));
    if let Some(months) = &months {
        sentence += &format!("{months} 月");
    }
    let (time, daily) = time(fields);
    let days = days(&fields.days, months.is_some());
    match days {
        Some(days) => sentence += &days,
        None if daily => sentence += "每天",
        None => {}
    }
    let glue = if sentence.is_empty() || sentence.ends_with('，') {
        ""
    } else if time.starts_with(|c: char| c.is_ascii_digit()) {
        " "
    } else {
        "，"
    };
    format!("{sentence}{glue}{time}（{} 语法）", cron.dialect())
}

/// Returns the time of day, and whether "每天" goes before it when no days are named.
fn time(fields: &Fields) -> (String, bool) {
    let (seconds, minutes, hours) = (Pattern::seconds(fields), Pattern::minutes(fields), Pattern::hours(fields));
    let (&Pattern::One(second), &Pattern::One(minute)) = (&seconds, &minutes) else {
        if let Some(times) = few_times(fields) {
            return (times.join("、"), true);
        }
        return (repetition(&seconds, &minutes, &hours), hours != Pattern::All);
    };
    let clock = |hour: u32| match second {
        0 => format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    match hours {
        Pattern::All => match (minute, second) {
            (0, 0) => ("每小时整点".to_owned(), false),
            (_, 0) => (format!("每小时第 {minute} 分"), false),
            _ => (format!("每小时第 {minute} 分 {second} 秒"), false),
        },
        Pattern::Range(first, last) => (format!("{} 至 {}，每小时", clock(first), clock(last)), true),
        Pattern::Steps { first, last, step } if (last - first) / step > 2 => {
            (format!("{} 至 {}，每 {step} 小时", clock(first), clock(last)), true)
        }
        _ => (members(u64::from(fields.hours)).map(clock).collect::<Vec<_>>().join("、"), true),
    }
}

fn repetition(seconds: &Pattern, minutes: &Pattern, hours: &Pattern) -> String {
    let hours = match hours {
        Pattern::All => String::new(),
        Pattern::One(hour) => format!("{hour:02}:00 至 {hour:02}:59，"),
        Pattern::Range(first, last) => format!("{first:02}:00 至 {last:02}:59，"),
        hours => format!("{} 点内，", values(hours).unwrap_or_default()),
    };
    let times = match (seconds, minutes) {
        (Pattern::One(0), minutes) => every(minutes, "小时", "分", "分钟"),
        (Pattern::One(second), minutes) => {
            format!("{}，第 {second} 秒", every(minutes, "小时", "分", "分钟"))
        }
        (seconds, Pattern::All) => every(seconds, "分钟", "秒", "秒"),
        (seconds, Pattern::One(minute)) => {
            format!("第 {minute} 分，{}", every(seconds, "分钟", "秒", "秒"))
        }
        (seconds, minutes) => {
            format!("{}，{}", some_minutes(minutes), every(seconds, "分钟", "秒", "秒"))
        }
    };
    format!("{hours}{times}")
}

fn some_minutes(minutes: &Pattern) -> String {
    match *minutes {
        Pattern::Steps { first, last, step } => {
            format!("每小时第 {first} 至 {last} 分，每 {step} 分钟中的一分钟内")
        }
        _ => format!("每小时第 {} 分内", values(minutes).unwrap_or_default()),
    }
}

/// Describes a repetition: `whole` is the unit that the values divide, `unit` counts within it, `length` measures.
fn every(values_of: &Pattern, whole: &str, unit: &str, length: &str) -> String {
    match *values_of {
        Pattern::All => format!("每{length}"),
        Pattern::One(value) => format!("每{whole}第 {value} {unit}"),
        Pattern::Range(first, last) => {
            format!("每{whole}第 {first} {unit}至第 {last} {unit}，每{length}")
        }
        Pattern::Steps { first: 0, last, step } if last + step > 59 => format!("每 {step} {length}"),
        Pattern::Steps { first, last, step } => {
            format!("每{whole}第 {first} {unit}至第 {last} {unit}，每 {step} {length}")
        }
        Pattern::Runs(_) => format!("每{whole}第 {} {unit}", values(values_of).unwrap_or_default()),
    }
}

fn days(days: &Days, month_named: bool) -> Option<String> {
    if every_day(days) {
        return month_named.then(|| "每天".to_owned());
    }
    let of_month = if month_named { "" } else { "每月" };
    Some(match days {
        Days::OfMonth(days) => in_month(of_month, &month_days(days)),
        Days::OfWeek(weekdays) => on_weekdays(*weekdays),
        Days::LastOfWeek(weekday) => format!("{of_month}最后一个星期{}", name(u32::from(*weekday))),
        Days::NthOfWeek { weekday, nth } => {
            format!("{of_month}第{}个星期{}", ORDINALS[usize::from(*nth) - 1], name(u32::from(*weekday)))
        }
        Days::Both(days, weekdays) => {
            let weekdays: Vec<_> = members(u64::from(*weekdays)).map(|day| format!("周{}", name(day))).collect();
            format!("{}且为{}", in_month(of_month, &plain(&days_pattern(*days))), weekdays.join("或"))
        }
        Days::Either(days, weekdays) => {
            format!("{}或{}", in_month(of_month, &plain(&days_pattern(*days))), on_weekdays(*weekdays))
        }
        Days::Never => "没有任何一天".to_owned(),
    })
}

/// Returns the text with a space between a Chinese character and a following number.
fn in_month(of_month: &str, days: &str) -> String {
    let blank = if days.starts_with(|c: char| c.is_ascii_digit()) { " " } else { "" };
    format!("{of_month}{blank}{days}")
}

fn month_days(days: &MonthDays) -> String {
    let parts = DayParts::of(days);
    let mut phrases: Vec<String> = parts.plain.iter().map(plain).collect();
    phrases.extend(parts.from_end.iter().map(|offset| match offset {
        0 => "最后一天".to_owned(),
        offset => format!("倒数第 {} 天", offset + 1),
    }));
    phrases.extend(parts.nearest.iter().map(|day| format!("离 {day} 日最近的工作日")));
    phrases.extend(parts.nearest_from_end.iter().map(|offset| match offset {
        0 => "最后一个工作日".to_owned(),
        offset => format!("离倒数第 {} 天最近的工作日", offset + 1),
    }));
    if phrases.is_empty() { "没有任何一天".to_owned() } else { phrases.join("，") }
}

fn plain(days: &Pattern) -> String {
    match days {
        Pattern::All => "每天".to_owned(),
        Pattern::Steps { first, last, step } if *step <= 10 => {
            format!("{first} 至 {last} 日每 {step} 天")
        }
        days => format!("{} 日", values(days).unwrap_or_default()),
    }
}

/// Weeks begin on Monday in sentences, so that Sunday comes last.
fn on_weekdays(weekdays: u8) -> String {
    let from_monday = u64::from(weekdays >> 1 & !1) | u64::from(weekdays >> 1 & 1) << 7;
    let show = |day: u32| format!("周{}", WEEKDAYS[day as usize % 7]);
    match show_values(&Pattern::of(from_monday, 0b1111_1110), "至", show) {
        Some(days) => format!("每{days}"),
        None => "每天".to_owned(),
    }
}

fn name(weekday: u32) -> &'static str {
    WEEKDAYS[weekday as usize - 1]
}

/// Returns the members as numbers; `None` for all of them.
fn values(pattern: &Pattern) -> Option<String> {
    show_values(pattern, " 至 ", |value| value.to_string())
}

fn show_values(pattern: &Pattern, to: &str, show: impl Fn(u32) -> String) -> Option<String> {
    let range = |(first, last): (u32, u32)| {
        if first == last { show(first) } else { format!("{}{to}{}", show(first), show(last)) }
    };
    Some(match pattern {
        Pattern::All => return None,
        Pattern::One(value) => show(*value),
        Pattern::Range(first, last) => range((*first, *last)),
        Pattern::Steps { first, last, step } => {
            (*first..=*last).step_by(*step as usize).map(show).collect::<Vec<_>>().join("、")
        }
        Pattern::Runs(runs) => runs.iter().copied().map(range).collect::<Vec<_>>().join("、"),
    })
}
