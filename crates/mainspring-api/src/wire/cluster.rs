//! Nodes, events, health, and the server that answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::words;
use crate::Timestamp;

/// A server process with an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Node {
    /// Incarnation: random id of this process start.
    pub id: String,
    /// Name: the host's unless set.
    pub name: String,
    /// Version of mainspring.
    pub version: String,
    /// Whether it takes work.
    pub state: NodeState,
    /// When the process started.
    pub started_at: Timestamp,
    /// When it last renewed its lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewed_at: Option<Timestamp>,
    /// Shards it owns.
    pub shards: u32,
    /// Slots of its worker pool.
    pub slots: u32,
    /// Slots in use.
    pub slots_used: u32,
    /// Its clock minus the database's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_ms: Option<i64>,
    /// Version of its time zone data.
    pub tzdata: String,
}

/// Whether a node takes work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// It does.
    Active,
    /// It finishes what it has.
    Draining,
    /// A state newer than this client.
    #[serde(other)]
    Unknown,
}

words!(NodeState: Active = "active", Draining = "draining", Unknown = "unknown");

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Event {
    /// Id, for `Last-Event-ID`.
    pub id: String,
    /// What happened: `run.started`, `run.succeeded`, `fire.missed`, `job.updated`, `trigger.paused`, `node.left`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// When.
    pub at: Timestamp,
    /// Namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Trigger, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Details, by type.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// Which events are asked for; conditions add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct EventFilter {
    /// Type (`run.failed`), or its first word with a star (`run.*`).
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// Whether a server can serve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Health {
    /// The verdict.
    pub status: HealthStatus,
    /// What was looked at; only with `?verbose`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<HealthCheck>,
}

/// Verdict on a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    /// It serves.
    Ok,
    /// It finishes what it has; 503.
    Draining,
    /// A check failed; 503.
    Failing,
    /// A verdict newer than this client.
    #[serde(other)]
    Unknown,
}

words!(HealthStatus: Ok = "ok", Draining = "draining", Failing = "failing", Unknown = "unknown");

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct HealthCheck {
    /// What: `store`, `migrations`, `engine`, `clock`.
    pub name: String,
    /// Whether it is well.
    pub ok: bool,
    /// What is wrong, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The server that answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ServerInfo {
    /// Version of mainspring.
    pub version: String,
    /// Incarnation of the node.
    pub node: String,
    /// Kind of store: `sqlite`, `memory`, ….
    pub store: String,
    /// Zone of triggers that name none.
    pub default_timezone: String,
    /// Version of its time zone data.
    pub tzdata: String,
    /// Its clock.
    pub now: Timestamp,
    /// When the process started.
    pub started_at: Timestamp,
}
