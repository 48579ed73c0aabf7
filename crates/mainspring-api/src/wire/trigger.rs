//! Triggers as the server holds them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::words;
use crate::{Misfire, Semantics, Timestamp, TriggerKind, TriggerSpec};

/// A trigger with what the server knows about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Trigger {
    /// Id, stable across edits.
    pub id: String,
    /// `namespace/job/trigger`.
    pub key: String,
    /// Namespace.
    pub namespace: String,
    /// Job.
    pub job: String,
    /// Name within the job.
    pub name: String,
    /// Version: rises with every change that affects a fire.
    pub version: u64,
    /// Kind of schedule.
    pub kind: TriggerKind,
    /// The trigger as it was written.
    pub spec: TriggerSpec,
    /// The schedule in words, naming the cron dialect.
    pub explanation: String,
    /// Zone in which the schedule is read.
    pub timezone: String,
    /// Calendar that removes fire times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
    /// Misfire policy in force.
    pub misfire: Misfire,
    /// Rules in force at clock changes.
    pub semantics: Semantics,
    /// Whether it can still fire.
    pub state: TriggerState,
    /// Why it is in `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// Paused itself; the pause of its job is not counted here.
    pub paused: bool,
    /// Why it was paused. This and the next two are there while it is paused, if somebody asked for the pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_reason: Option<String>,
    /// When it was paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<Timestamp>,
    /// Who paused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_by: Option<String>,
    /// Its job is paused, so it does not fire either.
    #[serde(default)]
    pub job_paused: bool,
    /// Its job is at its limit, and `overlap: hold` keeps the trigger waiting.
    pub blocked: bool,
    /// Next instant of the schedule; absent while it or its job is paused, when complete, and when a `delay` trigger
    /// awaits its run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_fire_at: Option<Timestamp>,
    /// `next_fire_at` plus jitter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// Last instant of the schedule that fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_fire_at: Option<Timestamp>,
    /// Run whose end a `delay` trigger awaits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaiting_run: Option<String>,
    /// Fires so far.
    pub times_triggered: u64,
}

/// Whether a trigger can still fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TriggerState {
    /// It can.
    Active,
    /// Its schedule has ended.
    Complete,
    /// It was put aside: it cannot be evaluated, or its fires cannot be recorded; `state_reason` says why. A resume or a new
    /// definition lets it fire again.
    Error,
    /// A state newer than this client.
    #[serde(other)]
    Unknown,
}

words!(TriggerState: Active = "active", Complete = "complete", Error = "error", Unknown = "unknown");

/// Instants of a trigger that did not fire: one, or a range. Every instant is a run's or in one of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Gap {
    /// Position among all gaps.
    pub id: String,
    /// `namespace/job/trigger`.
    pub trigger: String,
    /// The first of the instants.
    pub first: Timestamp,
    /// The last of the instants.
    pub last: Timestamp,
    /// How many there are.
    pub count: u64,
    /// `missed` or `suppressed`.
    pub outcome: String,
    /// `misfire`, `catch_up_cap`, `overlap`, `paused`, `changed` or `deleted`.
    pub reason: String,
    /// The policy that allowed it.
    pub policy: String,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// The latest backfill that has run instants of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backfill: Option<String>,
    /// How many of the instants backfills have run.
    #[serde(default)]
    pub backfilled: u64,
}

/// Which instants of a trigger are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct GapFilter {
    /// The instants, or the last ones of a range, are this one or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// The instants, or the first ones of a range, are before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
    /// `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Items at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Triggers whose records of the future were taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Reanchored {
    /// How many there are.
    pub count: u64,
    /// The first 100 of them, as `namespace/job/trigger`.
    pub triggers: Vec<String>,
}

/// Which triggers are asked for; conditions add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TriggerFilter {
    /// Job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// State.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<TriggerState>,
    /// Whether paused itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Items at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
