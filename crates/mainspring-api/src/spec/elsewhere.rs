//! What tasks need of other workflows, by date.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{NeedAt, OnMissing, OneOrMany};

/// What a task needs: a task of its workflow by its name, or one of another workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(untagged)]
pub enum NeedSpec {
    /// The name of a task or group of this workflow.
    Task(String),
    /// A task of another workflow, or a run of it.
    Elsewhere(ElsewhereSpec),
}

/// A task of another workflow that must end first, or a whole run of it. Which runs are meant follows from their logical dates and that
/// of this run, and never from when something ended.
///
/// ```
/// let need: mainspring_api::NeedSpec = serde_json::from_str(r#"{"workflow": "ingest", "task": "load", "at": "same"}"#)?;
/// let mainspring_api::NeedSpec::Elsewhere(need) = need else { unreachable!() };
/// assert_eq!(need.node(), "ingest:load@same");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ElsewhereSpec {
    /// The workflow, or another job, of the same namespace.
    pub workflow: String,
    /// Its task; the whole run when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Of which of its runs: of the `same` date when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<NeedAt>,
    /// In place of `at`: of the date that lies this far from that of the run, as a duration such as `1h`, or `-1d` for earlier ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<String>,
    /// What becomes of it while there is no run for the date; it waits when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_missing: Option<OnMissing>,
    /// How long to wait, as a duration: then it fails. Without limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
}

impl ElsewhereSpec {
    /// Returns the name of the task that waits for it in the graph, as it is written here: `WORKFLOW:TASK@DATE`.
    pub fn node(&self) -> String {
        let task = self.task.as_ref().map(|task| format!(":{task}")).unwrap_or_default();
        let at = self.offset.clone().unwrap_or_else(|| self.at.unwrap_or_default().to_string());
        format!("{}{task}@{at}", self.workflow)
    }
}

impl NeedSpec {
    /// Returns the names of tasks and groups of the same workflow among needs, with the place of each, relative to what needs them.
    pub(crate) fn names(needs: Option<&OneOrMany<Self>>) -> impl Iterator<Item = (String, &str)> {
        let all = needs.into_iter().flat_map(|needs| needs.places("/needs"));
        all.filter_map(|(place, need)| match need {
            Self::Task(name) => Some((place, name.as_str())),
            Self::Elsewhere(_) => None,
        })
    }

    /// Returns what is needed of other workflows among needs, with the place of each.
    pub fn elsewhere(needs: Option<&OneOrMany<Self>>) -> impl Iterator<Item = (String, &ElsewhereSpec)> {
        let all = needs.into_iter().flat_map(|needs| needs.places("/needs"));
        all.filter_map(|(place, need)| match need {
            Self::Task(_) => None,
            Self::Elsewhere(need) => Some((place, need)),
        })
    }
}

impl From<&str> for NeedSpec {
    fn from(name: &str) -> Self {
        Self::Task(name.to_owned())
    }
}

impl From<String> for NeedSpec {
    fn from(name: String) -> Self {
        Self::Task(name)
    }
}
