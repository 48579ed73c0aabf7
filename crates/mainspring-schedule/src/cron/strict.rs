//! Reads an expression by the grammar of the manuals, and says exactly what is wrong with any other text.
//!
//! Quartz dialect: what Quartz's manual allows, a subset of what Quartz accepts. Unix dialect: Vixie cron.

mod complaint;

use std::ops::Range;

use self::complaint::{nearest_name, wrong_field_count};
use super::Dialect;
use super::error::{CronError, Field, MONTHS, WEEKDAYS};
use super::fields::{ALL_DAYS, ALL_HOURS, ALL_WEEKDAYS, Days, Fields, MonthDays, Years};

/// Reads all fields of an expression.
pub(crate) fn parse(text: &str, dialect: Dialect) -> Result<Fields, CronError> {
    let tokens = tokens(text);
    let expected = match dialect {
        Dialect::Quartz => 6..=7,
        Dialect::Unix => 5..=5,
    };
    if !expected.contains(&tokens.len()) {
        return Err(wrong_field_count(text, dialect, tokens.len()));
    }
    let mut builder = Builder::new(dialect, text);
    for (field, range) in dialect.fields().iter().zip(tokens.iter()) {
        builder.read_field(*field, range.clone())?;
    }
    builder.finish(&tokens)
}

/// The byte ranges of the first eight fields.
#[derive(Default)]
pub(crate) struct Tokens {
    ranges: [Range<usize>; 8],
    count: usize,
}

impl std::ops::Deref for Tokens {
    type Target = [Range<usize>];
    fn deref(&self) -> &Self::Target {
        &self.ranges[..self.count]
    }
}

/// Splits at blanks and tabs; line ends may only surround the whole.
pub(crate) fn tokens(text: &str) -> Tokens {
    let mut tokens = Tokens::default();
    let end = text.trim_ascii_end().len();
    let mut start = text.len() - text.trim_ascii_start().len();
    while start < end && tokens.count < tokens.ranges.len() {
        let blank = text.as_bytes()[start..end].iter().position(|byte| matches!(byte, b' ' | b'\t'));
        let length = blank.unwrap_or(end - start);
        if length > 0 {
            tokens.ranges[tokens.count] = start..start + length;
            tokens.count += 1;
        }
        start += length + 1;
    }
    tokens
}

struct Builder<'t> {
    text: &'t str,
    dialect: Dialect,
    field: Field,
    seconds: u64,
    minutes: u64,
    hours: u32,
    stepped: u32,
    days: MonthDays,
    months: u16,
    weekdays: u8,
    last_weekday: bool,
    nth: u8,
    years: Years,
    /// The field is `?`, or begins with `*` in the Unix dialect.
    any_day: bool,
    any_weekday: bool,
}

impl<'t> Builder<'t> {
    fn new(dialect: Dialect, text: &'t str) -> Self {
        Self {
            text,
            dialect,
            field: Field::Second,
            seconds: 0,
            minutes: 0,
            hours: 0,
            stepped: 0,
            days: MonthDays::default(),
            months: 0,
            weekdays: 0,
            last_weekday: false,
            nth: 0,
            years: Years::default(),
            any_day: false,
            any_weekday: false,
        }
    }

    fn read_field(&mut self, field: Field, range: Range<usize>) -> Result<(), CronError> {
        self.field = field;
        let text = &self.text[range.clone()];
        let day_field = matches!(field, Field::Day | Field::Weekday);
        let any = if self.dialect == Dialect::Unix { text.starts_with('*') } else { text == "?" };
        if day_field && any {
            *(if field == Field::Day { &mut self.any_day } else { &mut self.any_weekday }) = true;
            if text == "?" {
                return Ok(());
            }
        }
        if text.contains('?') {
            return Err(self.misplaced_question_mark(range));
        }
        let mut start = range.start;
        for item in text.split(',') {
            let item_range = start..start + item.len();
            self.read_item(item_range, range.clone())?;
            start += item.len() + 1;
        }
        Ok(())
    }

