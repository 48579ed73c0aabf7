//! Namespaces and jobs, and what can be asked of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::RunSummary;
use crate::{JobSpec, Problem, Timestamp};

/// Where names are unique and access is granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Namespace {
    /// Id, stable across renames.
    pub id: String,
    /// Name, unique in the cluster.
    pub name: String,
    /// What it is for, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Version, for `If-Match`.
    pub version: u64,
    /// No trigger of the namespace fires while true.
    pub paused: bool,
    /// Number of jobs.
    pub job_count: u64,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What `PUT` of a namespace takes: nothing in this version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NamespaceSpec {}

/// A job with what the server knows about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Job {
    /// Id, stable across renames.
    pub id: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Version: 1 at first, one more with each save. For `If-Match`.
    pub version: u64,
    /// The definition as it was saved.
    pub spec: JobSpec,
    /// No trigger of the job fires while true.
    pub paused: bool,
    /// Why it was paused. This and the next two are there while it is paused, if somebody asked for the pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_reason: Option<String>,
    /// When it was paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<Timestamp>,
    /// Who paused it: what the caller said of itself, and with what it was let in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_by: Option<String>,
    /// Unfinished runs.
    pub active_runs: u32,
    /// Earliest next fire time of its triggers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_fire_at: Option<Timestamp>,
    /// The newest run, live or final.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunSummary>,
    /// Its newest runs, newest first: as many as `recent` asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<RunSummary>,
    /// What is wrong with it that somebody is told of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_alerts: Vec<super::OpenAlert>,
    /// When each of its triggers fires, in words, in the order of the definition and the language that `Accept-Language` asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanations: Vec<String>,
    /// Jobs that start when its runs end, by their names, where one job is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub followed_by: Vec<String>,
    /// When it was first saved.
    pub created_at: Timestamp,
    /// When this version was saved.
    pub updated_at: Timestamp,
    /// In answers to `PUT` and `PATCH`: what is allowed and probably not meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
}

/// What a job keeps between its runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct JobData {
    /// What the next run is given: an object, `{}` at first.
    pub data: Value,
    /// Counts the changes; 0 at first. For `If-Match`.
    pub revision: u64,
    /// The run that left it; absent where somebody has set it, and at first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// When it was changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<Timestamp>,
}

/// Which jobs are asked for; conditions add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct JobFilter {
    /// Text within the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `key=value`, or `key` for any value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Who answers for it; `*` stands for any characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Whether paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// A query, such as `state:failing label:team=ops -queue:slow`: docs/reference/query-language.md.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// `name`, `next`, `last` or `updated`; with `-` in front the other way round. By namespace and name when absent. Others than `name`
    /// need a query that finds at most 2,000 jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// How many of its newest runs each job lists, 0 to 50; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recent: Option<u32>,
    /// `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Items at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// How a write is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct WriteOptions {
    /// Checks everything and changes nothing.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub dry_run: bool,
}

/// Why something is asked for; kept with what it changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The reason, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who asks, as the caller says, such as `ann@laptop`. The server notes it with pauses and cannot check it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// How a run that is asked for differs from a scheduled one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunNow {
    /// Input in place of the job's; where both are mappings, laid over it key by key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Members set in the input, over the job's, at most 1,000; each must be among the job's `params` when it declares any.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 1_000))]
    pub params: BTreeMap<String, Value>,
    /// Priority in place of the job's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Why, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
