//! The words for what is wrong with a field.

use std::ops::Range;

use super::super::Dialect;
use super::super::error::{CronError, Field};
use super::Builder;

pub(super) fn wrong_field_count(text: &str, dialect: Dialect, count: usize) -> CronError {
    let (expected, order) = match dialect {
        Dialect::Quartz => ("6 or 7 fields", "second minute hour day-of-month month day-of-week [year]"),
        Dialect::Unix => ("5 fields", "minute hour day-of-month month day-of-week"),
    };
    let problem = match count {
        0 => "the expression is empty".to_owned(),
        1 => "there is 1 field".to_owned(),
        8 => "there are more than 7 fields".to_owned(),
        count => format!("there are {count} fields"),
    };
    CronError {
        code: "cron.field_count",
        problem,
        span: 0..text.len(),
        field: None,
        expected: format!("{expected} in the {dialect} dialect: {order}"),
        suggestion: None,
    }
}

impl Builder<'_> {
    pub(super) fn both_days(&self, tokens: &[Range<usize>]) -> CronError {
        let (day, weekday) = (tokens[3].clone(), tokens[5].clone());
        let (span, suggestion) = match (&self.text[day.clone()], &self.text[weekday.clone()]) {
            (_, "*") => (weekday, Some("?".to_owned())),
            ("*", _) => (day, Some("?".to_owned())),
            _ => (day.start..weekday.end, None),
        };
        let mut error = self.error("cron.both_days", "both day fields are given", span);
        error.field = Some(Field::Weekday);
        error.expected = "`?` in day-of-month or in day-of-week".into();
        error.suggestion = suggestion;
        error
    }

    pub(super) fn misplaced_question_mark(&self, span: Range<usize>) -> CronError {
        let problem = format!("`?` cannot stand in this {} field", self.field);
        let mut error = self.error("cron.misplaced_question_mark", &problem, span);
        error.suggestion = Some("*".into());
        error.expected = match self.dialect {
            Dialect::Unix => "`*` for every value in the Unix dialect".into(),
            Dialect::Quartz => "`?` alone, as day-of-month or day-of-week".into(),
        };
        error
    }

    pub(super) fn step_after_name(&self, item: Range<usize>, numbers: &str) -> CronError {
        let text = &self.text[item.clone()];
        let step = text.rsplit('/').next().unwrap_or_default();
        let mut error = self.error("cron.step_after_name", &format!("`{text}` has a step after a name"), item);
        error.expected = "numbers where there is a step".into();
        error.suggestion = Some(format!("{numbers}/{step}"));
        error
    }

    pub(super) fn reversed(&self, item: Range<usize>, from: u32, to: u32) -> CronError {
        let (low, high) = self.bounds();
        let text = &self.text[item.clone()];
        let mut error = self.error("cron.reversed_range", &format!("`{text}` runs backwards"), item);
        error.expected = "the smaller value first".into();
        error.suggestion = Some(match self.field {
            Field::Year => format!("{to}-{from}"),
            Field::Weekday => format!("{from}-6,{low}-{to}"),
            _ => format!("{from}-{high},{low}-{to}"),
        });
        error
    }

    /// Returns an error with the values of the field as what was expected.
    pub(super) fn error(&self, code: &'static str, problem: &str, span: Range<usize>) -> CronError {
        let (low, high) = self.bounds();
        let expected = match (self.field, self.dialect) {
            (Field::Month, _) => "1 to 12 or JAN to DEC".to_owned(),
            (Field::Weekday, Dialect::Quartz) => "1 to 7 (1 is Sunday) or SUN to SAT".to_owned(),
            (Field::Weekday, Dialect::Unix) => "0 to 7 (0 and 7 are Sunday) or SUN to SAT".to_owned(),
            _ => format!("{low} to {high}"),
        };
        CronError { code, problem: problem.to_owned(), span, field: Some(self.field), expected, suggestion: None }
    }
}

/// Returns the name that a word begins with, or is one slip away from.
pub(super) fn nearest_name(text: &str, names: &[&str]) -> Option<String> {
    let upper = text.to_ascii_uppercase();
    let score = |name: &&&str| strsim::damerau_levenshtein(&upper, name);
    let begins = names.iter().find(|name| upper.starts_with(**name));
    begins.or_else(|| names.iter().min_by_key(score).filter(|name| score(name) <= 1)).map(|name| (*name).to_owned())
}
