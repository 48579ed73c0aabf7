//! Says in words when an expression fires.
//!
//! The words come from the meaning, not from the text, so that `0-59/15` and `*/15` read the same.

mod chinese;
mod english;

use super::Cron;
use super::fields::{ALL_HOURS, ALL_MONTHS, ALL_SECONDS, Days, Fields, LAST_YEAR, Years, members};

/// A language for sentences that people read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lang {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

/// Says when the schedule fires, and in which dialect it was read.
///
/// ```
/// use mainspring_schedule::{Cron, Lang, Semantics, explain};
/// let cron = Cron::parse_auto("0 30 2 ? * 6L 2024-2030", Semantics::Standard)?;
/// assert_eq!(
///     explain(&cron, Lang::English),
///     "At 02:30 on the last Friday of the month, in 2024–2030 (Quartz dialect)"
/// );
/// assert_eq!(explain(&cron, Lang::Chinese), "2024–2030 年，每月最后一个星期五 02:30（Quartz 语法）");
/// // Five fields: Vixie's rule, by which either day field is enough.
/// let cron = Cron::parse_auto("0 9 13 * 5", Semantics::Standard)?;
/// assert_eq!(
///     explain(&cron, Lang::English),
///     "At 09:00 on day 13 of the month or on Friday (Unix dialect)"
/// );
/// # Ok::<(), mainspring_schedule::CronError>(())
/// ```
#[must_use]
pub fn explain(cron: &Cron, lang: Lang) -> String {
    match lang {
        Lang::English => english::explain(cron),
        Lang::Chinese => chinese::explain(cron),
    }
}

/// A set of values as an explanation describes it.
#[derive(Debug, PartialEq, Eq)]
enum Pattern {
    All,
    One(u32),
    /// Neighbours, at least three.
    Range(u32, u32),
    /// Equal steps of at least two, at least three members.
    Steps {
        first: u32,
        last: u32,
        step: u32,
    },
    /// Anything else, as runs of neighbours.
    Runs(Vec<(u32, u32)>),
}

impl Pattern {
    fn of(mask: u64, all: u64) -> Self {
        if mask == all { Self::All } else { Self::of_members(&members(mask).collect::<Vec<_>>()) }
    }

    fn of_members(members: &[u32]) -> Self {
        let step = match *members {
            [one] => return Self::One(one),
            [first, second, _, ..] => second - first,
            _ => 0,
        };
        let equal = step > 0 && members.windows(2).all(|pair| pair[1] - pair[0] == step);
        match (members.first(), members.last()) {
            (Some(&first), Some(&last)) if equal && step == 1 => Self::Range(first, last),
            (Some(&first), Some(&last)) if equal => Self::Steps { first, last, step },
            _ => Self::Runs(runs(members)),
        }
    }

    /// Returns the values as runs of neighbours.
    fn runs(&self) -> Vec<(u32, u32)> {
        match self {
            Self::One(one) => vec![(*one, *one)],
            Self::Range(first, last) => vec![(*first, *last)],
            Self::Runs(runs) => runs.clone(),
            Self::All | Self::Steps { .. } => Vec::new(),
        }
    }

    fn seconds(fields: &Fields) -> Self {
        Self::of(fields.seconds, ALL_SECONDS)
    }

    fn minutes(fields: &Fields) -> Self {
        Self::of(fields.minutes, ALL_SECONDS)
    }

    fn hours(fields: &Fields) -> Self {
        Self::of(u64::from(fields.hours), u64::from(ALL_HOURS))
    }

    fn months(fields: &Fields) -> Self {
        Self::of(u64::from(fields.months), u64::from(ALL_MONTHS))
    }
}

/// Groups neighbours; two of them stay apart, since "1, 2" reads better than "1 to 2".
fn runs(members: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &value in members {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == value => *last = value,
            _ => runs.push((value, value)),
        }
    }
    runs.into_iter().flat_map(|(a, b)| if b == a + 1 { vec![(a, a), (b, b)] } else { vec![(a, b)] }).collect()
}

/// Returns the years, or `None` for all years.
fn years(years: &Years) -> Option<Pattern> {
    let members: Vec<u32> = years.iter().map(i32::cast_unsigned).collect();
    let every = members.first() == Some(&1970) && members.len() == (LAST_YEAR - 1970 + 1) as usize;
    (!every).then(|| Pattern::of_members(&members))
}

fn year_run((first, last): (u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}–{last}") }
}

