//! The whole at a glance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Lateness, words};
use crate::Timestamp;

/// What the dashboard shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DashboardFilter {
    /// How far back: `1h`, `6h`, `24h`, `7d`, `30d` or `90d`; `1h` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Namespace of the runs in counters and series, and of the jobs in `attention`, `next_hour` and `longest`; all when absent. Lateness, what is
    /// queued or running now, and workers are of all namespaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// The whole at a glance. It is made at most every two seconds, and for whoever asks meanwhile it is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Dashboard {
    /// When it was made.
    pub now: Timestamp,
    /// When its range begins.
    pub from: Timestamp,
    /// How long each point of the series is, in milliseconds.
    pub step_ms: u64,
    /// Sums over the range, and what there is now.
    pub counters: DashboardCounters,
    /// Counters and series may lack a part of the namespace that is asked for: rollups count 64 namespaces apart in each span, and the others
    /// together.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub counters_partial: bool,
    /// How late handlers were entered on nodes within the range; of all namespaces.
    pub lateness: Lateness,
    /// What happened, oldest first, without a gap; the last point is not over yet. Nodes report every few seconds.
    pub series: Vec<DashboardPoint>,
    /// What somebody should look at, the newest first.
    pub attention: Vec<Attention>,
    /// The fires of the next hour, in parts of five minutes.
    pub next_hour: Vec<FirePeak>,
    /// False: more triggers are due within the hour than were looked at, and counts are too low.
    pub next_hour_complete: bool,
    /// The runs that are executed for longest, longest first.
    pub longest: Vec<LongRun>,
}

/// Sums over a range, and what there is now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct DashboardCounters {
    /// Fire times that became runs.
    pub fires: u64,
    /// Runs that succeeded.
    pub succeeded: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that were cancelled.
    pub cancelled: u64,
    /// Runs that were skipped, and fires that an overlap policy suppressed.
    pub skipped: u64,
    /// Fire times that were missed.
    pub missed: u64,
    /// Runs that are queued now; of the oldest 10,000 unfinished ones.
    pub queued: u64,
    /// Runs that are executed now; of the oldest 10,000 unfinished ones.
    pub running: u64,
    /// The lateness that 99 of 100 handlers stayed below, in milliseconds; absent where none was entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_p99_ms: Option<u32>,
    /// Workers that were heard within the last 30 seconds.
    pub workers_alive: u32,
    /// Workers that have joined.
    pub workers: u32,
}

/// What happened within a part of the range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct DashboardPoint {
    /// When it begins.
    pub at: Timestamp,
    /// Fire times that became runs.
    pub fires: u64,
    /// Runs that succeeded.
    pub succeeded: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that were cancelled.
    pub cancelled: u64,
    /// Runs that were skipped, and fires that an overlap policy suppressed.
    pub skipped: u64,
    /// Fire times that were missed.
    pub missed: u64,
    /// The lateness that half of the handlers stayed below, in milliseconds; absent where none was entered on a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_p50_ms: Option<u32>,
    /// The lateness that 99 of 100 stayed below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_p99_ms: Option<u32>,
    /// The highest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_max_ms: Option<u32>,
}

/// Something that somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Attention {
    /// Of what kind.
    pub kind: AttentionKind,
    /// Namespace of the job, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The job, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The queue, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// How often, or how many: of failures in a row ten at most are counted.
    pub count: u64,
    /// Since when.
    pub since: Timestamp,
    /// The run to look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<String>,
    /// In words.
    pub detail: String,
}

/// What somebody should look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// The newest run of a job has failed.
    Failing,
    /// Runs wait in a queue for more than a minute.
    Late,
    /// A run takes more than twice as long as nineteen of twenty do.
    Stuck,
    /// Fire times were missed within the last hour.
    Misfires,
    /// Nothing is sent to webhooks that have failed for days.
    Webhooks,
    /// A kind newer than this client.
    #[serde(other)]
    Unknown,
}

words!(AttentionKind: Failing = "failing", Late = "late", Stuck = "stuck", Misfires = "misfires", Webhooks = "webhooks",
    Unknown = "unknown");

/// Fires that come together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FirePeak {
    /// When the five minutes begin.
    pub at: Timestamp,
    /// How many fires there are.
    pub fires: u64,
    /// The first jobs that fire then, three at most.
    pub top: Vec<FirePeakJob>,
}

/// A job that fires within a part of the hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FirePeakJob {
    /// Namespace.
    pub namespace: String,
    /// Job.
    pub job: String,
    /// When it fires.
    pub at: Timestamp,
}

/// A run that is executed for long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LongRun {
    /// The run.
    pub run: String,
    /// Namespace.
    pub namespace: String,
    /// Job.
    pub job: String,
    /// When its latest attempt was claimed.
    pub started_at: Timestamp,
    /// For how long it has been executed, in milliseconds.
    pub running_ms: u64,
    /// What nineteen of twenty of the job's last runs stayed below, in milliseconds; absent if fewer than five are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<u64>,
}
