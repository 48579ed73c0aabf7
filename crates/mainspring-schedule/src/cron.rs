//! Cron schedules: the Quartz dialect of six or seven fields and the Unix dialect of five.
//!
//! An expression is read once into bit masks (`fields`), by the grammar of the manuals (`strict`) or as
//! Quartz itself reads it (`quartz_text`). Fires are then found by the repaired rules (`standard`) or by
//! Quartz's own (`quartz`).

mod count;
mod error;
mod explain;
mod fields;
mod lint;
mod never;
mod quartz;
mod quartz_text;
mod search;
mod standard;
mod strict;

use std::fmt;
use std::sync::{Arc, OnceLock};

pub use error::{CronError, Field};
pub use explain::{Lang, explain};
pub use lint::{Lint, lint};
pub use never::NeverFires;

use crate::civil::{DAY_MS, Date};
use crate::{Semantics, Timestamp, Zone};
use error::Refusal;
use fields::{FIRST_YEAR, Fields, LAST_YEAR};

/// The longest expression that is read, in bytes.
pub const MAX_EXPRESSION_BYTES: usize = 512;

/// Two days before the first year that a year field can hold: no fire is earlier, in any zone.
const BEFORE_ALL: Timestamp = Timestamp::from_millis((Date::new(FIRST_YEAR, 1, 1).day_number() - 2) * DAY_MS);
/// Two days after the last year: no fire is later, in any zone.
const AFTER_ALL: Timestamp = Timestamp::from_millis((Date::new(LAST_YEAR + 1, 1, 1).day_number() + 2) * DAY_MS);

/// The dialect of cron that a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Dialect {
    /// Six or seven fields, from seconds to years; weekdays from 1 = Sunday; `? L W #`.
    Quartz,
    /// Five fields, from minutes to weekdays; weekdays from 0 = Sunday; `@daily` and the like. When both day
    /// fields are restricted, either is enough.
    Unix,
}

impl Dialect {
    /// Returns the name in files and in the API: `quartz` or `unix`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quartz => "quartz",
            Self::Unix => "unix",
        }
    }

    pub(crate) const fn fields(self) -> &'static [Field] {
        match self {
            Self::Quartz => &Field::QUARTZ,
            Self::Unix => &Field::UNIX,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quartz => "Quartz",
            Self::Unix => "Unix",
        })
    }
}

/// A cron schedule. Cheap to clone; shows the text it was read from.
///
/// Two schedules are equal when they mean the same under the same semantics, however they are written.
///
/// ```
/// use mainspring_schedule::{Cron, Semantics, Timestamp, Zone};
/// let cron = Cron::parse_auto("0 30 2 ? * 6L", Semantics::Standard)?;
/// let zone: Zone = "Europe/Berlin".parse()?;
/// let fire = cron.next_after(&zone, "2026-01-01T00:00:00Z".parse()?).expect("fires each month");
/// assert_eq!(zone.to_local(fire).to_string(), "2026-01-30T02:30:00"); // the last Friday
///
/// // In New York 02:30 does not exist on 8 March 2026: the fire is not lost, but comes at 03:00.
/// let daily = Cron::parse_auto("30 2 * * *", Semantics::Standard)?;
/// let zone: Zone = "America/New_York".parse()?;
/// let fire = daily.next_after(&zone, "2026-03-08T00:00:00-05:00".parse()?);
/// assert_eq!(fire, Some("2026-03-08T03:00:00-04:00".parse()?));
/// // Quartz itself skips that day.
/// let quartz = Cron::parse_auto("0 30 2 * * ?", Semantics::Quartz)?;
/// let fire = quartz.next_after(&zone, "2026-03-08T00:00:00-05:00".parse()?);
/// assert_eq!(fire, Some("2026-03-09T02:30:00-04:00".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Cron(Arc<Inner>);

struct Inner {
    text: Box<str>,
    dialect: Dialect,
    semantics: Semantics,
    fields: Fields,
    /// Counted once it is needed, for ranges of years.
    days_of_years: OnceLock<count::DaysOfYears>,
}

