//! Flow files: components joined by queues of items.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{HttpTask, OneOrMany, ScriptSpec, is_false};

/// A flow: components that pass items on, and the queues between them.
///
/// ```
/// let spec: mainspring_api::FlowSpec = serde_json::from_str(
///     r#"{"flow": "hello",
///         "components": {"make": {"generate": {"payload": "hi"}, "schedule": "10 sec"}, "log": {"log": {}, "end": "success"}},
///         "connections": [{"from": "make", "to": "log"}]}"#,
/// )?;
/// assert_eq!(spec.connections[0].to, "log");
/// assert_eq!(mainspring_api::check_flow(&spec), []);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Its name, unique within its namespace.
    pub flow: String,
    /// Where its name is unique; `default` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What it is for, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its components by name; at most 10,000.
    #[schemars(extend("maxProperties" = 10_000))]
    pub components: BTreeMap<String, ComponentSpec>,
    /// The queues between them; at most 50,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 50_000))]
    pub connections: Vec<ConnectionSpec>,
}

/// A component of a flow: what its body does, and when it runs.
///
/// Exactly one of `run`, `exec`, `script`, `http`, `run_job`, `handler`, `generate`, `log`, `route`, `split`, `merge`, `wait`, `funnel`,
/// `http_in`, `file_in` and `file_out` says what its body does. At most one of `schedule`, `cron` and `event` says when it runs; without,
/// it runs as fast as there is work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ComponentSpec {
    /// What it is for, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,

    /// A line for `/bin/sh`. It gets an item's payload on standard input and its attributes as `$MS_ATTRIBUTES`, and answers with
    /// items in the file `$MS_ITEMS`. Relationships `success` and `failure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// A program and its arguments, without a shell, as with `run`; at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 10_000))]
    pub exec: Option<Vec<String>>,
    /// A script, as with `run`: it gets the payload on standard input. `xxl_args` is for jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptSpec>,
    /// Calls a web server for each item. Address, headers and body may hold `${{ … }}` of `attributes`, `payload` and `bytes`; without a
    /// body, POST, PUT and PATCH send the payload. The answer becomes the payload, and its status the attribute `http.status`.
    /// Relationships `success` and `failure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpTask>,
    /// Starts a run of this job, `JOB` or `NAMESPACE/JOB`, for each item and waits for it. Its input is the payload where that is a JSON
    /// object, else the attributes and `payload`; its output becomes the payload. Relationships `success` and `failure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_job: Option<String>,
    /// Calls a function for flows that the program around the engine has registered under this name. Relationships `success` and
    /// `failure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<String>,
    /// Makes several items of each. Relationships `success`, for the parts, and `failure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitSpec>,
    /// Makes one item of several. Relationship `success`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<MergeSpec>,
    /// Holds each item for a while, in which others overtake it. Relationship `success`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<FlowWaitSpec>,
    /// Takes items from requests to `/api/v1/namespaces/NAMESPACE/flows/FLOW/components/COMPONENT/items`. Relationship `success`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_in: Option<HttpInSpec>,
    /// Makes an item of each file of a folder of the server. Relationship `success`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_in: Option<FileInSpec>,
    /// Writes each item into a file of the server. Relationships `success` and `failure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_out: Option<FileOutSpec>,
    /// Makes items. Relationship `success`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generate: Option<GenerateSpec>,
    /// Writes a line for each item into the component's log. Relationship `success`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogSpec>,
    /// Passes each item on under the first relationship whose condition holds, or under `unmatched`; at most 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 1_000))]
    pub route: Option<Vec<RouteSpec>>,
    /// `true` passes items on as they are, 10,000 in one turn at most. Relationship `success`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub funnel: bool,

    /// Environment variables of the process; at most 1,000.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 1_000))]
    pub env: BTreeMap<String, String>,
    /// How many items one body of a `handler` gets at most, 1 to 10,000; 1 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schema(minimum = 1, maximum = 10_000)]
    pub batch: Option<u32>,
    /// Working directory of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// Time a process may take, as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,

    /// Delay from the end of a body to the next start, as a duration: timer-driven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Times at which it runs, with 6 or 7 fields as in Quartz: cron-driven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Zone in which `cron` is read; that of the server when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// What becomes of times that pass while the body runs; `skip` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfire: Option<FlowMisfire>,
    /// How many bodies at most make up for such times, with `misfire: all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    #[schema(minimum = 1)]
    pub misfire_max: Option<u32>,
    /// What becomes of a time at which the component may not run; `skip` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_blocked: Option<OnBlocked>,
    /// `true` starts it when an item arrives: event-driven.
    #[serde(default, skip_serializing_if = "is_false")]
    pub event: bool,

    /// How many bodies may run at once; 1 when absent. 0 is for event-driven components: as many as the pool takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000))]
    #[schema(maximum = 1000)]
    pub concurrency: Option<u32>,
    /// Pool whose permits its bodies take; `event` for event-driven components and `timer` for others when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// Whether it runs without items although connections lead to it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub trigger_when_empty: bool,
    /// Whether its bodies must never overlap.
    #[serde(default, skip_serializing_if = "is_false")]
    pub serial: bool,
    /// Whether room behind one relationship is enough; else all need room.
    #[serde(default, skip_serializing_if = "is_false")]
    pub any_destination: bool,
    /// How long it rests when its body asks for that, as a duration; `1 sec` when absent.
    #[serde(default, rename = "yield", skip_serializing_if = "Option::is_none")]
    pub yield_for: Option<String>,
    /// How long a penalised item is passed over, as a duration; `30 sec` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty: Option<String>,
    /// How long it rests after its body failed, as a duration; `30 sec` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin_yield: Option<String>,
    /// How long a turn goes on to start bodies, as a duration; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_duration: Option<String>,
    /// Where it runs: `one`, the node that owns the flow; `leader`; or `every_node`, for components that make items and get none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<FlowPlacement>,
    /// Which items are tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetrySpec>,
    /// Relationships whose items end there: a name, or a list of at most 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 1_000))]
    pub end: Option<OneOrMany<String>>,
}

