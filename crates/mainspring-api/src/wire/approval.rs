//! What waits for somebody's approval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{OnTimeout, Timestamp};

/// A task of a workflow run that waits for somebody to approve or reject it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Approval {
    /// Namespace.
    pub namespace: String,
    /// Name of the workflow.
    pub job: String,
    /// The workflow run.
    pub run: String,
    /// The task that asks; one item of a task that runs more than once has its number in brackets.
    pub task: String,
    /// What is asked, with the values of this run.
    pub prompt: String,
    /// Who may decide; everybody who may steer runs when absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// When it began to wait.
    pub since: Timestamp,
    /// Until when somebody can decide; without limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// What becomes of the task then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
}

/// Which approvals are asked for; conditions add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ApprovalFilter {
    /// Namespace; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Items at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