    fn read_item(&mut self, item: Range<usize>, whole: Range<usize>) -> Result<(), CronError> {
        let text = &self.text[item.clone()];
        match text.as_bytes()[..] {
            [] => Err(self.error("cron.empty_item", "an item of the list is empty", item)),
            [b'*'] => {
                self.add(self.bounds(), 1);
                Ok(())
            }
            [b'*' | b'/', ..] => self.read_every(item),
            _ if self.read_special(&item, &whole)? => Ok(()),
            _ => self.read_values(item),
        }
    }

    /// Reads `*/n`; in the Quartz dialect also `/n`.
    fn read_every(&mut self, item: Range<usize>) -> Result<(), CronError> {
        let text = &self.text[item.clone()];
        let Some(step) = text.strip_prefix("*/").or_else(|| text.strip_prefix('/')) else {
            let problem = format!("`{text}` goes on after `*`");
            return Err(self.error("cron.unexpected_text", &problem, item));
        };
        if self.dialect == Dialect::Unix && text.starts_with('/') {
            let mut error = self.error("cron.missing_value", "nothing stands before `/`", item);
            error.suggestion = Some(format!("*{text}"));
            return Err(error);
        }
        let step = self.step(step, item.end - step.len())?;
        self.add(self.bounds(), step);
        Ok(())
    }

    /// Reads `a`, `a-b`, `a/n`, `a-b/n`.
    fn read_values(&mut self, item: Range<usize>) -> Result<(), CronError> {
        let text = &self.text[item.clone()];
        let (values, step) = match text.split_once('/') {
            Some((values, step)) => (values, Some(self.step(step, item.end - step.len())?)),
            None => (text, None),
        };
        let Some((first, last)) = values.split_once('-') else {
            let value = self.value(values, item.start, false)?;
            if step.is_some() && self.is_name(values) && self.dialect == Dialect::Quartz {
                return Err(self.step_after_name(item, &value.to_string()));
            }
            let last = if step.is_some() { self.bounds().1 } else { value };
            self.add((value, last), step.unwrap_or(1));
            return Ok(());
        };
        let from = self.value(first, item.start, false)?;
        let to = self.value(last, item.start + first.len() + 1, true)?;
        if self.dialect == Dialect::Quartz {
            if self.is_name(first) != self.is_name(last) {
                return Err(self.error("cron.mixed_range", &format!("`{values}` mixes a name and a number"), item));
            }
            if step.is_some() && self.is_name(first) {
                return Err(self.step_after_name(item, &format!("{from}-{to}")));
            }
        }
        if to < from && (self.dialect == Dialect::Unix || self.field == Field::Year) {
            return Err(self.reversed(item, from, to));
        }
        self.add((from, to), step.unwrap_or(1));
        Ok(())
    }

    /// Reads an item of the Quartz dialect only: `L`, `L-n`, `LW`, `L-nW`, `nW`, `nL`, `n#k`.
    fn read_special(&mut self, item: &Range<usize>, whole: &Range<usize>) -> Result<bool, CronError> {
        let text = &self.text[item.clone()];
        let plain = |byte: u8| !byte.is_ascii_alphabetic() && byte != b'#';
        if !matches!(self.field, Field::Day | Field::Weekday) || text.bytes().all(plain) {
            return Ok(false);
        }
        let upper = text.to_ascii_uppercase();
        let special = match self.field {
            Field::Day => upper.starts_with('L') || upper.ends_with('W'),
            Field::Weekday => upper == "L" || upper.contains('#') || upper.len() > 1 && upper.ends_with('L'),
            _ => false,
        };
        if !special {
            return Ok(false);
        }
        if self.dialect == Dialect::Unix {
            let problem = format!("`{text}` belongs to the Quartz dialect");
            let mut error = self.error("cron.quartz_only", &problem, item.clone());
            error.expected = "numbers, ranges and steps; `L`, `W` and `#` need the six fields of Quartz".into();
            return Err(error);
        }
        match self.field {
            Field::Day => self.read_special_day(&upper, item.clone())?,
            _ if item != whole => {
                let problem = format!("`{text}` stands in a list");
                let mut error = self.error("cron.list_not_allowed", &problem, whole.clone());
                error.expected = "a day-of-week field with `L` or `#` to have no other item".into();
                return Err(error);
            }
            _ => self.read_special_weekday(&upper, item.clone())?,
        }
        Ok(true)
    }