impl Cron {
    /// Reads an expression of a known dialect.
    ///
    /// Semantics decide which texts are read (Quartz accepts junk such as `5X`) and when they fire. In the
    /// Unix dialect, which Quartz does not have, both are the same.
    ///
    /// # Errors
    /// With the code of what is wrong, its place, and what was expected there. `cron.too_long` above
    /// [`MAX_EXPRESSION_BYTES`].
    pub fn parse(text: &str, dialect: Dialect, semantics: Semantics) -> Result<Self, CronError> {
        if text.len() > MAX_EXPRESSION_BYTES {
            return Err(too_long(text));
        }
        let fields = match (dialect, semantics) {
            (Dialect::Unix, _) => match text.trim().strip_prefix('@') {
                Some(nickname) => strict::parse(expand(text, nickname)?, dialect)?,
                None => strict::parse(text, dialect)?,
            },
            (Dialect::Quartz, Semantics::Standard) => strict::parse(text, dialect)?,
            (Dialect::Quartz, Semantics::Quartz) => quartz_text::parse(text).map_err(|r| refused(text, r))?,
        };
        Ok(Self(Arc::new(Inner { text: text.into(), dialect, semantics, fields, days_of_years: OnceLock::new() })))
    }

    /// Reads an expression whose dialect shows in the number of its fields: five (or `@daily` and the like)
    /// are Unix, six or seven are Quartz.
    ///
    /// # Errors
    /// As [`Cron::parse`]; `cron.field_count` for any other number of fields.
    pub fn parse_auto(text: &str, semantics: Semantics) -> Result<Self, CronError> {
        if let Some(error) = prefixed_with_zone(text) {
            return Err(error);
        }
        let nickname = text.trim_start().starts_with('@');
        let fields = if text.len() > MAX_EXPRESSION_BYTES { 0 } else { strict::tokens(text).len() };
        let dialect = match fields {
            6 | 7 => Dialect::Quartz,
            5 => Dialect::Unix,
            _ if nickname => Dialect::Unix,
            _ if text.len() > MAX_EXPRESSION_BYTES => return Err(too_long(text)),
            count => return Err(unknown_dialect(text, count)),
        };
        Self::parse(text, dialect, semantics)
    }

    /// Returns the dialect it was read in.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.0.dialect
    }

    /// Returns the semantics it was read under.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        self.0.semantics
    }

    /// Returns the text it was read from.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Returns the first fire strictly after `t`, or `None` when there is none up to the year 2199.
    ///
    /// Fires are whole seconds. Cost grows with the fields, not with the gap between fires.
    #[must_use]
    pub fn next_after(&self, zone: &Zone, t: Timestamp) -> Option<Timestamp> {
        if t > AFTER_ALL {
            return None;
        }
        let t = t.max(BEFORE_ALL);
        if self.follows_quartz() {
            quartz::next_after(&self.0.fields, zone, t)
        } else {
            standard::next_after(&self.0.fields, zone, t)
        }
    }

    /// Returns the last fire strictly before `t`, or `None` when there is none since 1970.
    ///
    /// Quartz has no such answer. Under its semantics this is the last instant before `t` that comes next
    /// after some earlier one.
    ///
    /// ```
    /// use mainspring_schedule::{Cron, Semantics, Timestamp, Zone};
    /// let cron = Cron::parse_auto("0 0 9 ? * MON-FRI", Semantics::Standard)?;
    /// let monday: Timestamp = "2026-05-04T09:00:00Z".parse()?;
    /// assert_eq!(cron.previous_before(&Zone::utc(), monday), Some("2026-05-01T09:00:00Z".parse()?));
    ///
    /// // Quartz asked in the first of two equal hours finds nothing in it, and yet fires in the second.
    /// let cron = Cron::parse_auto("*/20 30 1 * * ?", Semantics::Quartz)?;
    /// let zone: Zone = "America/New_York".parse()?;
    /// let in_first_hour: Timestamp = "2030-11-03T01:45:00-04:00".parse()?;
    /// assert_eq!(cron.next_after(&zone, in_first_hour), Some("2030-11-04T01:30:00-05:00".parse()?));
    /// let next_day: Timestamp = "2030-11-04T01:30:00-05:00".parse()?;
    /// assert_eq!(cron.previous_before(&zone, next_day), Some("2030-11-03T01:30:40-05:00".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn previous_before(&self, zone: &Zone, t: Timestamp) -> Option<Timestamp> {
        self.previous_between(zone, BEFORE_ALL, t)
    }

    /// Returns the last fire before `t` that is not before `start`, for questions that are asked from there on.
    pub(crate) fn previous_between(&self, zone: &Zone, start: Timestamp, t: Timestamp) -> Option<Timestamp> {
        if t < BEFORE_ALL {
            return None;
        }
        let (start, t) = (start.max(BEFORE_ALL), t.min(AFTER_ALL));
        if self.follows_quartz() {
            return quartz::previous_between(&self.0.fields, zone, start, t);
        }
        standard::previous_before(&self.0.fields, zone, t).filter(|fire| *fire >= start)
    }

    /// Returns whether it fires in the second that contains `t`; Quartz's `isSatisfiedBy`.
    #[must_use]
    pub fn matches(&self, zone: &Zone, t: Timestamp) -> bool {
        if t < BEFORE_ALL || t > AFTER_ALL {
            return false;
        }
        if self.follows_quartz() {
            return quartz::matches(&self.0.fields, zone, t);
        }
        let second = Timestamp::from_millis(t.as_millis().div_euclid(1_000) * 1_000);
        standard::next_after(&self.0.fields, zone, second - 1) == Some(second)
    }

    fn follows_quartz(&self) -> bool {
        self.0.semantics == Semantics::Quartz && self.0.dialect == Dialect::Quartz
    }
}

