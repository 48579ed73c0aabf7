//! Making the server hold what a bundle says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::words;
use crate::Problem;

/// How an apply is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ApplyOptions {
    /// Checks everything, says what would change, and changes nothing.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub dry_run: bool,
    /// Deletes jobs and calendars that the bundle lacks, in the namespaces it names, also those that it lists nothing of.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub prune: bool,
}

/// What an apply did, or would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ApplyResult {
    /// Nothing was changed.
    pub dry_run: bool,
    /// How many items met which fate.
    pub totals: ApplyTotals,
    /// Every item: calendars, then jobs, in the order of the bundle, then what was deleted.
    pub items: Vec<ApplyItem>,
    /// What is allowed and probably not meant, in the items that were created or updated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
}

/// How many items met which fate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ApplyTotals {
    /// Made.
    pub created: u32,
    /// Saved as a new version.
    pub updated: u32,
    /// Left as they were.
    pub unchanged: u32,
    /// Deleted.
    pub deleted: u32,
}

/// What became of one item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ApplyItem {
    /// Job or calendar.
    pub kind: ItemKind,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Its fate.
    pub action: ApplyAction,
    /// Version after the apply; absent when deleted, or when a dry run would create it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// What differs, for updated items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FieldChange>,
}

/// Kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A calendar.
    Calendar,
    /// A job.
    Job,
}

words!(ItemKind: Calendar = "calendar", Job = "job");

/// Fate of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApplyAction {
    /// Made.
    Created,
    /// Saved as a new version.
    Updated,
    /// Left as it was.
    Unchanged,
    /// Deleted.
    Deleted,
}

words!(ApplyAction: Created = "created", Updated = "updated", Unchanged = "unchanged", Deleted = "deleted");

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FieldChange {
    /// JSON pointer within the item.
    pub pointer: String,
    /// Value before; absent when added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// Value after; absent when removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}
