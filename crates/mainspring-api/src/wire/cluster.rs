//! Nodes, events, health, and the server that answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::words;
use crate::Timestamp;

/// The nodes that share a store and divide its shards, as the node that answers saw them at its last renewal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Cluster {
    /// Kind of store: `postgres`, `sqlite`, `memory`.
    pub store: String,
    /// Incarnation of the node that answers.
    pub node: String,
    /// Whether that node may fire the triggers of its shards now.
    pub trusted: bool,
    /// Every node, by name.
    pub nodes: Vec<Node>,
    /// Every shard, in order.
    pub shards: Vec<Shard>,
}

/// A fixed part of all jobs, whose triggers one node fires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Shard {
    /// Its number, from 0.
    pub number: u32,
    /// Incarnation of its owner; nobody's while it passes from one to another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Name of its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// How often it has been taken, where nodes share the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<i64>,
}

/// Who has a shard, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ShardOwner {
    /// Its number, from 0.
    pub shard: u32,
    /// Name of its owner; absent while it passes from one to another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// How often it has been taken, where nodes share the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<i64>,
    /// When the node that answers saw it come to this owner; absent where that was before it looked first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

/// Shards that came from one node to another at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ShardMove {
    /// When the node that answers saw it.
    pub at: Timestamp,
    /// Name of the owner before; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Name of the owner since. The same as `from` where the node started anew.
    pub to: String,
    /// Their numbers.
    pub shards: Vec<u32>,
    /// How long the one that waited longest had no owner.
    pub unowned_ms: u64,
}

/// How late handlers were entered during the last minutes: entered minus due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ClusterLateness {
    /// How many minutes the figures cover.
    pub minutes: u32,
    /// All nodes together.
    pub cluster: Lateness,
    /// Each node, by name.
    pub nodes: Vec<NodeLateness>,
}

/// How late handlers were entered on one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct NodeLateness {
    /// Incarnation.
    pub node: String,
    /// Name.
    pub name: String,
    /// When the node counted; others than the one that answers do every 10 s. Absent where it has not yet, since nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The figures.
    pub lateness: Lateness,
}

/// Figures of lateness in milliseconds, at most a fifth too high; absent where no handler was entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Lateness {
    /// Handlers entered.
    pub entered: u64,
    /// What half of them stayed below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<u32>,
    /// What 99 of 100 stayed below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ms: Option<u32>,
    /// The highest, exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ms: Option<u32>,
    /// How many were how late, exactly: from none to the highest, without a gap. Bounds are 1, 2, 4 ms and so on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<LatenessPart>,
}

/// How many handlers were entered so late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LatenessPart {
    /// They were below this lateness, in milliseconds, and not below the bound of the part before.
    pub below_ms: u64,
    /// How many.
    pub count: u64,
}

/// A server process with an engine. What only the process itself knows is there for the node that answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Node {
    /// Incarnation: random id of this process start.
    pub id: String,
    /// Name: the host's unless set.
    pub name: String,
    /// Where its API answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Version of mainspring.
    pub version: String,
    /// Whether it takes shards.
    pub state: NodeState,
    /// Whether it has been asked to drain.
    #[serde(default)]
    pub drain_asked: bool,
    /// Whether it is the one that answers.
    #[serde(default)]
    pub answering: bool,
    /// Shards it owns.
    pub shards: u32,
    /// For how long it has not renewed its lease, as the node that answers sees it. After 5 s its shards are taken.
    #[serde(default)]
    pub silent_ms: u64,
    /// Its clock minus the database's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_ms: Option<i64>,
    /// How long it waits for answers of the database: the shortest of the last three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_ms: Option<u64>,
    /// How long the database takes when the node claims runs from queues, in microseconds: half of the last 64 claims stayed below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_us: Option<u64>,
    /// When the process started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When its engine last looked for what is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewed_at: Option<Timestamp>,
    /// Slots of its worker pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// Slots in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots_used: Option<u32>,
    /// Version of its time zone data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tzdata: Option<String>,
}

/// Whether a node takes shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// It does.
    Active,
    /// It was asked to give its shards up, or is shutting down.
    Draining,
    /// Its clock is too far from the database's and from most others'.
    ClockOff,
    /// It waits much longer for answers of the database than others do, and leaves its shards to these.
    Far,
    /// The others do not know it: it has just started, or cannot reach the store.
    Joining,
    /// A state newer than this client.
    #[serde(other)]
    Unknown,
}

words!(NodeState: Active = "active", Draining = "draining", ClockOff = "clock_off", Far = "far", Joining = "joining", Unknown = "unknown");

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

/// What is asked of a server's health.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct HealthFilter {
    /// Lists the checks; `?verbose` alone does, too.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub verbose: bool,
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
    /// What: `store`, `migrations`, `engine`, `cluster`.
    pub name: String,
    /// Whether it is well.
    pub ok: bool,
    /// What is wrong, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What was found broken, and mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Repaired {
    /// Ends of tasks that live workflow runs had not heard of. They have been told.
    pub workflow_ends: u64,
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
    /// What puts at risk what the store keeps, or will stop it one day. Empty if all is well.
    #[serde(default)]
    pub warnings: Vec<StoreWarning>,
}

/// Something about the store that people should hear of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct StoreWarning {
    /// Stable name: `store.not_durable`, `store.few_sessions`, `store.old_transaction`, `store.many_writers`, `store.disk_low`, `trigger.error`, `clock.jump`, `clock.future`.
    pub code: String,
    /// What is so.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}