/// How an item is divided: one of `lines`, `separator` and `json`. Each part has its attributes, and `split.index` from 1,
/// `split.count` and `split.item`. There are 10,000 parts at most; else the item goes to `failure`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitSpec {
    /// So many lines make a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    #[schema(minimum = 1)]
    pub lines: Option<u32>,
    /// This text stands between parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// `true` makes a part of each member of a JSON array.
    #[serde(default, skip_serializing_if = "is_false")]
    pub json: bool,
}

/// How items become one. It has the attributes that all of them have alike, and `merge.count`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeSpec {
    /// How many items become one at most, 1 to 10,000; 1,000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schema(minimum = 1, maximum = 10_000)]
    pub max: Option<u32>,
    /// How many have to be there; as many as `max` when absent. A queue that is full is enough in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schema(minimum = 1, maximum = 10_000)]
    pub min: Option<u32>,
    /// After how long fewer will do, as a duration from when the first one is there; `1 sec` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// How many bytes of payloads and attributes become one at most, 1 to 67,108,864; 16,777,216 when absent. As many are enough,
    /// whatever `min` says. An item that is larger is passed on alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 67_108_864))]
    #[schema(minimum = 1, maximum = 67_108_864)]
    pub max_bytes: Option<u64>,
    /// What stands between their payloads; a line break when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// Attribute by whose value they belong together; all of a turn when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// How long items wait: `for` or `until`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowWaitSpec {
    /// So long from when the component first sees them, as a duration.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub duration: Option<String>,
    /// Until this instant in RFC 3339, which may be made with `${{ … }}` of `attributes`, `payload` and `bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// What a component takes from requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpInSpec {
    /// The most bytes of a payload, 1 to 16,777,216; 1,048,576 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_777_216))]
    #[schema(minimum = 1, maximum = 16_777_216)]
    pub max_bytes: Option<u64>,
}

/// Which files become items. Their attributes are `file.name` and `file.folder`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FileInSpec {
    /// The folder, as an absolute path. Folders below and hidden files are left alone.
    pub folder: String,
    /// What names look like, with `*` for anything, such as `*.csv`; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How long a file must not have changed, as a duration; `1 sec` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<String>,
    /// Folder to which files are moved once their items are kept, as an absolute path on the same disk; they are removed when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_to: Option<String>,
    /// How many files one body takes at most, 1 to 10,000; 10 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schema(minimum = 1, maximum = 10_000)]
    pub max_files: Option<u32>,
    /// The most bytes of a file, 1 to 67,108,864; 16,777,216 when absent. Longer ones stay, and the log says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 67_108_864))]
    #[schema(minimum = 1, maximum = 67_108_864)]
    pub max_bytes: Option<u64>,
}

/// Where items are written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FileOutSpec {
    /// The folder, as an absolute path; it is made if it is not there.
    pub folder: String,
    /// Name of an item's file, which may hold `${{ … }}` of `attributes`, `payload` and `bytes`, and folders below.
    pub name: String,
    /// What happens where a file of that name is there; `replace` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_conflict: Option<FileConflict>,
}

