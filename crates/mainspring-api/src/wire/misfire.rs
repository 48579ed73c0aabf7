//! Fire times that did not fire, over all triggers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::Timestamp;

/// Which misfires are asked for; conditions add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct MisfireFilter {
    /// Namespace; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Recorded at this instant or later; 24 hours ago when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// Recorded before this instant; now when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
    /// `missed` or `suppressed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// `misfire`, `catch_up_cap`, `overlap`, `queue_full`, `paused`, `changed` or `deleted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The policy that let it pass: a misfire policy such as `do_nothing`, an overlap policy such as `skip`, `max_waiting` of a full
    /// queue, or what somebody did: `edit`, `resume`, `delete`; `after` of a job that starts after another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Items at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Misfires, the newest first. A page may have fewer than `limit`, or none, and a `next_cursor`: the search goes on there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Misfires {
    /// The misfires.
    pub items: Vec<MisfireItem>,
    /// What `cursor` gets the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// The whole time at a glance; on the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<MisfireSummary>,
}

/// Instants of a trigger that did not fire: one, or a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct MisfireItem {
    /// Position among all of them.
    pub id: String,
    /// Namespace.
    pub namespace: String,
    /// Job.
    pub job: String,
    /// Trigger, by name; absent if it is gone for long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The first of the instants.
    pub first: Timestamp,
    /// The last of the instants.
    pub last: Timestamp,
    /// How many there are.
    pub count: u64,
    /// `missed`, or `suppressed` by an overlap policy or a full queue.
    pub outcome: String,
    /// Why: as in the filter.
    pub cause: String,
    /// The policy that allowed it.
    pub policy: String,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// The latest backfill that has run instants of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backfill: Option<String>,
    /// How many of the instants backfills have run.
    #[serde(default)]
    pub backfilled: u64,
}

/// What was not fired within a time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct MisfireSummary {
    /// Instants that were missed.
    pub missed: u64,
    /// Instants that an overlap policy or a full queue suppressed.
    pub suppressed: u64,
    /// The same by the policy that let them pass, the most first.
    #[serde(default)]
    pub policies: Vec<PolicyMisfires>,
    /// Times in which instants passed without anybody to fire them, the newest first, five at most.
    pub outages: Vec<Outage>,
    /// False: there are more records than were looked at, and sums are too low.
    pub complete: bool,
}

/// What a policy let pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PolicyMisfires {
    /// Its name, as in the filter.
    pub policy: String,
    /// Instants that were missed.
    pub missed: u64,
    /// Instants that were suppressed.
    pub suppressed: u64,
}

/// A time in which instants passed without anybody to fire them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Outage {
    /// The first instant that passed.
    pub from: Timestamp,
    /// The last one.
    pub to: Timestamp,
    /// How many instants were due: those made up for and those skipped.
    pub due: u64,
    /// Runs that made up for instants, at most 1,000.
    pub caught_up: u64,
    /// Instants that were not made up for.
    pub skipped: u64,
}
