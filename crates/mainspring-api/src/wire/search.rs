//! Completion of queries.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What is to be completed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct FacetFilter {
    /// The list that is searched: `jobs` or `runs`.
    pub page: String,
    /// The field whose values are listed; when absent, the fields themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What the values begin with, case ignored; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Namespace; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// A query of jobs: only those that it finds are counted, also in fields whose words are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
}

/// What can be written at a place of a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Facets {
    /// The values, the most frequent first, at most 50.
    pub values: Vec<FacetValue>,
    /// False: there are more, or not all jobs were looked at.
    pub complete: bool,
    /// How many jobs have no such value; absent where nothing is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<u64>,
}

/// A value that a field has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FacetValue {
    /// As it is written in a query, without quotes.
    pub value: String,
    /// How many jobs have it; absent where nothing is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}
