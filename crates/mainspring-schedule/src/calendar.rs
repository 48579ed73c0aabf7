//! Calendars: named days or ranges that remove fire times from a trigger.
//!
//! A calendar says of each instant whether it is included. It has a rule, perhaps a zone of its
//! own, and perhaps a base: an instant is included when its rule and its base both include it.
//! `quartz` holds Quartz's own search for the next included instant, with its oddities.

mod backwards;
mod by_day;
#[cfg(feature = "serde")]
mod form;
mod quartz;

use std::sync::Arc;

pub(crate) use by_day::ByDay;
#[cfg(feature = "serde")]
pub(crate) use form::CalendarForm;

use crate::civil::{DAY_MS, SECOND_MS};
use crate::steps::step;
use crate::{Civil, Cron, Date, DaysOfWeek, Semantics, TimeOfDay, Timestamp, Zone, civil};

/// A rule that removes instants, alone or on top of a base. Immutable, cheap to clone.
///
/// ```
/// use mainspring_schedule::{Calendar, Date, DaysOfWeek, Semantics, Timestamp, Zone};
/// use std::sync::Arc;
/// let weekends = Arc::new(Calendar::weekly(DaysOfWeek::WEEKEND));
/// let berlin: Zone = "Europe/Berlin".parse()?;
/// let calendar = Calendar::holiday([Date::new(2026, 5, 1)])?.in_zone(berlin.clone()).on_base(weekends)?;
///
/// // 1 May 2026 is a Friday, so the next included instant is Monday's midnight in Berlin.
/// let friday: Timestamp = "2026-05-01T08:00:00Z".parse()?;
/// assert!(!calendar.is_included(friday, Semantics::Standard, &berlin));
/// let next = calendar.next_included(friday, Semantics::Standard, &berlin);
/// assert_eq!(next, Some("2026-05-03T22:00:00Z".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Calendar {
    rule: Rule,
    zone: Option<Zone>,
    base: Option<Arc<Calendar>>,
}

/// An error of making a calendar. [`CalendarError::code`] returns the stable code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalendarError {
    /// A day of the year, of the month or of the calendar does not exist.
    #[error("{0} does not exist")]
    NoSuchDay(String),
    /// The range of a daily calendar does not end after it begins.
    #[error(
        "the range {from} to {to} does not end after it begins; to exclude the night, exclude {from} to 23:59:59.999 on a base that excludes 00:00 to {to}"
    )]
    RangeOrder {
        /// The beginning of the range.
        from: TimeOfDay,
        /// The end of the range.
        to: TimeOfDay,
    },
    /// The chain of bases is longer than [`Calendar::CHAIN_MAX`].
    #[error("the chain of base calendars is longer than {}", Calendar::CHAIN_MAX)]
    ChainTooLong,
}

impl CalendarError {
    /// Returns the stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoSuchDay(_) => "calendar.no_such_day",
            Self::RangeOrder { .. } => "calendar.range_order",
            Self::ChainTooLong => "calendar.chain_too_long",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Rule {
    /// Bit `day` of element `month - 1`: that day is excluded each year.
    Annual([u32; 12]),
    /// The seconds at which the expression is true are excluded.
    Cron(Arc<Cron>),
    Daily {
        from_ms: i64,
        to_ms: i64,
        /// The range is what is included, not what is excluded.
        invert: bool,
    },
    /// Day numbers of the excluded dates, ascending.
    Holiday(Box<[i64]>),
    /// Bit `day`: that day of each month is excluded.
    Monthly(u32),
    /// The excluded days of each week.
    Weekly(DaysOfWeek),
}

impl Calendar {
    /// The longest chain of calendars, this one included.
    pub const CHAIN_MAX: usize = 16;

    /// Excludes days of every year, given as (month, day).
    ///
    /// # Errors
    /// `calendar.no_such_day` for a day that exists in no year.
    pub fn annual(days: impl IntoIterator<Item = (u8, u8)>) -> Result<Self, CalendarError> {
        let mut months = [0_u32; 12];
        for (month, day) in days {
            if !Date::new(2000, month, day).is_valid() {
                return Err(CalendarError::NoSuchDay(format!("day {day} of month {month}")));
            }
            months[usize::from(month) - 1] |= 1 << day;
        }
        Ok(Self::new(Rule::Annual(months)))
    }

    /// Excludes the seconds at which the expression is true.
    #[must_use]
    pub fn cron(cron: Arc<Cron>) -> Self {
        Self::new(Rule::Cron(cron))
    }

