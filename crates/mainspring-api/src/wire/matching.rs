//! Who could execute the next run of a job.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{WhyReason, words};

/// Who could execute the next run of a job, if it came now, and why the others could not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct JobMatch {
    /// Namespace of the job.
    pub namespace: String,
    /// The job.
    pub job: String,
    /// The queue in which its runs wait.
    pub queue: String,
    /// Labels that the job asks of workers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// What keeps its runs back, whoever could execute them: a pause, a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_by: Vec<WhyReason>,
    /// Servers and workers, those first that could execute it.
    pub takers: Vec<Taker>,
}

/// A server or a worker, and whether it could execute a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Taker {
    /// Whether it is a server or a worker.
    pub kind: TakerKind,
    /// Id of its process.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whether it could.
    pub fit: Fit,
    /// Why not, or not now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<MatchReason>,
    /// Runs that it executes at a time; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// Runs that it executes now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u32>,
    /// What program it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Why a server or worker could not execute a run, or not now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct MatchReason {
    /// What kind of reason.
    pub code: MatchCode,
    /// The reason, for people.
    pub message: String,
}

/// What executes runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TakerKind {
    /// A server, with slots of its own.
    Node,
    /// A worker.
    Worker,
    /// Something newer than this client.
    #[serde(other)]
    Unknown,
}

words!(TakerKind: Node = "node", Worker = "worker", Unknown = "unknown");

/// Whether something could execute a run. In order of how good that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// Now.
    Now,
    /// Later: as soon as something ends that is in the way now.
    Later,
    /// Not as it and the job are.
    No,
    /// The node that answers does not know, or says something newer than this client.
    #[serde(other)]
    Unknown,
}

words!(Fit: Now = "now", Later = "later", No = "no", Unknown = "unknown");

/// What kind of reason it is why something could not execute a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchCode {
    /// It does not take runs from the queue.
    OtherQueue,
    /// It has not the labels that the job asks for.
    LabelsMissing,
    /// The job goes to workers alone.
    WorkersOnly,
    /// It drains: it starts nothing new.
    Draining,
    /// All of its slots are taken.
    Full,
    /// Its free slots are kept for jobs that are known to be short.
    SlowShare,
    /// It was not heard lately.
    Silent,
    /// Only the server itself knows: it has to be asked.
    AskIt,
    /// A reason newer than this client.
    #[serde(other)]
    Unknown,
}

words!(MatchCode: OtherQueue = "other_queue", LabelsMissing = "labels_missing", WorkersOnly = "workers_only", Draining = "draining", Full = "full", SlowShare = "slow_share", Silent = "silent", AskIt = "ask_it", Unknown = "unknown");
