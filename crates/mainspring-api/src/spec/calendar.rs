//! A calendar as users write it: days or ranges that remove fire times.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{OneOrMany, Weekday, is_false};

/// Days or times at which triggers that name the calendar do not fire.
///
/// Exactly one of `annual`, `cron`, `daily`, `holiday`, `monthly` and `weekly` is set. What `base`
/// removes is removed as well.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CalendarSpec {
    /// Name, unique in its namespace; the same rules as for jobs.
    pub name: String,
    /// Namespace; else that of the file, else that of the command, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What the calendar is for, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// IANA time zone of the days and times; that of the trigger when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Another calendar whose days are removed too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,

    /// Kind: days of each year, `MM-DD`; at most 366.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 366))]
    pub annual: Option<Vec<String>>,
    /// Kind: the seconds that a Quartz cron expression matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Kind: a range of each day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub daily: Option<DailyRange>,
    /// Kind: days, `YYYY-MM-DD`; at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 10_000))]
    pub holiday: Option<Vec<String>>,
    /// Kind: days of each month, 1 to 31.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 31))]
    pub monthly: Option<OneOrMany<u8>>,
    /// Kind: days of each week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 7))]
    pub weekly: Option<OneOrMany<Weekday>>,
}

/// A range of each day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DailyRange {
    /// First time of day, `HH:MM`, `HH:MM:SS` or `HH:MM:SS.mmm`.
    pub from: String,
    /// Last time of day, included.
    pub to: String,
    /// Removes what lies outside of the range instead.
    #[serde(default, skip_serializing_if = "is_false")]
    pub invert: bool,
}

impl CalendarSpec {
    /// Returns the key of each kind that is set; a valid calendar has one.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> + '_ {
        let kinds = [
            ("annual", self.annual.is_some()),
            ("cron", self.cron.is_some()),
            ("daily", self.daily.is_some()),
            ("holiday", self.holiday.is_some()),
            ("monthly", self.monthly.is_some()),
            ("weekly", self.weekly.is_some()),
        ];
        kinds.into_iter().filter_map(|(key, is_set)| is_set.then_some(key))
    }
}