    /// Excludes a range of every day, both ends included; inverted, excludes all but that range.
    ///
    /// # Errors
    /// `calendar.range_order` unless `from` is before `to`.
    pub fn daily(from: TimeOfDay, to: TimeOfDay, invert: bool) -> Result<Self, CalendarError> {
        if from >= to {
            return Err(CalendarError::RangeOrder { from, to });
        }
        Ok(Self::new(Rule::Daily { from_ms: from.as_millis(), to_ms: to.as_millis(), invert }))
    }

    /// Excludes whole dates.
    ///
    /// # Errors
    /// `calendar.no_such_day` for a date that does not exist.
    pub fn holiday(dates: impl IntoIterator<Item = Date>) -> Result<Self, CalendarError> {
        let mut days = Vec::new();
        for date in dates {
            if !date.is_valid() {
                return Err(CalendarError::NoSuchDay(date.to_string()));
            }
            days.push(date.day_number());
        }
        days.sort_unstable();
        days.dedup();
        Ok(Self::new(Rule::Holiday(days.into())))
    }

    /// Excludes days of every month, 1..=31.
    ///
    /// # Errors
    /// `calendar.no_such_day` for other numbers.
    pub fn monthly(days: impl IntoIterator<Item = u8>) -> Result<Self, CalendarError> {
        let mut bits = 0_u32;
        for day in days {
            if !(1..=31).contains(&day) {
                return Err(CalendarError::NoSuchDay(format!("day {day} of the month")));
            }
            bits |= 1 << day;
        }
        Ok(Self::new(Rule::Monthly(bits)))
    }

    /// Excludes days of every week.
    #[must_use]
    pub fn weekly(days: DaysOfWeek) -> Self {
        Self::new(Rule::Weekly(days))
    }

    /// Gives the calendar a zone of its own; without one it follows the trigger's.
    #[must_use]
    pub fn in_zone(mut self, zone: Zone) -> Self {
        self.zone = Some(zone);
        self
    }

    /// Puts the calendar on a base: what either of them excludes is excluded.
    ///
    /// # Errors
    /// `calendar.chain_too_long` above [`Calendar::CHAIN_MAX`].
    pub fn on_base(mut self, base: Arc<Self>) -> Result<Self, CalendarError> {
        if base.chain().count() >= Self::CHAIN_MAX {
            return Err(CalendarError::ChainTooLong);
        }
        self.base = Some(base);
        Ok(self)
    }

    /// Returns the kind of the rule: `annual`, `cron`, `daily`, `holiday`, `monthly` or `weekly`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.rule {
            Rule::Annual(_) => "annual",
            Rule::Cron(_) => "cron",
            Rule::Daily { .. } => "daily",
            Rule::Holiday(_) => "holiday",
            Rule::Monthly(_) => "monthly",
            Rule::Weekly(_) => "weekly",
        }
    }

    /// Returns the calendar's own zone, if it has one.
    #[must_use]
    pub fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// Returns the base calendar, if it has one.
    #[must_use]
    pub fn base(&self) -> Option<&Arc<Self>> {
        self.base.as_ref()
    }

    /// Returns whether a fire at `t` stays. `default_zone` is the trigger's zone.
    #[must_use]
    pub fn is_included(&self, t: Timestamp, semantics: Semantics, default_zone: &Zone) -> bool {
        self.chain().all(|link| link.rule.includes(t, link.zone_or(default_zone), semantics))
    }

    /// Returns the next included instant, or `None` when there is none (within about 400 years).
    ///
    /// Under [`Semantics::Standard`] this is `t` itself if it is included, else the first instant
    /// after it that is. Under [`Semantics::Quartz`] it is the answer of Quartz's
    /// `getNextIncludedTime`, which may be `t`, `t` + 1 ms, a later instant or even an earlier one;
    /// `None` stands for its 0 ("nothing is ever included") and for not returning at all.
    #[must_use]
    pub fn next_included(&self, t: Timestamp, semantics: Semantics, default_zone: &Zone) -> Option<Timestamp> {
        let t = t.clamp(Timestamp::MIN, Timestamp::MAX);
        match semantics {
            Semantics::Standard => self.first_included(t, semantics, default_zone, &mut Budget::default()),
            Semantics::Quartz => quartz::next_included(self, t, default_zone),
        }
    }

    /// Returns the first instant from `t` on at which [`Calendar::is_included`] holds.
    pub(crate) fn first_included(
        &self,
        t: Timestamp,
        semantics: Semantics,
        default_zone: &Zone,
        budget: &mut Budget,
    ) -> Option<Timestamp> {
        let horizon = t + HORIZON_MS;
        let mut candidate = t;
        loop {
            let before = candidate;
            for link in self.chain() {
                let zone = link.zone_or(default_zone);
                candidate = link.rule.first_included(candidate, zone, semantics, budget)?;
            }
            if candidate == before {
                return Some(candidate);
            }
            budget.spend_day()?;
            if candidate > horizon {
                return None;
            }
        }
    }

    /// Returns a forward search for excluded instants.
    pub(crate) fn exclusions<'a>(&'a self, semantics: Semantics, default_zone: &'a Zone) -> Exclusions<'a> {
        Exclusions { links: self.chain().map(|link| (link, Next::Unknown)).collect(), semantics, default_zone }
    }

    fn new(rule: Rule) -> Self {
        Self { rule, zone: None, base: None }
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |calendar| calendar.base.as_deref())
    }

    /// Returns whether what it includes depends on the tz database.
    pub(crate) fn reads_tzdata(&self, default_zone: &Zone) -> bool {
        self.chain().any(|link| !link.zone_or(default_zone).is_fixed())
    }

    fn zone_or<'a>(&'a self, default_zone: &'a Zone) -> &'a Zone {
        self.zone.as_ref().unwrap_or(default_zone)
    }
}