/// What happens where a file of an item's name is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileConflict {
    /// The item takes its place.
    #[default]
    Replace,
    /// The item goes to `failure`.
    Fail,
    /// The item is added to its end, with a line break after it. One that is delivered again is there twice.
    Append,
}

/// What a `generate` component makes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateSpec {
    /// Payload of each item; empty when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// Attributes of each item; at most 1,000.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 1_000))]
    pub attributes: BTreeMap<String, String>,
    /// How many items one body makes, 1 to 10,000; 1 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schema(minimum = 1, maximum = 10_000)]
    pub count: Option<u32>,
}

/// What a `log` component writes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LogSpec {
    /// The line, which may hold `${{ … }}` of `attributes`, `payload` and `bytes`; attributes and size when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A way that a `route` component may send an item.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteSpec {
    /// The relationship.
    pub to: String,
    /// Expression `${{ … }}` of `attributes`, `payload` and `bytes` that is true or false.
    #[serde(rename = "if")]
    pub condition: String,
}

/// Which items a component tries again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetrySpec {
    /// Relationships whose items are tried again before they are passed on: a name, or a list of at most 1,000.
    #[schemars(extend("maxItems" = 1_000))]
    pub relationships: OneOrMany<String>,
    /// How often at most, 1 to 1,000; 10 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000))]
    #[schema(minimum = 1, maximum = 1_000)]
    pub max: Option<u32>,
    /// Who waits: `penalize`, the item, which others overtake, or `yield`, the component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FlowRetryMode>,
    /// The longest wait, as a duration; `10 min` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_backoff: Option<String>,
}

/// A queue between two components.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionSpec {
    /// The component that puts items in.
    pub from: String,
    /// The component that takes them.
    pub to: String,
    /// Under which relationships: a name, or a list of at most 1,000; `success` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 1_000))]
    pub relationships: Option<OneOrMany<String>>,
    /// At how many items it is full; 10,000 when absent, 0 for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// At how many bytes it is full; 1 GiB when absent, 0 for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// After how long in the flow an item is thrown away, as a duration; never when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expire_after: Option<String>,
    /// In which order items leave; at most 10. After these, in order of arrival.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 10))]
    pub prioritizers: Vec<Prioritizer>,
}

/// What becomes of times that pass while the body runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowMisfire {
    /// They are lost.
    #[default]
    Skip,
    /// One body makes up for all of them.
    Once,
    /// One body each makes up for them, `misfire_max` at most.
    All,
}

/// What becomes of a time at which the component may not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnBlocked {
    /// It is lost.
    #[default]
    Skip,
    /// The component runs as soon as it may.
    Defer,
}

/// Where a component runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowPlacement {
    /// On the node that owns the flow.
    #[default]
    One,
    /// On the leader.
    Leader,
    /// On every node of the cluster.
    EveryNode,
}

/// Who waits before an item is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowRetryMode {
    /// The item.
    #[default]
    Penalize,
    /// The component.
    Yield,
}

/// An order of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Prioritizer {
    /// First in, first out.
    Fifo,
    /// The youngest lineage first.
    Newest,
    /// The oldest lineage first.
    Oldest,
    /// By the attribute `priority`, the lowest number first.
    Priority,
}

impl MergeSpec {
    /// Returns how many bytes of payloads and attributes become one at most.
    #[must_use]
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes.unwrap_or(16 << 20)
    }
}

impl ComponentSpec {
    /// Returns the keys that say what the body does, of those that are set.
    pub fn bodies(&self) -> Vec<&'static str> {
        let keys = [
            ("run", self.run.is_some()),
            ("exec", self.exec.is_some()),
            ("script", self.script.is_some()),
            ("http", self.http.is_some()),
            ("run_job", self.run_job.is_some()),
            ("handler", self.handler.is_some()),
            ("split", self.split.is_some()),
            ("merge", self.merge.is_some()),
            ("wait", self.wait.is_some()),
            ("http_in", self.http_in.is_some()),
            ("file_in", self.file_in.is_some()),
            ("file_out", self.file_out.is_some()),
            ("generate", self.generate.is_some()),
            ("log", self.log.is_some()),
            ("route", self.route.is_some()),
            ("funnel", self.funnel),
        ];
        keys.into_iter().filter_map(|(key, is_set)| is_set.then_some(key)).collect()
    }

    /// Returns the keys that say when it runs, of those that are set.
    pub fn triggers(&self) -> Vec<&'static str> {
        let keys = [("schedule", self.schedule.is_some()), ("cron", self.cron.is_some()), ("event", self.event)];
        keys.into_iter().filter_map(|(key, is_set)| is_set.then_some(key)).collect()
    }
}
