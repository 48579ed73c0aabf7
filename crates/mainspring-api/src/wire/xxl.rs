//! Apps of XXL-JOB's executors, and the executors that are there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::timestamp::Timestamp;

/// An app to be made: executors of that name may connect from then on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct XxlAppSpec {
    /// The app name that executors register with: at most 64 letters, digits, `.`, `_` or `-`.
    pub name: String,
    /// For people; at most 255 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The token that executors have already; a random one is made when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Addresses of executors that do not register; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 100))]
    pub addresses: Vec<String>,
    /// Runs that one executor is given at a time, 1 to 10,000; 200 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schema(minimum = 1, maximum = 10_000)]
    pub slots: Option<u32>,
    /// Executors that may register at one node at a time, 1 to 20,000; 1,000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 20_000))]
    #[schema(minimum = 1, maximum = 20_000)]
    pub instances_max: Option<u32>,
    /// Whether jobs may send scripts to its executors.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub glue: bool,
}

/// What may be changed about an app. What is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct XxlAppChange {
    /// For people; at most 255 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Addresses of executors that do not register, in place of those before; at most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 100))]
    pub addresses: Option<Vec<String>>,
    /// Runs that one executor is given at a time, 1 to 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schema(minimum = 1, maximum = 10_000)]
    pub slots: Option<u32>,
    /// Executors that may register at one node at a time, 1 to 20,000. Those that are there stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 20_000))]
    #[schema(minimum = 1, maximum = 20_000)]
    pub instances_max: Option<u32>,
    /// Whether jobs may send scripts to its executors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glue: Option<bool>,
}

/// How the token of an app is replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct XxlTokenRotation {
    /// The new token; a random one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Ends the token before at once; else it opens for another day.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub at_once: bool,
}

/// An app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct XxlApp {
    /// The name that executors register with.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Addresses of executors that do not register.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// Runs that one executor is given at a time.
    pub slots: u32,
    /// Executors that may register at one node at a time.
    pub instances_max: u32,
    /// Whether jobs may send scripts to its executors.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub glue: bool,
    /// The queue in which runs of the app's jobs wait.
    pub queue: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Until when the token before opens as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_token_until: Option<Timestamp>,
    /// The token. It is in the answers to making an app and to replacing its token, and nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The executors that are known to the node that answers, by address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<XxlInstance>,
    /// What people should hear of, such as a token that everybody knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// An executor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct XxlInstance {
    /// The app that it belongs to.
    pub app: String,
    /// Where it is called.
    pub address: String,
    /// Whether runs may be sent to it: something of it was heard within 90 s, and it has not said that it goes.
    pub alive: bool,
    /// Whether a person has entered its address.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub manual: bool,
    /// Whether it has said that it goes.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub left: bool,
    /// The releases of XXL-JOB whose dialect it speaks, such as `3.3-3.4`; absent while several are possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// When it registered last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beat_at: Option<Timestamp>,
    /// When anything of it was heard last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard_at: Option<Timestamp>,
    /// How far its clock is ahead of the server's, in milliseconds, to the second; absent for those that do not tell their time, as
    /// Java's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_ms: Option<i64>,
    /// Runs that it has, if the node that answers sends them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u32>,
    /// Its circuit breaker, if the node that answers sends it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaker: Option<XxlBreaker>,
    /// Until when at least nothing is sent to it, while the breaker is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaker_until: Option<Timestamp>,
    /// What was tried and does not work: `idle_beat`, `kill`, `log`, `token`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
}

/// Whether requests go to an executor: three without an answer stop them for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum XxlBreaker {
    /// They go.
    Closed,
    /// None goes.
    Open,
    /// One goes, to see whether it is answered.
    Trying,
}

impl XxlBreaker {
    /// Returns the word that stands for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::Trying => "trying",
        }
    }
}