/// A forward search for excluded instants. It keeps each link's result until it is passed: otherwise a link of few
/// days, for which years may have to be searched, would be searched again each day beside a link that cuts every day.
pub(crate) struct Exclusions<'a> {
    links: Vec<(&'a Calendar, Next)>,
    semantics: Semantics,
    default_zone: &'a Zone,
}

/// The next exclusion of one link.
#[derive(Clone, Copy)]
enum Next {
    Unknown,
    At(Timestamp),
    Never,
}

impl Exclusions<'_> {
    /// Returns the first instant from `t` on at which [`Calendar::is_included`] does not hold. No `t` is before that of
    /// an earlier question.
    pub(crate) fn first_from(&mut self, t: Timestamp) -> Option<Timestamp> {
        for (link, next) in &mut self.links {
            let is_passed = match *next {
                Next::Unknown => true,
                Next::At(at) => at < t,
                Next::Never => false,
            };
            if is_passed {
                let found = link.rule.first_excluded(t, link.zone_or(self.default_zone), self.semantics);
                *next = found.map_or(Next::Never, Next::At);
            }
        }
        let known = |(_, next): &(&Calendar, Next)| match next {
            Next::At(at) => Some(*at),
            Next::Unknown | Next::Never => None,
        };
        self.links.iter().filter_map(known).min()
    }
}

/// The Gregorian calendar repeats after 400 years, so nothing that ever comes is farther away.
const HORIZON_MS: i64 = 146_097 * DAY_MS;
/// Bounds a search: a question to a chain of calendars that exclude in turns may have no answer.
pub(crate) struct Budget(u32);

impl Default for Budget {
    /// Enough for 54 years of days, or for two days of seconds; a few milliseconds.
    fn default() -> Self {
        Self(200_000)
    }
}

impl Budget {
    /// Pays for a step within a day; `None` when nothing is left.
    pub(crate) fn spend(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }

    /// Pays for a step of a day or more.
    pub(crate) fn spend_day(&mut self) -> Option<()> {
        self.spend_steps(10)
    }

    /// Pays for several steps at once.
    pub(crate) fn spend_steps(&mut self, steps: u32) -> Option<()> {
        self.0 = self.0.checked_sub(steps)?;
        Some(())
    }
}

impl Rule {
    fn includes(&self, t: Timestamp, zone: &Zone, semantics: Semantics) -> bool {
        match self {
            Self::Cron(cron) => !cron.matches(zone, t),
            Self::Daily { .. } if semantics == Semantics::Quartz => quartz::daily_includes(self, t, zone),
            _ => self.includes_local(zone.to_local(t)),
        }
    }

    /// Returns whether a rule about local time includes what the clock shows.
    fn includes_local(&self, local: Civil) -> bool {
        step();
        match self {
            Self::Annual(months) => {
                let date = local.date();
                months[usize::from(date.month) - 1] & (1 << date.day) == 0
            }
            Self::Daily { from_ms, to_ms, invert } => (*from_ms..=*to_ms).contains(&local.millis_of_day()) == *invert,
            Self::Holiday(days) => days.binary_search(&local.day_number()).is_err(),
            Self::Monthly(days) => days & (1 << local.date().day) == 0,
            Self::Weekly(days) => !days.contains(civil::weekday(local.day_number())),
            Self::Cron(_) => true,
        }
    }

    /// Returns the first instant from `t` on that the rule alone includes.
    fn first_included(
        &self,
        t: Timestamp,
        zone: &Zone,
        semantics: Semantics,
        budget: &mut Budget,
    ) -> Option<Timestamp> {
        match self {
            Self::Cron(cron) => first_unsatisfied(cron, t, zone, budget),
            Self::Daily { .. } if semantics == Semantics::Quartz => quartz::daily_first_included(self, t, zone),
            _ => self.first_by_local(t, zone, Self::first_local_included),
        }
    }

