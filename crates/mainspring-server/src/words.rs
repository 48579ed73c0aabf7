//! Schedules in words, in English and Chinese.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use mainspring_core::after::AfterOn;
use mainspring_core::compile;
use mainspring_core::job::{ScheduleDefinition, TriggerDefinition};
use mainspring_core::jump::Jump;
use mainspring_schedule::{Lang, Period, Semantics};

/// The language that the caller reads best, of those that are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Reads(pub(crate) Lang);

/// The first of the languages of an `Accept-Language` header that is known, by weight; else English.
fn of_header(text: &str) -> Lang {
    let mut ranges: Vec<(u16, Lang)> = text.split(',').take(32).filter_map(range).collect();
    // Stable: of equal weights the first one counts.
    ranges.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    ranges.first().map_or(Lang::English, |(_, language)| *language)
}

fn range(text: &str) -> Option<(u16, Lang)> {
    let mut parts = text.split(';').map(str::trim);
    let tag = parts.next()?.split('-').next()?.to_ascii_lowercase();
    let language = match tag.as_str() {
        "zh" => Lang::Chinese,
        "en" | "*" => Lang::English,
        _ => return None,
    };
    let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse::<f64>().ok())?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=1000")]
    let weight = (weight * 1_000.0).clamp(0.0, 1_000.0) as u16;
    (weight > 0).then_some((weight, language))
}

impl<S: Send + Sync> FromRequestParts<S> for Reads {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let header = parts.headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        Ok(Self(header.map(of_header).unwrap_or_default()))
    }
}

/// Says of a jump of the clock that is not believed, and what to do.
#[must_use]
pub(crate) fn jump(jump: Jump) -> String {
    let span = |ms: u64| Span(i64::try_from(ms / 1_000 * 1_000).unwrap_or(i64::MAX));
    format!(
        "the machine's clock has jumped {} ahead; the time goes on from before until that has stood for {} more",
        span(jump.ahead_ms),
        span(jump.left_ms.max(1_000)),
    )
}

/// Says that triggers have records of the future, if there are any.
#[must_use]
pub(crate) fn triggers_ahead(count: u32) -> Option<String> {
    const WHY: &str = "fired for instants to come, because a clock was ahead, and";
    match count {
        0 => None,
        1 => Some(format!("1 trigger has {WHY} is silent until then")),
        count => Some(format!("{count} triggers have {WHY} are silent until then")),
    }
}

/// Says when a trigger fires, and in which zone where that matters.
#[must_use]
pub fn explain(trigger: &TriggerDefinition, language: Lang) -> String {
    let zone = &trigger.timezone;
    match (&trigger.schedule, language) {
        (ScheduleDefinition::Cron { expression }, _) => cron(trigger, expression, language),
        (ScheduleDefinition::Every { interval_ms, repeat_count }, Lang::English) => {
            format!("every {}{}", Span(*interval_ms), times(*repeat_count, language))
        }
        (ScheduleDefinition::Every { interval_ms, repeat_count }, Lang::Chinese) => {
            format!("每 {}{}", Span(*interval_ms), times(*repeat_count, language))
        }
        (ScheduleDefinition::CalendarInterval { unit, interval, .. }, Lang::English) => match interval {
            1 => format!("every {unit} ({zone})"),
            _ => format!("every {interval} {unit}s ({zone})"),
        },
        (ScheduleDefinition::CalendarInterval { unit, interval, .. }, Lang::Chinese) => {
            format!("每 {interval} {}（{zone}）", unit_in_chinese(unit))
        }
        (ScheduleDefinition::DailyWindow { from, to, days, interval_ms, repeat_count }, _) => {
            window(zone, from, to.as_deref(), days, Span(*interval_ms), language) + &times(*repeat_count, language)
        }
        (ScheduleDefinition::At { at }, Lang::English) => format!("once at {}", local(*at, zone)),
        (ScheduleDefinition::At { at }, Lang::Chinese) => format!("在 {} 执行一次", local(*at, zone)),
        (ScheduleDefinition::Delay { delay_ms }, Lang::English) => {
            format!("{} after the end of the run before", Span(*delay_ms))
        }
        (ScheduleDefinition::Delay { delay_ms }, Lang::Chinese) => format!("上次运行结束后 {}", Span(*delay_ms)),
        (ScheduleDefinition::After { jobs, on }, Lang::English) => {
            let ends = match on {
                AfterOn::Succeeded => "succeeds",
                AfterOn::Failed => "fails",
                AfterOn::Cancelled => "is cancelled",
                AfterOn::Skipped => "is skipped",
                AfterOn::Any => "ends",
            };
            format!("when a run of {} {ends}", jobs.join(" or "))
        }
        (ScheduleDefinition::After { jobs, on }, Lang::Chinese) => {
            let ends = match on {
                AfterOn::Succeeded => "成功",
                AfterOn::Failed => "失败",
                AfterOn::Cancelled => "被取消",
                AfterOn::Skipped => "被跳过",
                AfterOn::Any => "结束",
            };
            format!("{} 的运行{ends}后", jobs.join("、"))
        }
    }
}

