//! Errors of cron expressions: the problem, its place, and a suggestion.

use std::fmt;
use std::ops::Range;

/// A field of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Seconds, 0 to 59. Quartz dialect only.
    Second,
    /// Minutes, 0 to 59.
    Minute,
    /// Hours, 0 to 23.
    Hour,
    /// Days of the month, 1 to 31.
    Day,
    /// Months, 1 to 12 or JAN to DEC.
    Month,
    /// Days of the week: 1 to 7 from Sunday in the Quartz dialect, 0 to 7 in the Unix dialect; or SUN to SAT.
    Weekday,
    /// Years, 1970 to 2099. Quartz dialect only, and optional there.
    Year,
}

impl Field {
    pub(crate) const QUARTZ: [Self; 7] =
        [Self::Second, Self::Minute, Self::Hour, Self::Day, Self::Month, Self::Weekday, Self::Year];
    pub(crate) const UNIX: [Self; 5] = [Self::Minute, Self::Hour, Self::Day, Self::Month, Self::Weekday];

    /// Returns the field's name in sentences: `second`, `day-of-month`, ….
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day-of-month",
            Self::Month => "month",
            Self::Weekday => "day-of-week",
            Self::Year => "year",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

pub(crate) const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
pub(crate) const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// An expression that cannot be read: what is wrong, where, and what to do.
///
/// ```
/// use mainspring_schedule::{Cron, Dialect, Semantics};
/// let error = Cron::parse("0 0 25 * * ?", Dialect::Quartz, Semantics::Standard).unwrap_err();
/// assert_eq!(error.code(), "cron.out_of_range");
/// assert_eq!(error.span(), 4..6);
/// assert_eq!(error.to_string(), "`25` is not a valid hour at column 5: expected 0 to 23");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronError {
    pub(crate) code: &'static str,
    pub(crate) problem: String,
    pub(crate) span: Range<usize>,
    pub(crate) field: Option<Field>,
    pub(crate) expected: String,
    pub(crate) suggestion: Option<String>,
}

impl CronError {
    /// Returns the stable code, such as `cron.out_of_range`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the place in the text, in bytes from its beginning; empty where something is missing.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the field that is wrong, or `None` when the expression as a whole is.
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        self.field
    }

    /// Returns the valid alternatives.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// Returns a correction if one can be guessed: the text that replaces the span, or the whole expression where the
    /// span is the whole expression.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }
}

impl fmt::Display for CronError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at column {}: expected {}", self.problem, self.span.start + 1, self.expected)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; try `{suggestion}`"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CronError {}

/// A reason why Quartz refuses a text. The strict parser finds the words for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Field(Field),
    Empty(Field),
    FieldCount,
    BothDays,
}
