//! What a schedule will do, before it does it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{RunSummary, words};
use crate::{CalendarSpec, Problem, Timestamp, TriggerKind, TriggerSpec};

/// Asks what a trigger will do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewRequest {
    /// The trigger.
    pub trigger: TriggerSpec,
    /// Calendars it may name, before those of the namespace; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 100))]
    pub calendars: Vec<CalendarSpec>,
    /// Namespace in which calendars are looked up; `default` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Fire times after this instant; now when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Timestamp>,
    /// Fire times up to this instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Fire times at most, 1 to 1,000; 10 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    #[schema(minimum = 1, maximum = 1000)]
    pub count: Option<u32>,
    /// Fire times before `after`, 0 to 100; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    #[schema(maximum = 100)]
    pub past: Option<u32>,
    /// How long a run usually takes, in milliseconds: then fires that come earlier after the one before are marked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
}

/// What a trigger will do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Preview {
    /// Kind of schedule.
    pub kind: TriggerKind,
    /// The schedule in words, naming the cron dialect.
    pub explanation: String,
    /// Zone in which it was read.
    pub timezone: String,
    /// The dialect of a cron expression: `unix` or `quartz`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Fire times in order, those that a calendar removes among them.
    pub fires: Vec<PreviewFire>,
    /// Fire times before these, the newest first, as many as `past` asked for, as if the trigger had always been there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<PreviewFire>,
    /// Things worth a thought that are not wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
}

/// A fire time to come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PreviewFire {
    /// The instant.
    pub at: Timestamp,
    /// The same in the trigger's zone, with its offset: `2026-03-29T03:00:00+02:00`.
    pub local: String,
    /// What is special about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<PreviewNote>,
    /// Calendar that removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded_by: Option<String>,
    /// A run of the fire before, if it takes `took_ms`, would not be over yet.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub overlaps: bool,
}

/// What is special about a fire time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreviewNote {
    /// The local time does not exist that day; this is what it was moved to.
    Gap,
    /// The local time exists twice that day; this is the one taken.
    Fold,
    /// A note newer than this client.
    #[serde(other)]
    Unknown,
}

words!(PreviewNote: Gap = "gap", Fold = "fold", Unknown = "unknown");

/// Which fire times to come are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct NextFilter {
    /// Namespace; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Job; all when absent. With it, several fire times of each trigger are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Up to this instant; 24 h from now when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Fire times at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A fire time to come, of a trigger that exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct NextFire {
    /// The instant of the schedule.
    pub fire_at: Timestamp,
    /// The instant plus jitter.
    pub due_at: Timestamp,
    /// Namespace.
    pub namespace: String,
    /// Job.
    pub job: String,
    /// Trigger, by name.
    pub trigger: String,
    /// The schedule in words.
    pub explanation: String,
    /// Zone of the trigger.
    pub timezone: String,
    /// The newest run of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunSummary>,
}
