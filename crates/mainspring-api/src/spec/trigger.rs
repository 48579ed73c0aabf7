//! A trigger as users write it: a schedule with zone, calendar, bounds and misfire policy.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AfterOn, Misfire, OneOrMany, Semantics, TriggerKind, is_false};

/// When a job fires.
///
/// Exactly one of `cron`, `every`, `at`, `calendar_interval`, `daily_window`, `delay` and `after` is set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TriggerSpec {
    /// Name, unique in its job; made from the kind when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,

    /// Kind: a cron expression. Five fields are Unix cron, six or seven are Quartz, `@daily` and its kin are names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Kind: a fixed interval, as a duration, counted from `start_at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// Kind: one instant, RFC 3339 or local to the zone (`2026-12-31 23:59`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Kind: a number of calendar units, such as every second month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar_interval: Option<CalendarInterval>,
    /// Kind: an interval between two times of day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub daily_window: Option<DailyWindow>,
    /// Kind: a pause after the end of the run before, as a duration (`10 sec` works too).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// Kind: the end of a run of another job of the namespace, or of one of several. The new run has the fire time of that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 100))]
    pub after: Option<OneOrMany<String>>,
    /// Which ends count, with `after`; `succeeded` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<AfterOn>,

    /// IANA time zone (`Europe/Berlin`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// No fire before this instant; RFC 3339, or local to the zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<String>,
    /// End of the schedule; RFC 3339, or local to the zone. `cron` and `daily_window` may fire at it, `every` and
    /// `calendar_interval` end before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_at: Option<String>,
    /// Calendar that removes fire times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
    /// What becomes of fire times that passed unfired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfire: Option<Misfire>,
    /// Lateness beyond which a fire time is a misfire, as a duration; the server's setting when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfire_threshold: Option<String>,
    /// Higher fires first among those due at one instant; 5 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// JSON for the runs that it fires: its members go over those of the job's input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<serde_json::Value>,
    /// Longest delay added to each fire, as a duration; the same for each fire of the trigger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<String>,
    /// Which rules hold at clock changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantics: Option<Semantics>,
    /// Fires after the first one, for `every` and `daily_window`; without end when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat_count: Option<u32>,
    /// Does not fire while true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

/// A number of calendar units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CalendarInterval {
    /// Number of units, from 1.
    #[schemars(range(min = 1))]
    #[schema(minimum = 1)]
    pub every: u32,
    /// The unit.
    pub unit: IntervalUnit,
    /// Keeps the hour of day across clock changes, for units of a day and longer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub preserve_hour: bool,
    /// Passes over a day on which that hour does not exist; wants `preserve_hour`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub skip_missing_hour: bool,
}

/// Calendar units, as in Quartz's `DateBuilder.IntervalUnit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum IntervalUnit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// An interval between two times of day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DailyWindow {
    /// Interval, as a duration of whole seconds.
    pub every: String,
    /// First time of day, `HH:MM` or `HH:MM:SS`; midnight when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Last time of day, included; 23:59:59 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Days of the week; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 7))]
    pub days: Option<OneOrMany<Weekday>>,
}

/// Days of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Weekday {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl TriggerSpec {
    /// Returns the kind, or `None` unless exactly one kind key is set.
    pub fn kind(&self) -> Option<TriggerKind> {
        let mut set = self.kinds();
        set.next().filter(|_| set.next().is_none())
    }

    /// Returns every kind whose key is set; a valid trigger has one.
    pub fn kinds(&self) -> impl Iterator<Item = TriggerKind> + '_ {
        TriggerKind::ALL.iter().copied().filter(|kind| match kind {
            TriggerKind::Cron => self.cron.is_some(),
            TriggerKind::Every => self.every.is_some(),
            TriggerKind::At => self.at.is_some(),
            TriggerKind::CalendarInterval => self.calendar_interval.is_some(),
            TriggerKind::DailyWindow => self.daily_window.is_some(),
            TriggerKind::Delay => self.delay.is_some(),
            TriggerKind::After => self.after.is_some(),
        })
    }
}