fn cron(trigger: &TriggerDefinition, expression: &str, language: Lang) -> String {
    let semantics: Semantics = trigger.semantics.parse().unwrap_or_default();
    let words = match compile::cron(expression, semantics) {
        Ok(cron) => mainspring_schedule::explain(&cron, language),
        // Stored by a version that read it; what it says is all that is known.
        Err(_) => expression.to_owned(),
    };
    match language {
        Lang::English => format!("{words}, {}", trigger.timezone),
        Lang::Chinese => format!("{words}，{}", trigger.timezone),
    }
}

fn window(zone: &str, from: &str, to: Option<&str>, days: &[String], step: Span, language: Lang) -> String {
    match language {
        Lang::English => {
            let to = to.unwrap_or("the end of the day");
            let days = if days.is_empty() { "every day".to_owned() } else { format!("on {}", days.join(", ")) };
            format!("every {step} from {from} to {to}, {days} ({zone})")
        }
        Lang::Chinese => {
            let to = to.unwrap_or("24:00");
            let days: Vec<_> = days.iter().map(|day| day_in_chinese(day)).collect();
            let days = if days.is_empty() { "每天".to_owned() } else { days.join("、") };
            format!("{days} {from} 至 {to}，每 {step}（{zone}）")
        }
    }
}

fn times(repeat_count: Option<u32>, language: Lang) -> String {
    match (repeat_count, language) {
        (None, _) => String::new(),
        (Some(repeats), Lang::English) => format!(", {} times in all", u64::from(repeats) + 1),
        (Some(repeats), Lang::Chinese) => format!("，共 {} 次", u64::from(repeats) + 1),
    }
}

fn local(at: mainspring_schedule::Timestamp, zone: &str) -> String {
    match compile::zone(zone) {
        Ok(known) => format!("{} ({zone})", known.to_local(at)),
        Err(_) => at.to_string(),
    }
}

/// A length of time: `90s`, `2h`.
struct Span(i64);

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Period::from_millis(self.0).unwrap_or(Period::ZERO).fmt(f)
    }
}

fn unit_in_chinese(unit: &str) -> &str {
    match unit {
        "second" => "秒",
        "minute" => "分钟",
        "hour" => "小时",
        "day" => "天",
        "week" => "周",
        "month" => "个月",
        "year" => "年",
        other => other,
    }
}

fn day_in_chinese(day: &str) -> &str {
    match day {
        "mon" => "周一",
        "tue" => "周二",
        "wed" => "周三",
        "thu" => "周四",
        "fri" => "周五",
        "sat" => "周六",
        "sun" => "周日",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_known_language_is_taken() {
        for (header, expected) in [
            ("", Lang::English),
            ("zh-CN,zh;q=0.9,en;q=0.8", Lang::Chinese),
            ("de, en;q=0.5, zh;q=0.4", Lang::English),
            ("en;q=0.1, zh-TW;q=0.7", Lang::Chinese),
            ("zh;q=0, *", Lang::English),
            ("zh;q=x", Lang::English),
        ] {
            assert_eq!(of_header(header), expected, "{header}");
        }
    }

    #[test]
    fn every_kind_has_words_in_both_languages() {
        let cases = [
            (
                r#"{"kind":"cron","expression":"0 30 2 ? * 6L"}"#,
                "At 02:30 on the last Friday of the month (Quartz dialect), UTC",
                "每月最后一个星期五 02:30（Quartz 语法），UTC",
            ),
            (
                r#"{"kind":"every","interval_ms":90000,"repeat_count":2}"#,
                "every 90s, 3 times in all",
                "每 90s，共 3 次",
            ),
            (r#"{"kind":"calendar_interval","unit":"month","interval":2}"#, "every 2 months (UTC)", "每 2 个月（UTC）"),
            (r#"{"kind":"after","jobs":["a","b"],"on":"any"}"#, "when a run of a or b ends", "a、b 的运行结束后"),
            (r#"{"kind":"after","jobs":["a"]}"#, "when a run of a succeeds", "a 的运行成功后"),
            (
                r#"{"kind":"daily_window","from":"09:00","to":"17:00","days":["mon","fri"],"interval_ms":1800000}"#,
                "every 30m from 09:00 to 17:00, on mon, fri (UTC)",
                "周一、周五 09:00 至 17:00，每 30m（UTC）",
            ),
            (r#"{"kind":"at","at":0}"#, "once at 1970-01-01T00:00:00 (UTC)", "在 1970-01-01T00:00:00 (UTC) 执行一次"),
            (r#"{"kind":"delay","delay_ms":10000}"#, "10s after the end of the run before", "上次运行结束后 10s"),
        ];
        for (schedule, english, chinese) in cases {
            let trigger = TriggerDefinition::new("t", serde_json::from_str(schedule).unwrap());
            assert_eq!(explain(&trigger, Lang::English), english);
            assert_eq!(explain(&trigger, Lang::Chinese), chinese);
        }
    }
}