/// Returns the times of a day, when they are few enough to be listed.
fn few_times(fields: &Fields) -> Option<Vec<String>> {
    const FEW: u32 = 4;
    let (minutes, seconds) = (fields.minutes.count_ones(), fields.seconds.count_ones());
    if fields.hours.count_ones() * minutes * seconds > FEW {
        return None;
    }
    let with_seconds = fields.seconds != 1;
    let hours = members(u64::from(fields.hours)).flat_map(|h| members(fields.minutes).map(move |m| (h, m)));
    let times = hours.flat_map(|(h, m)| members(fields.seconds).map(move |s| (h, m, s)));
    Some(
        times
            .map(|(h, m, s)| if with_seconds { format!("{h:02}:{m:02}:{s:02}") } else { format!("{h:02}:{m:02}") })
            .collect(),
    )
}

/// Fires on days by number, from the end, and nearest weekdays; in this order.
struct DayParts {
    plain: Option<Pattern>,
    from_end: Vec<u32>,
    nearest: Vec<u32>,
    nearest_from_end: Vec<u32>,
}

impl DayParts {
    fn of(days: &super::fields::MonthDays) -> Self {
        let list = |mask: u32| members(u64::from(mask)).collect();
        Self {
            plain: (days.plain != 0).then(|| days_pattern(days.plain)),
            from_end: list(days.from_end),
            nearest: list(days.nearest),
            nearest_from_end: list(days.nearest_from_end),
        }
    }
}

fn days_pattern(days: u32) -> Pattern {
    Pattern::of(u64::from(days), u64::from(super::fields::ALL_DAYS))
}

