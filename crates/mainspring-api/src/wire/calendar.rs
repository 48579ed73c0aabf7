//! Calendars as the server holds them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{CalendarSpec, Timestamp};

/// A calendar with what the server knows about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Calendar {
    /// Id, stable across edits.
    pub id: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Version: 1 at first, one more with each save. For `If-Match`.
    pub version: u64,
    /// The definition as it was saved.
    pub spec: CalendarSpec,
    /// Triggers that name it, directly or as a base.
    pub trigger_count: u64,
    /// When it was first saved.
    pub created_at: Timestamp,
    /// When this version was saved.
    pub updated_at: Timestamp,
}
