//! Groups of tasks that others need as one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{JobSpec, NeedSpec, OneOrMany, TaskSpec, TriggerRule};

/// A group of tasks: those whose `group` names it. Tasks that need the group need all of them.
///
/// ```
/// let spec: mainspring_api::JobSpec = serde_json::from_str(
///     r#"{"name": "etl", "groups": {"load": {}}, "tasks": {"eu": {"group": "load", "noop": true}, "sum": {"needs": "load", "noop": true}}}"#,
/// )?;
/// assert_eq!(spec.members()["load"], ["eu"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// What the group is for, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Group that this one lies in; at most 10 lie in each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// What its first tasks need, which are those that need no other one of the group: a name, or a list of at most 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 1_000))]
    pub needs: Option<OneOrMany<NeedSpec>>,
    /// When its first tasks may run that say nothing of it, given how the tasks that they need ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_rule: Option<TriggerRule>,
    /// Expression `${{ … }}` that is true or false, asked before each of its first tasks, which is skipped when false.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What its tasks say that say nothing of it themselves, before the `defaults` of the workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Box<TaskSpec>>,
}

/// The most groups that lie in each other.
pub const GROUPS_DEEP_MAX: usize = 10;

impl JobSpec {
    /// Returns the groups that a task or group with this `group` lies in, from the inner to the outer one, with their names. Groups that are
    /// not there, and those beyond [`GROUPS_DEEP_MAX`], are left out.
    pub fn groups_around<'a>(&'a self, group: Option<&'a str>) -> impl Iterator<Item = (&'a str, &'a GroupSpec)> {
        let find = |name: &'a str| self.groups.get(name).map(|group| (name, group));
        let outer = move |(_, group): &(&'a str, &'a GroupSpec)| find(group.group.as_deref()?);
        std::iter::successors(group.and_then(find), outer).take(GROUPS_DEEP_MAX)
    }

    /// Returns the names of the tasks that lie in each group, also in groups in it.
    pub fn members(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut members: BTreeMap<&str, Vec<&str>> = self.groups.keys().map(|it| (it.as_str(), Vec::new())).collect();
        for (name, task) in &self.tasks {
            for (group, _) in self.groups_around(task.group.as_deref()) {
                members.entry(group).or_default().push(name);
            }
        }
        members
    }
}

impl GroupSpec {
    /// Returns the names of the tasks and groups of its workflow that it needs, with the place of each, relative to the group.
    pub fn needs_in_order(&self) -> impl Iterator<Item = (String, &str)> {
        NeedSpec::names(self.needs.as_ref())
    }
}
