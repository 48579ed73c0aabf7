//! Scripts.

use mainspring_model::{ScriptLanguage, is_default};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A script that a server or worker executes. They do so only when started with `--scripts`.
///
/// The interpreter reads the script from a private file, which goes with the attempt. Environment, output, log and time limits are those
/// of `exec`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptSpec {
    /// What it is written in. The interpreter is found in `PATH`.
    pub language: ScriptLanguage,
    /// The script; at most 256 KiB.
    pub source: String,
    /// Its arguments; at most 10,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 10_000))]
    pub args: Vec<String>,
    /// `true` gives it the arguments that XXL-JOB gives to scripts, in place of `args`: the parameter, its shard from 0, and the number of
    /// shards. The parameter is the input of the run, a text as it is and anything else as JSON.
    #[serde(default, skip_serializing_if = "is_default")]
    pub xxl_args: bool,
}

impl ScriptSpec {
    /// Longest script, in bytes.
    pub const SOURCE_MAX: usize = 256 * 1024;
}
