//! Flows at work.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{FlowSpec, Problem, Timestamp};

/// A flow in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowSummary {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How many components it has.
    pub components: u32,
    /// How many of these are to run.
    pub running: u32,
    /// Counts its changes.
    pub version: u64,
    /// When it was saved last.
    pub saved_at: Timestamp,
}

/// A flow with all that is known of it now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Flow {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Counts its changes.
    pub version: u64,
    /// When it was saved last.
    pub saved_at: Timestamp,
    /// As it was written.
    pub spec: FlowSpec,
    /// Its components, by name.
    pub components: Vec<FlowComponent>,
    /// Its queues.
    pub connections: Vec<FlowConnection>,
    /// The pools of the node that runs it.
    pub pools: Vec<FlowPool>,
    /// What is allowed and probably not meant, where it was just saved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
}

/// A component of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowComponent {
    /// Its name.
    pub name: String,
    /// The key of the file that says what its body does, such as `run` or `route`.
    pub kind: String,
    /// What it is meant to do: `stopped`, `running`, `run_once` or `disabled`; `waiting_valid` where it was started and lacks what it
    /// needs, such as a job. It starts as soon as that is there.
    pub state: String,
    /// Bodies that run, on all nodes.
    pub active: u32,
    /// Bodies that were terminated and have not ended.
    pub terminated: u32,
    /// Bodies that wait for a permit of the pool.
    pub queued: u32,
    /// Why it does not run, as one word: `yielded`, `not_leader`, `no_work`, `penalised`, `downstream_full`, `at_concurrency` or `terminated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// The same as a sentence.
    pub why: String,
    /// Its next time, where it is cron-driven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_fire: Option<Timestamp>,
    /// The last of its times that was lost because it could not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_skip_at: Option<Timestamp>,
    /// Why that was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_skip_reason: Option<String>,
    /// Times that passed while its body ran.
    pub missed: u64,
    /// Items that it took in the last five minutes.
    pub items_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Items that it put into queues in the last five minutes.
    pub items_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Bodies that ended in the last five minutes.
    pub tasks: u64,
    /// How long these ran together, in milliseconds.
    pub task_ms: u64,
    /// Messages about it, the newest first, for five minutes.
    pub bulletins: Vec<FlowBulletin>,
    /// The same node by node, where it runs on every node of a cluster: first the node that owns the flow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<FlowNode>,
}

/// A component on one of the nodes that run it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowNode {
    /// The node: its name, or the process start where that is not known.
    pub node: String,
    /// Bodies that run there.
    pub active: u32,
    /// Items that were made there and wait for the node that owns the flow.
    pub waiting: u64,
    /// Why it does not run there, as one word; see [`FlowComponent::blocked`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// Bodies that ended there in the last five minutes.
    pub tasks: u64,
    /// How long these ran together, in milliseconds.
    pub task_ms: u64,
}

/// A message about a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowBulletin {
    /// When.
    pub at: Timestamp,
    /// `warn` or `error`.
    pub level: String,
    /// What happened.
    pub message: String,
}

/// A queue between two components.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowConnection {
    /// `FROM:TO`, and `:RELATIONSHIP` where that is not `success`.
    pub name: String,
    /// The component that puts items in.
    pub from: String,
    /// The component that takes them.
    pub to: String,
    /// Under which relationships.
    pub relationships: Vec<String>,
    /// Items that it holds, those that bodies have included.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Items that can be taken now.
    pub ready: u64,
    /// Items that are passed over until their penalty ends.
    pub penalised: u64,
    /// Items that bodies have.
    pub in_flight: u64,
    /// How full it is, in hundredths of the nearer limit; more than 100 where a body has put in more than fits, 0 without a limit.
    pub percent: u32,
    /// Whether it is full, so that the component before it waits.
    pub full: bool,
    /// At how many items it is full; 0 for never.
    pub max_items: u64,
    /// At how many bytes it is full; 0 for never.
    pub max_bytes: u64,
}