    fn read_special_day(&mut self, upper: &str, item: Range<usize>) -> Result<(), CronError> {
        let (day, nearest) = match upper.strip_suffix('W') {
            Some(day) => (day, true),
            None => (upper, false),
        };
        let Some(from_end) = day.strip_prefix('L') else {
            let day = self.value(day, item.start, false)?;
            self.days.nearest |= 1 << day;
            return Ok(());
        };
        let offset = match from_end.strip_prefix('-') {
            None if from_end.is_empty() => Some(0),
            None => None,
            Some(digits) => number(digits).filter(|offset| *offset <= 30),
        };
        let Some(offset) = offset else {
            let problem = format!("`{}` does not count from the last day", &self.text[item.clone()]);
            let mut error = self.error("cron.bad_last_day", &problem, item);
            error.expected = "L, L-1 to L-30, LW, or L-1W to L-30W".into();
            return Err(error);
        };
        *(if nearest { &mut self.days.nearest_from_end } else { &mut self.days.from_end }) |= 1 << offset;
        Ok(())
    }

    fn read_special_weekday(&mut self, upper: &str, item: Range<usize>) -> Result<(), CronError> {
        if upper == "L" {
            self.weekdays |= 1 << 7;
            return Ok(());
        }
        let (weekday, nth) = match upper.split_once('#') {
            Some((weekday, nth)) => (weekday, Some(nth)),
            None => (&upper[..upper.len() - 1], None),
        };
        let weekday_number = self.value(weekday, item.start, false)?;
        self.weekdays |= 1 << weekday_number;
        let Some(nth) = nth else {
            self.last_weekday = true;
            return Ok(());
        };
        match number(nth) {
            Some(nth @ 1..=5) => self.nth = nth as u8,
            _ => {
                let problem = format!("`{nth}` is not a week of the month");
                let mut error = self.error("cron.out_of_range", &problem, item.end - nth.len()..item.end);
                error.expected = "1 to 5 after `#`".into();
                return Err(error);
            }
        }
        Ok(())
    }

    fn is_name(&self, text: &str) -> bool {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
    }

    /// Returns a number or a name. `range_end`: in the Unix dialect Sunday is then 7.
    fn value(&self, text: &str, start: usize, range_end: bool) -> Result<u32, CronError> {
        let span = start..start + text.len();
        let (low, high) = self.bounds();
        if let Some(value) = number(text) {
            return if (low..=high).contains(&value) {
                Ok(value)
            } else {
                let problem = format!("`{text}` is not a valid {}", self.field);
                Err(self.error("cron.out_of_range", &problem, span))
            };
        }
        let (names, base) = self.names();
        let found = names.iter().position(|name| name.eq_ignore_ascii_case(text)).map(|i| i as u32 + base);
        match found {
            Some(0) if range_end => Ok(7),
            Some(value) => Ok(value),
            None if text.is_empty() => {
                Err(self.error("cron.missing_value", &format!("a {} is missing", self.field), span))
            }
            None if text.bytes().all(|b| b.is_ascii_alphabetic()) && !names.is_empty() => {
                let problem = format!("`{text}` is not the name of a {}", self.name_kind());
                let mut error = self.error("cron.unknown_name", &problem, span);
                error.suggestion = nearest_name(text, names);
                Err(error)
            }
            None => {
                let problem = format!("`{text}` is not a {}", self.field);
                Err(self.error("cron.unexpected_text", &problem, span))
            }
        }
    }

    fn step(&self, text: &str, start: usize) -> Result<u32, CronError> {
        let highest = match self.field {
            Field::Second | Field::Minute => 59,
            Field::Hour => 23,
            Field::Day => 31,
            Field::Month => 12,
            Field::Weekday => 7,
            Field::Year => 129,
        };
        number(text).filter(|step| (1..=highest).contains(step)).ok_or_else(|| {
            let problem = match text {
                "" => "there is nothing after `/`".to_owned(),
                _ => format!("`{text}` is not a valid step of the {} field", self.field),
            };
            let mut error = self.error("cron.bad_step", &problem, start..start + text.len());
            error.expected = format!("1 to {highest} after `/`");
            error
        })
    }

