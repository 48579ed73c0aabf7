//! Versions of the scripts that executors of XXL-JOB run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::spec::XxlLanguage;
use crate::timestamp::Timestamp;

/// A version of the script of a job. The newest 30 are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct XxlGlueVersion {
    /// Its number, from 1. Versions that are brought from XXL-JOB go before those that are there, and these get higher numbers then.
    pub version: u32,
    /// Whether runs that begin now are sent it.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub current: bool,
    /// What it is written in.
    pub language: XxlLanguage,
    /// The script; absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How long it is, in bytes.
    pub bytes: u64,
    /// What was changed, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Who saved it, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When it was saved.
    pub saved_at: Timestamp,
    /// The `glueUpdatetime` that executors are sent with it. It is made of the script, so an older script has the one again that it had.
    pub glue_updatetime: i64,
    /// Its id in XXL-JOB's table `xxl_job_logglue`, if it was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xxl_id: Option<i64>,
}

/// A new script for a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct XxlGlueChange {
    /// The script; at most 256 KiB.
    pub source: String,
    /// What it is written in; as before when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<XxlLanguage>,
    /// What was changed, for people; at most 128 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Who asks, for people; at most 128 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// How an older script becomes the current one again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct XxlGlueRollback {
    /// The `glue_updatetime` of the version as it was seen; refused as `resource.stale` if the version has another one by now, because
    /// versions that are brought from XXL-JOB number all anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glue_updatetime: Option<i64>,
    /// Why, for people; at most 128 characters. It names the version when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Who asks, for people; at most 128 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Versions that XXL-JOB kept of the script of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct XxlGlueHistory {
    /// The versions, in any order; at most 100, of which the newest are kept.
    #[schemars(extend("maxItems" = 100))]
    pub versions: Vec<XxlGlueOld>,
}

/// A version that XXL-JOB kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct XxlGlueOld {
    /// Its id in the table `xxl_job_logglue`. One that is there already is not added again.
    pub xxl_id: i64,
    /// What it is written in.
    pub language: XxlLanguage,
    /// The script; at most 256 KiB.
    pub source: String,
    /// What was changed; at most 128 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// When it was saved.
    pub saved_at: Timestamp,
}