/// A pool of permits, of which each body takes one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowPool {
    /// Its name.
    pub name: String,
    /// How many permits there are.
    pub size: u32,
    /// How many are taken.
    pub active: u32,
}

/// How large a pool is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowPoolSize {
    /// How many permits each node has, 1 to 10,000.
    #[schemars(range(min = 1, max = 10_000))]
    #[schema(minimum = 1, maximum = 10_000)]
    pub size: u32,
}

/// How many queues an item was put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowPut {
    /// How many items there are of it now: one for each connection; none where its relationship ends.
    pub items: u64,
}

/// What components of a flow are to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowChange {
    /// What.
    pub action: FlowAction,
    /// Which, at most 10,000; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 10_000))]
    pub components: Option<Vec<String>>,
}

/// What can be asked of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowAction {
    /// Run by their triggers.
    Start,
    /// Begin nothing more.
    Stop,
    /// Run once, if they can, and be stopped.
    RunOnce,
    /// Give up their bodies: items return, and what the bodies do counts for nothing. They must be stopped.
    Terminate,
    /// Not be started.
    Disable,
    /// May be started again.
    Enable,
}

/// An item that waits in a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowItem {
    /// Its id, unique within the flow.
    pub id: i64,
    /// Its bytes: those of payload and attributes.
    pub bytes: u64,
    /// When it entered the flow.
    pub entered_at: Timestamp,
    /// Until when it is passed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty_until: Option<Timestamp>,
    /// How often it was tried again.
    pub retries: u32,
    /// Its attributes, where `contents` asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attributes: Option<BTreeMap<String, String>>,
    /// The first 1,024 bytes of its payload as a text, where `contents` asks for them; bytes that are none are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// Where an item is, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowItemContent {
    /// Its id.
    pub id: i64,
    /// The connection that holds it; absent where a body has just ended its stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// Whether a body has it.
    pub in_flight: bool,
    /// When it, or what it was made of, entered the flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered_at: Option<Timestamp>,
    /// When the oldest item that it was made of entered the flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage_at: Option<Timestamp>,
    /// Until when it is passed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty_until: Option<Timestamp>,
    /// How often the component that takes it has tried it again.
    pub retries: u32,
    /// Its attributes.
    pub attributes: BTreeMap<String, String>,
    /// The first 65,536 bytes of its payload as a text; bytes that are none are replaced.
    pub payload: String,
    /// Bytes of the whole payload.
    pub payload_bytes: u64,
    /// Whether the payload is longer than what is shown.
    pub truncated: bool,
}

/// Which items are to go back, and to where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowReplay {
    /// Their ids, at most 10,000; all that wait when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 10_000))]
    pub items: Option<Vec<i64>>,
    /// The connection that they go to; when absent, the one that leads to the component from which they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// How many items went back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowReplayed {
    /// How many.
    pub items: u64,
}

/// How a flow that is at work is saved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FlowSaveOptions {
    /// Stops the components that the edit touches and that run, waits 20 s for their bodies, and starts them again with the new
    /// definition. When absent, they must be stopped before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<bool>,
}

/// As what text a flow is to be returned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FlowFileFilter {
    /// `yaml`, `toml` or `json`; `yaml` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// What is wrong with a flow, and what is probably not meant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowChecked {
    /// Whether it can be saved.
    pub valid: bool,
    /// What is wrong, with pointers that begin at the flow.
    pub errors: Vec<Problem>,
    /// What is allowed and probably not meant.
    pub warnings: Vec<Problem>,
}

/// How many items were removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowDropped {
    /// How many.
    pub items: u64,
}

/// A line of a component's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FlowLine {
    /// When it was written.
    pub at: Timestamp,
    /// What it says.
    pub text: String,
}

/// Which items of a queue are meant.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ToSchema, utoipa::IntoParams,
)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FlowItemFilter {
    /// How many at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// This item only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<i64>,
    /// `true` lists attributes and the begin of payloads, too; of 100 items at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<bool>,
}