/// Returns whether the schedule fires on every day of its months.
fn every_day(days: &Days) -> bool {
    match days {
        Days::OfMonth(days) => days.plain == super::fields::ALL_DAYS,
        Days::OfWeek(weekdays) => *weekdays == super::fields::ALL_WEEKDAYS,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Semantics};

    #[test]
    fn expressions_read_well_in_both_languages() {
        let table = [
            ("0 0 12 * * ?", "At 12:00 every day", "每天 12:00"),
            ("15 30 2 * * ?", "At 02:30:15 every day", "每天 02:30:15"),
            ("0 0 9,12,18 * * ?", "At 09:00, 12:00 and 18:00 every day", "每天 09:00、12:00、18:00"),
            ("0 0/15 * * * ?", "Every 15 minutes", "每 15 分钟"),
            (
                "0 5/15 * * * ?",
                "Every 15 minutes from minute 5 to 50 of the hour",
                "每小时第 5 分至第 50 分，每 15 分钟",
            ),
            ("0 * * * * ?", "Every minute", "每分钟"),
            ("* * * * * ?", "Every second", "每秒"),
            ("0/10 * * * * ?", "Every 10 seconds", "每 10 秒"),
            ("0 30 * * * ?", "Every hour at minute 30", "每小时第 30 分"),
            ("0 0 * * * ?", "Every hour", "每小时整点"),
            ("0 0 0/2 * * ?", "Every 2 hours from 00:00 to 22:00", "每天 00:00 至 22:00，每 2 小时"),
            (
                "0 30 9-17 ? * MON-FRI",
                "Every hour from 09:30 to 17:30, on Monday to Friday",
                "每周一至周五 09:30 至 17:30，每小时",
            ),
            (
                "0 0/5 9-17 ? * 2-6",
                "Every 5 minutes from 09:00 to 17:59, on Monday to Friday",
                "每周一至周五 09:00 至 17:59，每 5 分钟",
            ),
            ("0 0/5 9,14 * * ?", "Every 5 minutes during hours 9 and 14", "每天 9、14 点内，每 5 分钟"),
            ("* 0 12 * * ?", "Every second of minute 0, from 12:00 to 12:59", "每天 12:00 至 12:59，第 0 分，每秒"),
            ("5 0/10 * * * ?", "Every 10 minutes at second 5", "每 10 分钟，第 5 秒"),
            ("0 15 10 L * ?", "At 10:15 on the last day of the month", "每月最后一天 10:15"),
            ("0 15 10 L-2 * ?", "At 10:15 on the day 2 days before the last day of the month", "每月倒数第 3 天 10:15"),
            (
                "0 15 10 15W * ?",
                "At 10:15 on the weekday nearest to day 15 of the month",
                "每月离 15 日最近的工作日 10:15",
            ),
            ("0 15 10 LW * ?", "At 10:15 on the last weekday of the month", "每月最后一个工作日 10:15"),
            (
                "0 15 10 1,15,LW * ?",
                "At 10:15 on days 1 and 15 of the month and on the last weekday of the month",
                "每月 1、15 日，最后一个工作日 10:15",
            ),
            ("0 15 10 ? * 6#3", "At 10:15 on the third Friday of the month", "每月第三个星期五 10:15"),
            ("0 0 0 1 1 ?", "At 00:00 on day 1 of the month, in January", "1 月 1 日 00:00"),
            (
                "0 0 0 1-7 6-8 ? 2025,2027",
                "At 00:00 on days 1 to 7 of the month, in June to August, in 2025 and 2027",
                "2025、2027 年，6 至 8 月 1 至 7 日 00:00",
            ),
            (
                "0 0 12 ? JAN,MAR MON,WED",
                "At 12:00 on Monday and Wednesday, in January and March",
                "1、3 月每周一、周三 12:00",
            ),
            (
                "0 0 12 */5 * ?",
                "At 12:00 on every 5th day of the month from day 1 to 31",
                "每月 1 至 31 日每 5 天 12:00",
            ),
            ("0 9 1-7 * 1", "At 09:00 on days 1 to 7 of the month or on Monday", "每月 1 至 7 日或每周一 09:00"),
            (
                "0 9 */2 * 1",
                "At 09:00 on every 2nd day of the month from day 1 to 31 that is also a Monday",
                "每月 1 至 31 日每 2 天且为周一 09:00",
            ),
            (
                "0 30 2 ? * 6L 2024-2030",
                "At 02:30 on the last Friday of the month, in 2024–2030",
                "2024–2030 年，每月最后一个星期五 02:30",
            ),
            ("0 0 12 ? * L", "At 12:00 on Saturday", "每周六 12:00"),
            (
                "0 0 12 L-3W * ?",
                "At 12:00 on the weekday nearest to 3 days before the last day of the month",
                "每月离倒数第 4 天最近的工作日 12:00",
            ),
            (
                "0 0 12 1W,15W * ?",
                "At 12:00 on the weekday nearest to day 1 of the month and on the weekday nearest to day 15 of the month",
                "每月离 1 日最近的工作日，离 15 日最近的工作日 12:00",
            ),
            (
                "0 0 22-2 * * ?",
                "At 00:00, 01:00, 02:00, 22:00 and 23:00 every day",
                "每天 00:00、01:00、02:00、22:00、23:00",
            ),
            ("0 0 12 ? * FRI-MON", "At 12:00 on Monday and Friday to Sunday", "每周一、周五至周日 12:00"),
            (
                "0 0 12 1 NOV-FEB ?",
                "At 12:00 on day 1 of the month, in January, February, November and December",
                "1、2、11、12 月 1 日 12:00",
            ),
            (
                "0/30 59 23 31 DEC ? 2026/2",
                "At 23:59:00 and 23:59:30 on day 31 of the month, in December, every 2 years from 2026 to 2098",
                "2026 至 2098 年每 2 年，12 月 31 日 23:59:00、23:59:30",
            ),
            (
                "0 0 12 20,L-9 * ?",
                "At 12:00 on day 20 of the month and on the day 9 days before the last day of the month",
                "每月 20 日，倒数第 10 天 12:00",
            ),
            (
                "0 0,30 9-11,14 * * ?",
                "At minutes 0 and 30 of the hour during hours 9 to 11 and 14",
                "每天 9 至 11、14 点内，每小时第 0、30 分",
            ),
            (
                "*/20 */20 * * * ?",
                "Every 20 seconds, during every 20th minute from 0 to 40 of the hour",
                "每小时第 0 至 40 分，每 20 分钟中的一分钟内，每 20 秒",
            ),
            ("0 0 0 ? * SUN#1", "At 00:00 on the first Sunday of the month", "每月第一个星期日 00:00"),
            ("0 0 0 ? * 2,4,6", "At 00:00 on Monday, Wednesday and Friday", "每周一、周三、周五 00:00"),
            (
                "0/20 29-31 * * * ?",
                "Every 20 seconds, during minutes 29 to 31 of the hour",
                "每小时第 29 至 31 分内，每 20 秒",
            ),
            (
                "0 0,30 9 ? * MON 2026,2028,2031",
                "At 09:00 and 09:30 on Monday, in 2026, 2028 and 2031",
                "2026、2028、2031 年，每周一 09:00、09:30",
            ),
            ("@weekly", "At 00:00 on Sunday", "每周日 00:00"),
        ];
        for (text, english, chinese) in table {
            let cron = Cron::parse_auto(text, Semantics::Standard).unwrap();
            let (name, zh) = (cron.dialect().to_string(), format!("（{} 语法）", cron.dialect()));
            assert_eq!(explain(&cron, Lang::English), format!("{english} ({name} dialect)"), "{text}");
            assert_eq!(explain(&cron, Lang::Chinese), format!("{chinese}{zh}"), "{text}");
        }
    }

    #[test]
    fn every_text_that_quartz_accepts_can_be_explained() {
        for text in ["0 0 12 , * ?", "0 0 12 ? * 8#3", "0 0 12 ? * MON 99", "5X 1-5-7 *5 ? 1/12 MONDAYL"] {
            let cron = Cron::parse(text, Dialect::Quartz, Semantics::Quartz).unwrap();
            assert!(explain(&cron, Lang::English).len() > 20, "{text}");
            assert!(explain(&cron, Lang::Chinese).len() > 20, "{text}");
        }
    }
}
