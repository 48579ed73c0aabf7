//! Work of XXL-JOB's executors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::XxlBlock;

/// A handler of an XXL-JOB executor. Runs wait in the queue `xxl.APP`, and the `input` of a run, if there is one, stands in the place
/// of `params`: a text as it is, anything else as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct XxlTask {
    /// The app that the executor registers with.
    pub app: String,
    /// Name of the handler there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub handler: String,
    /// A script that the executor runs, in place of a handler. It is sent only where the app allows scripts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glue: Option<XxlGlue>,
    /// The parameter, one text; empty when absent. `{{planned}}` in it becomes the fire time of the run, `{{planned_ms}}` the same in
    /// milliseconds since 1970 UTC, `{{run}}` its id, and `{{attempt}}` the number of the attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<String>,
    /// What a run does while the job runs already; `serial_execution` when absent. Executors are told, and `overlap` is what fits,
    /// unless the job says another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<XxlBlock>,
    /// The job's number for executors, 1 to 999,999,999: what it had in XXL-JOB. The server gives one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 999_999_999))]
    #[schema(minimum = 1, maximum = 999_999_999)]
    pub id: Option<u32>,
}

/// A script that an executor runs. It has three arguments: the parameter, its shard from 0, and the number of shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct XxlGlue {
    /// What the script is written in.
    pub language: XxlLanguage,
    /// The script; at most 256 KiB.
    pub source: String,
    /// What was changed, for people; at most 128 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// What a script is written in. Executors start what they have under that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum XxlLanguage {
    /// Java or Groovy, compiled in the executor.
    Groovy,
    /// `bash`.
    Shell,
    /// `python3` from 3.2 on, `python` before.
    Python,
    /// `python`, from 3.2 on.
    Python2,
    /// `node`.
    Node,
    /// `php`.
    Php,
    /// `powershell`, or `pwsh` from 3.4.2 on.
    Powershell,
}

impl XxlLanguage {
    /// Every language.
    pub const ALL: [Self; 7] =
        [Self::Groovy, Self::Shell, Self::Python, Self::Python2, Self::Node, Self::Php, Self::Powershell];

    /// Returns the word in job files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Groovy => "groovy",
            Self::Shell => "shell",
            Self::Python => "python",
            Self::Python2 => "python2",
            Self::Node => "node",
            Self::Php => "php",
            Self::Powershell => "powershell",
        }
    }

    /// Reads the word.
    ///
    /// ```
    /// use mainspring_api::XxlLanguage;
    /// assert_eq!(XxlLanguage::parse("shell"), Some(XxlLanguage::Shell));
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == text)
    }
}

impl XxlGlue {
    /// Longest script, in bytes.
    pub const SOURCE_MAX: usize = 256 * 1024;
    /// Longest remark, in characters.
    pub const REMARK_MAX: usize = 128;
}

impl XxlTask {
    /// Highest number that a job file may give to a job; the server gives those above.
    pub const ID_MAX: u32 = 999_999_999;

    /// Returns the queue in which runs wait for executors of an app.
    ///
    /// ```
    /// assert_eq!(mainspring_api::XxlTask::queue("mail"), "xxl.mail");
    /// ```
    #[must_use]
    pub fn queue(app: &str) -> String {
        format!("xxl.{app}")
    }

    /// Tells whether an app can have this name.
    #[must_use]
    pub fn is_app_name(name: &str) -> bool {
        crate::is_valid_name(name) && name.len() <= 64
    }
}

impl super::JobSpec {
    /// Returns the overlap policy that holds: what the job says, or else what fits its block strategy, or `allow`.
    #[must_use]
    pub fn overlap_policy(&self) -> super::Overlap {
        let of_block = || self.xxl.as_ref().map(|xxl| xxl.block.unwrap_or_default().overlap());
        self.overlap.or_else(of_block).unwrap_or_default()
    }
}
