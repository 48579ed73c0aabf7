//! Webhooks, and what was delivered to them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::words;
use crate::timestamp::Timestamp;

/// Every type of event that there is.
pub const EVENT_TYPES: [&str; 26] = [
    "run.waiting",
    "run.held",
    "run.scheduled",
    "run.queued",
    "run.started",
    "run.succeeded",
    "run.failed",
    "run.cancelled",
    "run.skipped",
    "run.deadline_missed",
    "run.corrected",
    "fire.missed",
    "job.created",
    "job.updated",
    "job.paused",
    "job.resumed",
    "job.deleted",
    "trigger.paused",
    "trigger.resumed",
    "trigger.updated",
    "trigger.error",
    "calendar.created",
    "calendar.updated",
    "calendar.deleted",
    "namespace.created",
    "namespace.deleted",
];

/// Tells whether a type of event is meant: by its name, by its first word with a star (`run.*`), or by `*`.
///
/// ```
/// use mainspring_api::event_type_matches;
/// assert!(event_type_matches("run.failed", "run.failed") && event_type_matches("run.*", "run.failed"));
/// assert!(!event_type_matches("job.*", "run.failed"));
/// ```
pub fn event_type_matches(wanted: &str, kind: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(beginning) => kind.starts_with(beginning),
        None => kind == wanted,
    }
}

/// An address that is to be told of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookSpec {
    /// What people call it; unique.
    pub name: String,
    /// Where messages are posted: `https://…`, or `http://…`.
    pub url: String,
    /// Types of events: `run.failed`, `run.*`, `*`. When absent or empty: runs that are over, and missed instants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// Only events of this namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only events of this job of the namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
}

impl WebhookSpec {
    /// The events that a webhook is told of which names none.
    pub const DEFAULT_EVENTS: [&str; 5] =
        ["run.succeeded", "run.failed", "run.cancelled", "run.skipped", "fire.missed"];
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Webhook {
    /// Name.
    pub name: String,
    /// Where messages are posted. Lists, and those who may not change it, show scheme and host alone: the rest may be a secret.
    pub url: String,
    /// Types of events.
    pub events: Vec<String>,
    /// Only events of this namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only events of this job of the namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Up to when messages are signed with the secret before as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_secret_until: Option<Timestamp>,
    /// Since when every message has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
    /// Since when it rests: nothing is sent to it, and it hears nothing of what happens, until it is resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<Timestamp>,
    /// Why it rests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<String>,
    /// The secret that messages are signed with: only where it is made, and never again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// How a webhook gets another secret.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookRotation {
    /// Also while the secret before the present one is still valid: it is not any more then.
    #[serde(skip_serializing_if = "crate::spec::is_false")]
    pub force: bool,
}

/// A message to a webhook, and what became of it so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct WebhookDelivery {
    /// Position in the list.
    pub id: String,
    /// The id of the message, as its header `webhook-id` says it: the same however often it is sent.
    pub message: String,
    /// Type of the event.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it stands.
    pub state: DeliveryState,
    /// How often it was sent.
    pub attempts: u32,
    /// The HTTP status that the receiver answered last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What went wrong last.
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

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It is sent, or to be sent.
    Pending,
    /// The receiver has it.
    Delivered,
    /// It was sent in vain as often as a message is sent, or is too old.
    Dead,
    /// A state newer than this client.
    #[serde(other)]
    Unknown,
}

words!(DeliveryState: Pending = "pending", Delivered = "delivered", Dead = "dead", Unknown = "unknown");