impl PartialEq for Cron {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.dialect, self.0.semantics, &self.0.fields)
                == (other.0.dialect, other.0.semantics, &other.0.fields)
    }
}

impl Eq for Cron {}

impl std::hash::Hash for Cron {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.0.dialect, self.0.semantics, &self.0.fields).hash(state);
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cron({:?}, {}, {})", self.as_str(), self.0.dialect, self.0.semantics)
    }
}

/// Returns the five fields that a nickname of Vixie cron stands for.
fn expand(text: &str, nickname: &str) -> Result<&'static str, CronError> {
    const NICKNAMES: [(&str, &str); 7] = [
        ("hourly", "0 * * * *"),
        ("daily", "0 0 * * *"),
        ("midnight", "0 0 * * *"),
        ("weekly", "0 0 * * 0"),
        ("monthly", "0 0 1 * *"),
        ("yearly", "0 0 1 1 *"),
        ("annually", "0 0 1 1 *"),
    ];
    if let Some((_, fields)) = NICKNAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(nickname)) {
        return Ok(fields);
    }
    let start = text.find('@').unwrap_or(0);
    let reboot = nickname.eq_ignore_ascii_case("reboot");
    let nearest = NICKNAMES.iter().map(|(name, _)| (strsim::damerau_levenshtein(nickname, name), *name)).min();
    Err(CronError {
        code: if reboot { "cron.reboot" } else { "cron.unknown_nickname" },
        problem: if reboot {
            "`@reboot` names no time: a cluster of schedulers does not reboot".to_owned()
        } else {
            format!("`@{nickname}` is not known")
        },
        span: start..start + 1 + nickname.len(),
        field: None,
        expected: "@hourly, @daily, @midnight, @weekly, @monthly, @yearly or @annually".to_owned(),
        suggestion: nearest.filter(|(distance, _)| *distance <= 2).map(|(_, name)| format!("@{name}")),
    })
}

/// Finds words for what Quartz refuses.
#[cold]
fn refused(text: &str, refusal: Refusal) -> CronError {
    if let Err(error) = strict::parse(text, Dialect::Quartz) {
        return error;
    }
    let field = match refusal {
        Refusal::Field(field) | Refusal::Empty(field) => Some(field),
        Refusal::FieldCount | Refusal::BothDays => None,
    };
    CronError {
        code: "cron.refused_by_quartz",
        problem: "Quartz refuses this expression".to_owned(),
        span: 0..text.len(),
        field,
        expected: "an expression that Quartz accepts".to_owned(),
        suggestion: None,
    }
}

#[cold]
fn too_long(text: &str) -> CronError {
    CronError {
        code: "cron.too_long",
        problem: format!("the expression is {} bytes long", text.len()),
        span: 0..text.len(),
        field: None,
        expected: format!("at most {MAX_EXPRESSION_BYTES} bytes"),
        suggestion: None,
    }
}

#[cold]
/// Returns an error for a zone before the fields (`TZ=`, `CRON_TZ=`), as other tools write it.
fn prefixed_with_zone(text: &str) -> Option<CronError> {
    if text.len() > MAX_EXPRESSION_BYTES {
        return None;
    }
    let first = text.split_whitespace().next()?;
    let zone = first.strip_prefix("CRON_TZ=").or_else(|| first.strip_prefix("TZ="))?;
    Some(CronError {
        code: "cron.zone",
        problem: format!("`{first}` is no field"),
        span: 0..text.len(),
        field: None,
        expected: format!("the zone beside the expression, as `timezone: {zone}`"),
        suggestion: Some(text.trim_start()[first.len()..].trim().to_owned()).filter(|rest| !rest.is_empty()),
    })
}

fn unknown_dialect(text: &str, count: usize) -> CronError {
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
        expected: "5 fields (Unix: minute hour day-of-month month day-of-week) or 6 to 7 \
                   (Quartz: second minute hour day-of-month month day-of-week [year])"
            .to_owned(),
        suggestion: None,
    }
}
