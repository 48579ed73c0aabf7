//! Points out what an expression does that its author may not have meant.

use std::ops::Range;

use super::fields::{ALL_DAYS, ALL_HOURS, ALL_SECONDS, Days, Fields, members};
use super::strict::{Tokens, tokens};
use super::{Cron, Dialect, Field};
use crate::civil::days_in_month;
use crate::{Lang, Semantics, Timestamp, Zone};

/// A remark on an expression that is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// The stable code, such as `lint.never_fires`.
    pub code: &'static str,
    /// The effect of the expression, in English.
    pub message: String,
    /// The effect of the expression, in Chinese.
    pub message_zh: String,
    /// The part of the text that causes it, in bytes from its beginning.
    pub span: Range<usize>,
}

impl Lint {
    /// Returns the effect of the expression, in a language.
    #[must_use]
    pub fn message_in(&self, lang: Lang) -> &str {
        match lang {
            Lang::English => &self.message,
            Lang::Chinese => &self.message_zh,
        }
    }
}

/// Looks for traps in an expression, as it would be evaluated in the zone.
///
/// | code | remark |
/// |---|---|
/// | `lint.never_fires` | no date fits |
/// | `lint.fires_often` | `*` in a small unit below a fixed larger one: 60 fires where one looks meant |
/// | `lint.uneven_step` | the step does not divide the unit, so the last interval is shorter |
/// | `lint.gap_hour` | the zone's clock jumps over the time once a year or so |
/// | `lint.overlap_hour` | the zone's clock shows the time twice |
/// | `lint.short_months` | months without that day are passed over |
/// | `lint.day_or` | Unix: either day field is enough |
/// | `lint.day_and` | Unix: both day fields must fit, since one begins with `*` |
/// | `lint.dialects_differ` | weekday numbers mean other days in the other dialect |
///
/// ```
/// use mainspring_schedule::{Cron, Semantics, Zone, lint};
/// let cron = Cron::parse_auto("0 30 2 * * ?", Semantics::Standard)?;
/// let lints = lint(&cron, &"Europe/Berlin".parse()?);
/// assert_eq!(lints[0].code, "lint.gap_hour");
/// assert_eq!(lints[0].span, 2..6);
/// assert!(lint(&cron, &Zone::utc()).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn lint(cron: &Cron, zone: &Zone) -> Vec<Lint> {
    let linter = Linter { cron, fields: &cron.0.fields, tokens: tokens(cron.as_str()) };
    if let Some(reason) = cron.never_fires() {
        let english = format!("never fires: {reason}");
        return vec![linter.lint("lint.never_fires", english, format!("永远不会触发：{}", reason.to_chinese()), &[])];
    }
    [
        linter.fires_often(),
        linter.uneven_step(Field::Second, linter.fields.seconds, 60),
        linter.uneven_step(Field::Minute, linter.fields.minutes, 60),
        linter.uneven_step(Field::Hour, u64::from(linter.fields.hours), 24),
        linter.gap_hour(zone),
        linter.overlap_hour(zone),
        linter.short_months(),
        linter.both_days(),
        linter.dialects_differ(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

struct Linter<'c> {
    cron: &'c Cron,
    fields: &'c Fields,
    tokens: Tokens,
}

impl Linter<'_> {
    fn lint(&self, code: &'static str, message: String, message_zh: String, fields: &[Field]) -> Lint {
        Lint { code, message, message_zh, span: self.span(fields) }
    }

    /// Returns the text from the first to the last of the fields; the whole text for none, and for nicknames such as
    /// `@daily`.
    fn span(&self, fields: &[Field]) -> Range<usize> {
        let order = self.cron.dialect().fields();
        let token = |field: &Field| {
            let index = order.iter().position(|other| other == field)?;
            self.tokens.get(index).filter(|_| self.tokens.len() >= 5)
        };
        match (fields.first().and_then(token), fields.last().and_then(token)) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..self.cron.as_str().len(),
        }
    }

    fn text(&self, field: Field) -> &str {
        &self.cron.as_str()[self.span(&[field])]
    }

    fn fires_often(&self) -> Option<Lint> {
        let Fields { seconds, minutes, hours, .. } = *self.fields;
        let every_second = seconds == ALL_SECONDS && (minutes.count_ones() <= 3 || fixed(hours));
        let every_minute = minutes == ALL_SECONDS && fixed(hours);
        if !every_second && !every_minute {
            return None;
        }
        let per_day = u64::from(seconds.count_ones()) * u64::from(minutes.count_ones()) * u64::from(hours.count_ones());
        let field = if every_second { Field::Second } else { Field::Minute };
        Some(self.lint(
            "lint.fires_often",
            format!("fires {per_day} times on each of its days; write 0 as the {field} to fire once"),
            format!("在每个触发日会触发 {per_day} 次；若只想触发一次，请将该字段写为 0"),
            &[field],
        ))
    }

    /// Warns of an uneven step: `*/7` minutes are 0, 7, …, 56, and then 0 again.
    fn uneven_step(&self, field: Field, mask: u64, size: u32) -> Option<Lint> {
        let text = self.text(field);
        let step: u32 = text.strip_prefix("*/").or_else(|| text.strip_prefix("0/"))?.parse().ok()?;
        let last = members(mask).last()?;
        let rest = size - last;
        if step < 2 || rest == step || mask.count_ones() < 2 {
            return None;
        }
        Some(self.lint(
            "lint.uneven_step",
            format!("the step of {step} does not divide {size}: after {field} {last} the next is 0, {rest} later"),
            format!("步长 {step} 不能整除 {size}：{last} 之后从 0 重新开始，间隔仅为 {rest}"),
            &[field],
        ))
    }

    fn gap_hour(&self, zone: &Zone) -> Option<Lint> {
        let (gap_end, lost) = changes(zone).find_map(|change| {
            let before = zone.offset_ms(change - 1);
            let gap = change.as_millis() + before;
            let gap_end = zone.to_local(change).as_millis();
            let lost = super::standard::first_made_up(self.fields, gap, gap_end)?;
            Some((zone.to_local(change), lost))
        })?;
        let (date, time) = (lost.date(), clock(lost));
        let (outcome, outcome_zh) = match self.semantics() {
            Semantics::Standard => {
                let at = clock(gap_end);
                (format!("it fires at {at} instead"), format!("改为在 {at} 触发"))
            }
            Semantics::Quartz => ("Quartz skips it".to_owned(), "Quartz 会跳过这一次".to_owned()),
        };
        Some(self.lint(
            "lint.gap_hour",
            format!("{time} does not exist in {zone} on days such as {date}, when clocks go forward; {outcome}"),
            format!("{zone} 的时钟拨快时（如 {date}）没有 {time}；{outcome_zh}"),
            self.time_fields(),
        ))
    }

    fn overlap_hour(&self, zone: &Zone) -> Option<Lint> {
        let fixed_hours = self.fields.hours & !self.fields.stepped;
        let twice = changes(zone).find_map(|change| {
            let (start, end) = (zone.to_local(change), change.as_millis() + zone.offset_ms(change - 1));
            let found = super::search::next_local(self.fields, fixed_hours, start.as_millis())?;
            (found < end).then(|| crate::Civil::from_millis(found))
        })?;
        let (date, time) = (twice.date(), clock(twice));
        let (which, which_zh) = match self.semantics() {
            Semantics::Standard => ("first", "第一次"),
            Semantics::Quartz => ("second", "第二次"),
        };
        Some(self.lint(
            "lint.overlap_hour",
            format!(
                "{time} occurs twice in {zone} on days such as {date}, when clocks go back; it fires at the {which}"
            ),
            format!("{zone} 的时钟拨慢时（如 {date}）{time} 出现两次；只在{which_zh}触发"),
            self.time_fields(),
        ))
    }

    /// Returns the semantics by which it fires: Quartz has no Unix dialect.
    fn semantics(&self) -> Semantics {
        if self.cron.follows_quartz() { Semantics::Quartz } else { Semantics::Standard }
    }

    const fn time_fields(&self) -> &'static [Field] {
        &[Field::Minute, Field::Hour]
    }

    fn short_months(&self) -> Option<Lint> {
        let (english, chinese, field) = match &self.fields.days {
            Days::NthOfWeek { nth: 5, .. } => {
                let english = "months with only four such weekdays are passed over; `L` means the last one";
                (english.to_owned(), "没有第五个该星期几的月份会被跳过；用 L 表示最后一个".to_owned(), Field::Weekday)
            }
            Days::OfMonth(days) if days.from_end | days.nearest_from_end == 0 => {
                let smallest = (days.plain | days.nearest).trailing_zeros();
                let mut short = members(u64::from(self.fields.months))
                    .filter(|month| u32::from(days_in_month(2025, *month as u8)) < smallest);
                short.next()?;
                let english = format!("months without day {smallest} are passed over; `L` means the last day");
                let english = if self.cron.dialect() == Dialect::Unix {
                    format!("months without day {smallest} are passed over")
                } else {
                    english
                };
                (english, format!("没有 {smallest} 日的月份会被跳过"), Field::Day)
            }
            _ => return None,
        };
        Some(self.lint("lint.short_months", english, chinese, &[field]))
    }

    fn both_days(&self) -> Option<Lint> {
        let fields = [Field::Day, Field::Month, Field::Weekday];
        match &self.fields.days {
            Days::Either(..) => Some(self.lint(
                "lint.day_or",
                "a day that fits either day field is enough, as in Vixie cron".to_owned(),
                "与 Vixie cron 相同：两个日期字段满足其一即触发".to_owned(),
                &fields,
            )),
            Days::Both(..) => Some(self.lint(
                "lint.day_and",
                "a day must fit both day fields, since one of them begins with `*`, as in Vixie cron".to_owned(),
                "与 Vixie cron 相同：有一个日期字段以 * 开头，因此两个字段必须同时满足".to_owned(),
                &fields,
            )),
            _ => None,
        }
    }

    /// Numbers of weekdays begin with 1 for Sunday in Quartz, with 0 for Sunday in Unix.
    fn dialects_differ(&self) -> Option<Lint> {
        let text = self.text(Field::Weekday);
        let days = text.split(['#', '/']).next().unwrap_or(text);
        let every = matches!(&self.fields.days, Days::OfMonth(days) if days.plain == ALL_DAYS);
        let numbered = days.bytes().any(|b| b.is_ascii_digit()) && !every && days != "1-7" && days != "0-6";
        if self.cron.dialect() != Dialect::Quartz || !numbered {
            return None;
        }
        Some(self.lint(
            "lint.dialects_differ",
            format!("`{text}` counts from 1 = Sunday here, but five-field cron counts from 0 = Sunday; names such as MON are the same in both"),
            format!("此处 `{text}` 以 1 表示星期日，而五字段 cron 以 0 表示星期日；用 MON 等名称则两者一致"),
            &[Field::Weekday],
        ))
    }
}

