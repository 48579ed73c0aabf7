//! Versions of jobs, and job files that are checked before they are saved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{ApplyItem, words};
use crate::{JobSpec, Problem, Timestamp};

/// A version of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct JobVersion {
    /// Its number.
    pub version: u64,
    /// When it was saved.
    pub saved_at: Timestamp,
    /// Who saved it: the name that the caller gave, and with what it was let in. The server notes the name and cannot check it.
    /// Absent where nothing was noted: a version of an older mainspring, or of a program that embeds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_by: Option<String>,
    /// From where it was saved, where that was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_from: Option<SavedFrom>,
    /// It is the one that fires now.
    pub current: bool,
    /// What it says. To restore it, save this: it becomes a new version.
    pub spec: JobSpec,
    /// The same as a job file in YAML; absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// From where a version of a job was saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SavedFrom {
    /// The editor of the console.
    Console,
    /// The command line: `mainspring apply` and others.
    Cli,
    /// A program, through the API.
    Api,
    /// An operation on many jobs.
    Operation,
    /// The endpoints that XXL-JOB's scripts use.
    Xxl,
    /// A place newer than this client.
    #[serde(other)]
    Unknown,
}

words!(SavedFrom: Console = "console", Cli = "cli", Api = "api", Operation = "operation", Xxl = "xxl", Unknown = "unknown");

/// In which form a job file is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct JobFileFilter {
    /// `yaml`, `toml` or `json`; `yaml` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// A text that may be a job file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckRequest {
    /// The text: one job, several documents, or a bundle, as `mainspring apply` reads them.
    pub text: String,
    /// `yaml`, `toml` or `json`; `yaml` when absent, which includes JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// What a text says, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct CheckResult {
    /// Applying it would be accepted.
    pub valid: bool,
    /// Everything that is wrong, with line and column of the text, up to 100 problems.
    pub errors: Vec<Problem>,
    /// What is allowed and probably not meant.
    pub warnings: Vec<Problem>,
    /// What applying it would change, compared with what is stored; empty while something is wrong.
    pub items: Vec<ApplyItem>,
    /// The jobs as far as they could be read.
    pub jobs: Vec<JobSpec>,
}
