//! Tasks that wait instead of doing something.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{OnTimeout, OneOrMany};

/// How long a task waits: exactly one of `for`, `until` and `at`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitSpec {
    /// Time from when the task may run, as a duration.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub duration: Option<String>,
    /// An instant, such as `2026-01-30T12:00:00Z`, or a local time in the zone of the workflow; or a text whose `${{ … }}` make one.
    /// An instant that is past holds nothing up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// A time of day, such as `18:00`: the next time that clocks show it from when the task may run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// IANA time zone of `at`; that of the workflow when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// What somebody is to decide before a workflow goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalSpec {
    /// What is asked; may hold `${{ … }}`.
    pub prompt: String,
    /// Who may decide, by the names that callers give, at most 100; whoever may steer runs when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 100))]
    pub from: Option<OneOrMany<String>>,
    /// How long to wait for them, as a duration; without limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// What becomes of the task when that is over; it fails when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
}
