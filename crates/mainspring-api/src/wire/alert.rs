//! Alerts: channels, rules, silences, what is wrong now, and what was sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::DeliveryState;
use crate::Problem;
use crate::spec::{AlertChannelSpec, AlertRuleSpec};
use crate::timestamp::Timestamp;

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct AlertChannel {
    /// Name.
    pub name: String,
    /// Which member of `spec` there is: `email`, `slack`, `wecom`, `dingtalk`, `feishu` or `webhook`.
    pub kind: String,
    /// Counts its changes, from 1; also in `ETag`.
    pub version: u64,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// What it says. Secrets that it holds are shown as `***`.
    pub spec: AlertChannelSpec,
    /// The newest message that was sent to it or given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_delivery: Option<AlertDelivery>,
    /// In answers to `PUT`: what is allowed and probably not meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct AlertRule {
    /// Name.
    pub name: String,
    /// Counts its changes, from 1; also in `ETag`.
    pub version: u64,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// What it says.
    pub spec: AlertRuleSpec,
    /// In answers to `PUT`: what is allowed and probably not meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
}

/// Silences alerts of jobs. Jobs are meant as by a rule; all of them where nothing is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertSilenceSpec {
    /// Only jobs of this namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only this job of the namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Only jobs with this label: `KEY=VALUE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Until when.
    pub until: Timestamp,
    /// Why.
    pub reason: String,
    /// Who asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A silence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct AlertSilence {
    /// Its id.
    pub id: String,
    /// Only jobs of this namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only this job of the namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Only jobs with this label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Until when.
    pub until: Timestamp,
    /// Why.
    pub reason: String,
    /// Who asked for it, and with what it was let in.
    pub by: String,
    /// When it was asked for.
    pub created_at: Timestamp,
}

/// Something that is wrong with a job, and that a rule wants to be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct OpenAlert {
    /// Namespace of the job.
    pub namespace: String,
    /// The job.
    pub job: String,
    /// What is wrong: `failed`, `failed_in_row 3`, `late 10m`, `runs_longer 1h`, `misfired`, `deadline_missed`.
    pub condition: String,
    /// Since when.
    pub since: Timestamp,
    /// When it was noticed last.
    pub last_at: Timestamp,
    /// How often it was noticed: runs, or fire times that were missed.
    pub count: u64,
    /// The run with which it was noticed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// When somebody was told last; nobody was when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_at: Option<Timestamp>,
    /// The channels that were told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<String>,
    /// The silence that holds it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<AlertSilence>,
}

/// Which alerts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AlertFilter {
    /// Only those of a namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only those of a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
}

/// Which deliveries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AlertDeliveryFilter {
    /// Only those to a channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Only those of a namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only those of a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Most that are returned: 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continues after the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A message to a channel, and what became of it so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct AlertDelivery {
    /// Its id: the same however often it is sent.
    pub id: String,
    /// The channel.
    pub channel: String,
    /// Why it is sent: `opened`, `reminder`, `recovered` or `test`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Namespace of the job; none in a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// What is or was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The run that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Its first line.
    pub subject: String,
    /// Where it stands.
    pub state: DeliveryState,
    /// How often it was sent.
    pub attempts: u32,
    /// What went wrong last, beginning with a stable code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it is sent next, while it is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Timestamp>,
    /// When it was delivered, or given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}