/// Returns whether the hours are a few single ones, not a range or a step.
const fn fixed(hours: u32) -> bool {
    hours != ALL_HOURS && hours.count_ones() <= 3
}

/// Returns the offset changes from 2030 to 2037: by present rules, not those of the past.
fn changes(zone: &Zone) -> impl Iterator<Item = Timestamp> {
    const FROM: Timestamp = Timestamp::from_millis(1_893_456_000_000);
    const TO: Timestamp = Timestamp::from_millis(2_145_916_800_000);
    std::iter::successors(zone.next_change(FROM), |change| zone.next_change(*change)).take_while(|change| *change < TO)
}

fn clock(t: crate::Civil) -> String {
    match t.second() {
        0 => format!("{:02}:{:02}", t.hour(), t.minute()),
        second => format!("{:02}:{:02}:{second:02}", t.hour(), t.minute()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code and marked text of each remark.
    type Expected = &'static [(&'static str, &'static str)];

    #[test]
    fn traps_are_pointed_out_and_plain_expressions_are_not() {
        let table: [(&str, &str, Expected); 22] = [
            ("0 0 12 * * ?", "Europe/Berlin", &[]),
            ("0 0 12 ? * MON-FRI", "Europe/Berlin", &[]),
            ("0 * * * * ?", "Europe/Berlin", &[]),
            ("0 0 * * * ?", "Europe/Berlin", &[]),
            ("0 0 12 30 2 ?", "UTC", &[("lint.never_fires", "0 0 12 30 2 ?")]),
            ("* 0 12 * * ?", "UTC", &[("lint.fires_often", "*")]),
            ("* * 12 * * ?", "UTC", &[("lint.fires_often", "*")]),
            ("* 2 * * *", "UTC", &[("lint.fires_often", "*")]),
            ("0 */7 * * * ?", "UTC", &[("lint.uneven_step", "*/7")]),
            ("0 */5 * * * ?", "UTC", &[]),
            ("0 0 */5 * * ?", "UTC", &[("lint.uneven_step", "*/5")]),
            ("0 30 2 * * ?", "Europe/Berlin", &[("lint.gap_hour", "30 2"), ("lint.overlap_hour", "30 2")]),
            ("0 30 1 * * ?", "America/New_York", &[("lint.overlap_hour", "30 1")]),
            ("0 30 2 * * ?", "Asia/Shanghai", &[]),
            ("0 0 9 31 * ?", "UTC", &[("lint.short_months", "31")]),
            ("0 0 9 15,31 * ?", "UTC", &[]),
            ("0 0 9 31 1,3,5 ?", "UTC", &[]),
            ("0 0 9 ? * FRI#5", "UTC", &[("lint.short_months", "FRI#5")]),
            ("0 9 13 * 5", "UTC", &[("lint.day_or", "13 * 5")]),
            ("0 9 */2 * 5", "UTC", &[("lint.day_and", "*/2 * 5")]),
            ("0 0 9 ? * 1-5", "UTC", &[("lint.dialects_differ", "1-5")]),
            ("@daily", "Europe/Berlin", &[]),
        ];
        for (text, zone, expected) in table {
            let cron = Cron::parse_auto(text, Semantics::Standard).unwrap();
            let lints = lint(&cron, &Zone::parse(zone).unwrap());
            let found: Vec<_> = lints.iter().map(|lint| (lint.code, &text[lint.span.clone()])).collect();
            assert_eq!(found, expected, "{text} in {zone}");
            assert!(lints.iter().all(|lint| lint.message.is_ascii() && !lint.message_zh.is_ascii()));
        }
    }
}