    /// Returns the first instant from `t` on that the rule alone excludes.
    fn first_excluded(&self, t: Timestamp, zone: &Zone, semantics: Semantics) -> Option<Timestamp> {
        match self {
            Self::Cron(cron) => first_satisfied(cron, t, zone),
            Self::Daily { .. } if semantics == Semantics::Quartz => quartz::daily_first_excluded(self, t, zone),
            _ => self.first_by_local(t, zone, Self::first_local_excluded),
        }
    }

    /// Searches one stretch of constant offset after the other, so that local time is plain sums.
    fn first_by_local(
        &self,
        t: Timestamp,
        zone: &Zone,
        first_local: impl Fn(&Self, Civil) -> Option<Civil>,
    ) -> Option<Timestamp> {
        let mut t = t.as_millis();
        loop {
            let window = zone.window(Timestamp::from_millis(t));
            let local = first_local(self, Civil::from_millis(t + window.offset_ms))?;
            let candidate = local.as_millis() - window.offset_ms;
            if candidate < window.to_ms {
                return Some(Timestamp::from_millis(candidate));
            }
            t = window.to_ms;
        }
    }

    /// Returns the first reading from `local` on that the rule includes, on a clock that never jumps.
    fn first_local_included(&self, local: Civil) -> Option<Civil> {
        if self.includes_local(local) {
            return Some(local);
        }
        let midnight = local.as_millis() - local.millis_of_day();
        if let Self::Daily { from_ms, to_ms, invert } = *self {
            if !invert && from_ms == 0 && to_ms == DAY_MS - 1 {
                return None;
            }
            return Some(Civil::from_millis(
                midnight
                    + match invert {
                        false => to_ms + 1,
                        true if local.millis_of_day() < from_ms => from_ms,
                        true => DAY_MS + from_ms,
                    },
            ));
        }
        (1..=self.excluded_days_max())
            .map(|days| Civil::from_millis(midnight + days * DAY_MS))
            .find(|&local| self.includes_local(local))
    }

    /// Returns more days than the rule excludes in a row, unless it excludes all of them.
    fn excluded_days_max(&self) -> i64 {
        let holidays = if let Self::Holiday(days) = self { days.len() } else { 0 };
        8 * 366 + holidays as i64
    }

    /// Returns the first reading from `local` on that the rule excludes, on a clock that never jumps.
    fn first_local_excluded(&self, local: Civil) -> Option<Civil> {
        if !self.includes_local(local) {
            return Some(local);
        }
        let midnight = local.as_millis() - local.millis_of_day();
        match self {
            Self::Daily { from_ms, to_ms, invert } => {
                let of_day = match invert {
                    true => to_ms + 1,
                    false if local.millis_of_day() < *from_ms => *from_ms,
                    false => DAY_MS + from_ms,
                };
                Some(Civil::from_millis(midnight + of_day))
            }
            Self::Holiday(days) => {
                let next = days.partition_point(|day| *day <= local.day_number());
                days.get(next).map(|day| Civil::from_millis(day * DAY_MS))
            }
            Self::Weekly(_) | Self::Monthly(_) | Self::Annual(_) => (1..=8 * 366)
                .map(|days| Civil::from_millis(midnight + days * DAY_MS))
                .find(|&local| !self.includes_local(local)),
            Self::Cron(_) => None,
        }
    }
}

/// Returns the first instant from `t` on in a second at which the expression is true.
fn first_satisfied(cron: &Cron, t: Timestamp, zone: &Zone) -> Option<Timestamp> {
    if cron.matches(zone, t) {
        return Some(t);
    }
    let fire = cron.next_after(zone, t)?;
    // Quartz fires in the second of two equal hours, but is satisfied in both.
    let window = zone.window(fire);
    let before = zone.window(Timestamp::from_millis(window.from_ms.saturating_sub(1)));
    let first_pass = fire - (before.offset_ms - window.offset_ms).max(0);
    let in_first_pass = first_pass > t && before.contains(first_pass.as_millis());
    Some(if in_first_pass && cron.matches(zone, first_pass) { first_pass } else { fire })
}

/// Returns the first instant from `t` on in a second at which the expression is not true.
fn first_unsatisfied(cron: &Cron, t: Timestamp, zone: &Zone, budget: &mut Budget) -> Option<Timestamp> {
    let mut t = t;
    while cron.matches(zone, t) {
        budget.spend()?;
        let second = t - t.as_millis().rem_euclid(SECOND_MS);
        t = cron.run_end(zone, second) + SECOND_MS;
    }
    Some(t)
}