    const fn bounds(&self) -> (u32, u32) {
        match (self.field, self.dialect) {
            (Field::Second | Field::Minute, _) => (0, 59),
            (Field::Hour, _) => (0, 23),
            (Field::Day, _) => (1, 31),
            (Field::Month, _) => (1, 12),
            (Field::Weekday, Dialect::Quartz) => (1, 7),
            (Field::Weekday, Dialect::Unix) => (0, 7),
            (Field::Year, _) => (1970, 2099),
        }
    }

    /// Returns the names that stand for values, and the value of the first.
    const fn names(&self) -> (&'static [&'static str], u32) {
        match (self.field, self.dialect) {
            (Field::Month, _) => (&MONTHS, 1),
            (Field::Weekday, Dialect::Quartz) => (&WEEKDAYS, 1),
            (Field::Weekday, Dialect::Unix) => (&WEEKDAYS, 0),
            _ => (&[], 0),
        }
    }

    const fn name_kind(&self) -> &'static str {
        if matches!(self.field, Field::Month) { "month" } else { "weekday" }
    }

    /// Puts a range into the field's set; one that is reversed wraps around.
    fn add(&mut self, (first, last): (u32, u32), step: u32) {
        let (low, high) = self.bounds();
        let size = high + 1 - low;
        let stop = if last < first { last + size } else { last };
        for value in (first..=stop).step_by(step as usize) {
            let value = if value > high { value - size } else { value };
            self.insert(value);
            if self.field == Field::Hour && stop >= first + step {
                self.stepped |= 1 << value;
            }
        }
    }

    fn insert(&mut self, value: u32) {
        match self.field {
            Field::Second => self.seconds |= 1 << value,
            Field::Minute => self.minutes |= 1 << value,
            Field::Hour => self.hours |= 1 << value,
            Field::Day => self.days.plain |= 1 << value,
            Field::Month => self.months |= 1 << value,
            Field::Weekday if self.dialect == Dialect::Unix => self.weekdays |= 1 << (value % 7 + 1),
            Field::Weekday => self.weekdays |= 1 << value,
            Field::Year => self.years.insert(value as i32),
        }
    }

    fn finish(self, tokens: &[Range<usize>]) -> Result<Fields, CronError> {
        let days = match self.dialect {
            Dialect::Quartz => self.quartz_days(tokens)?,
            Dialect::Unix => self.unix_days(),
        };
        Ok(Fields {
            seconds: if self.dialect == Dialect::Unix { 1 } else { self.seconds },
            minutes: self.minutes,
            hours: self.hours,
            stepped: if self.hours == ALL_HOURS { ALL_HOURS } else { self.stepped },
            months: self.months,
            days,
            years: if tokens.len() < 7 { Years::EVERY } else { self.years },
        })
    }

    fn quartz_days(&self, tokens: &[Range<usize>]) -> Result<Days, CronError> {
        match (self.any_day, self.any_weekday) {
            (true, true) => {
                let mut error = self.error("cron.no_days", "both day fields are `?`", tokens[5].clone());
                error.expected = "`?` in only one of day-of-month and day-of-week".into();
                error.suggestion = Some("*".into());
                Err(error)
            }
            (false, false) => Err(self.both_days(tokens)),
            (false, true) => Ok(Days::OfMonth(self.days)),
            (true, false) => Ok(self.weekday_rule()),
        }
    }

    fn weekday_rule(&self) -> Days {
        let weekday = self.weekdays.trailing_zeros() as u8;
        match self.nth {
            0 if self.last_weekday => Days::LastOfWeek(weekday),
            0 => Days::OfWeek(self.weekdays),
            nth => Days::NthOfWeek { weekday, nth },
        }
    }

    /// Vixie's rule: a day must fit both fields if one begins with `*`, and else one of them is enough.
    fn unix_days(&self) -> Days {
        let (days, weekdays) = (self.days.plain, self.weekdays);
        match (days == ALL_DAYS, weekdays == ALL_WEEKDAYS) {
            _ if !self.any_day && !self.any_weekday => Days::Either(days, weekdays),
            (_, true) => Days::OfMonth(self.days),
            (true, _) => Days::OfWeek(weekdays),
            _ => Days::Both(days, weekdays),
        }
    }
}

/// Reads up to nine decimal digits and nothing else.
fn number(text: &str) -> Option<u32> {
    let digits = text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}
