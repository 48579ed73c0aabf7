//! Backfills: fire times of the past that are run on request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::words;
use crate::Timestamp;

/// Which fire times of a range are run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reprocess {
    /// Those without a run.
    #[default]
    Missing,
    /// Those without a run, and those whose run failed or was cancelled.
    Failed,
    /// All whose run is not under way.
    All,
}
words!(Reprocess: Missing = "missing", Failed = "failed", All = "all");

/// In which order a backfill starts its runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackfillOrder {
    /// The earliest fire time first.
    #[default]
    Asc,
    /// The latest fire time first.
    Desc,
}
words!(BackfillOrder: Asc = "asc", Desc = "desc");

/// What is to be backfilled, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "from": "2026-07-01", "to": "2026-07-07", "reprocess": "failed", "max_active": 2, "plan": "5f0c1d2e3a4b"
}))]
pub struct BackfillSpec {
    /// The first day of the range of logical dates, which are fire times unless the job says otherwise, as `2026-07-01`, a local time such as `2026-07-01T06:00`, or an instant with its offset.
    pub from: String,
    /// The last one, which counts; of a day all of it. Now when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Trigger whose fire times are run; the only one of the job when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Time zone in which `from` and `to` are read; the trigger's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Which fire times of the range are run. Leave it out with `tasks` and `failed`.
    #[serde(default)]
    pub reprocess: Reprocess,
    /// Of a workflow: names of tasks that run again in each run of the range, in place of whole runs. The others keep their results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
    /// With `tasks`: also all that need them, directly or not, and the tasks that run last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub downstream: bool,
    /// With `tasks`: also all that they need, directly or not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub upstream: bool,
    /// In place of `tasks`: what failed or was cancelled in runs that failed, what did not start because of it, and the tasks that run last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// With `tasks` or `failed`: fire times without a run get a whole one. Otherwise they are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub create_missing: bool,
    /// Whether fire times of other workflows run, too, that depend on these by `needs`: of each the tasks that need them and all below
    /// those, after what they need has ended well. A fire time without a run gets a whole one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cascade: bool,
    /// In which order they start.
    #[serde(default)]
    pub order: BackfillOrder,
    /// Runs under way at a time, 1 to 1,000; 1 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_active: Option<u32>,
    /// Whether the first run that fails pauses the backfill.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop_on_failure: bool,
    /// Priority of the runs; 10 below that of the job when absent, so that scheduled runs go first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// To start: hash of the plan that was shown. Refused if the plan is another one by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// To start: who starts it, where the token does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What a backfill would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[schema(example = json!({
    "hash": "5f0c1d2e3a4b", "namespace": "default", "job": "etl", "job_version": 3, "trigger": "daily",
    "timezone": "Europe/Berlin", "from": "2026-06-30T22:00:00Z", "to": "2026-07-07T21:59:59.999Z",
    "reprocess": "failed", "order": "asc", "max_active": 2, "stop_on_failure": false, "priority": -5,
    "actions": { "create": 1, "rerun": 1, "keep": 5, "active": 0, "absent": 0 },
    "items": [{ "fire_at": "2026-07-01T04:00:00Z", "action": "create" },
        { "fire_at": "2026-07-02T04:00:00Z", "action": "rerun", "run": "019fc0de-a800-8000-8000-00007a791355" }],
    "next_cursor": "2"
}))]
pub struct BackfillPlan {
    /// Names the plan. The same rows under the same choices have the same hash.
    pub hash: String,
    /// Namespace.
    pub namespace: String,
    /// Job.
    pub job: String,
    /// Version of the job that the runs would execute.
    pub job_version: u64,
    /// Trigger whose fire times are run.
    pub trigger: String,
    /// Time zone in which the range was read.
    pub timezone: String,
    /// The first instant of the range.
    pub from: Timestamp,
    /// The last instant of the range.
    pub to: Timestamp,
    /// Which fire times of the range are run.
    pub reprocess: Reprocess,
    /// Which tasks run again; absent where whole runs do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<BackfillPart>,
    /// Whether what depends on it runs, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cascade: bool,
    /// In which order they start.
    pub order: BackfillOrder,
    /// Runs under way at a time.
    pub max_active: u32,
    /// Whether the first run that fails pauses the backfill.
    pub stop_on_failure: bool,
    /// Priority of the runs.
    pub priority: i32,
    /// All fire times of the range by what is done about them.
    pub actions: BackfillActions,
    /// With `cascade`: those that depend on them, by what is done about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<BackfillActions>,
    /// A page of them, in the order of the backfill, and then of those that depend on them, level by level.
    pub items: Vec<BackfillPlanItem>,
    /// What `cursor` gets the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Fire times by what a backfill does about them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BackfillActions {
    /// Run for the first time.
    pub create: u64,
    /// Run again.
    pub rerun: u64,
    /// Left alone: what there is, is not to be reprocessed.
    pub keep: u64,
    /// Left alone: a run is under way, or about to be.
    pub active: u64,
    /// Left out: there is no run of which tasks could run again.
    #[serde(default)]
    pub absent: u64,
}

/// Which tasks of the runs of a range run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BackfillPart {
    /// Their names; none for those that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
    /// Whether all that need them run, too.
    pub downstream: bool,
    /// Whether all that they need run, too.
    pub upstream: bool,
    /// Whether fire times without a run get a whole one.
    pub create_missing: bool,
}

/// What a backfill would do about a fire time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BackfillPlanItem {
    /// Fire time.
    pub fire_at: Timestamp,
    /// The date that names its run, where that is not the fire time: the job has `logical_date: start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_date: Option<Timestamp>,
    /// What is done about it.
    pub action: BackfillAction,
    /// The newest run that there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// How many of its tasks run again, where only some do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u64>,
    /// Why none does, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many times removed it depends on what was chosen; absent for that itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// The job whose fire time it is, where that is another backfill's because it depends on this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The trigger of that job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// What it depends on: the task that needs, and what that needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What a backfill does about a fire time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackfillAction {
    /// Runs it for the first time.
    Create,
    /// Runs it again.
    Rerun,
    /// Leaves it: what there is, is not to be reprocessed.
    Keep,
    /// Leaves it: a run is under way, or about to be.
    Active,
    /// Leaves it out: there is no run of which tasks could run again.
    Absent,
    /// An action newer than this client.
    #[serde(other)]
    Unknown,
}
words!(BackfillAction: Create = "create", Rerun = "rerun", Keep = "keep", Active = "active", Absent = "absent", Unknown = "unknown");

/// A backfill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[schema(example = json!({
    "id": "7", "namespace": "default", "job": "etl", "job_version": 3, "trigger": "daily", "timezone": "Europe/Berlin",
    "from": "2026-06-30T22:00:00Z", "to": "2026-07-07T21:59:59.999Z", "reprocess": "failed", "order": "asc",
    "max_active": 2, "stop_on_failure": false, "priority": -5, "plan": "5f0c1d2e3a4b",
    "actions": { "create": 1, "rerun": 1, "keep": 5, "active": 0, "absent": 0 }, "state": "active",
    "items": { "total": 2, "open": 0, "running": 1, "succeeded": 1, "failed": 0, "cancelled": 0, "skipped": 0 },
    "created_at": "2026-07-08T09:12:44.120Z", "created_by": "ada"
}))]
pub struct Backfill {
    /// Number.
    pub id: String,
    /// Namespace.
    pub namespace: String,
    /// Job.
    pub job: String,
    /// Version of the job that the runs execute.
    pub job_version: u64,
    /// Trigger whose fire times are run.
    pub trigger: String,
    /// Time zone in which the range was read.
    pub timezone: String,
    /// The first instant of the range.
    pub from: Timestamp,
    /// The last instant of the range.
    pub to: Timestamp,
    /// Which fire times of the range are run.
    pub reprocess: Reprocess,
    /// Which tasks run again; absent where whole runs do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<BackfillPart>,
    /// Whether it was started together with what depends on it, or because it depends on another one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cascade: bool,
    /// The backfill that it depends on and was started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cascade_of: Option<String>,
    /// In which order they start.
    pub order: BackfillOrder,
    /// Runs under way at a time.
    pub max_active: u32,
    /// Whether the first run that fails pauses the backfill.
    pub stop_on_failure: bool,
    /// Priority of the runs.
    pub priority: i32,
    /// Hash of its plan.
    pub plan: String,
    /// All fire times of the range by what the plan said about them.
    pub actions: BackfillActions,
    /// Where it stands.
    pub state: BackfillState,
    /// Why it stands there, when that needs saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its items by state.
    pub items: BackfillItems,
    /// When it was started.
    pub created_at: Timestamp,
    /// Who started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// When it ended; absent while it goes on or has runs under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

/// Where a backfill stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackfillState {
    /// It starts runs.
    Active,
    /// It starts none until it is resumed. Runs that are under way go on.
    Paused,
    /// It was ended on request, with its runs.
    Cancelled,
    /// Each item has ended.
    Completed,
    /// A state newer than this client.
    #[serde(other)]
    Unknown,
}
words!(BackfillState: Active = "active", Paused = "paused", Cancelled = "cancelled", Completed = "completed", Unknown = "unknown");

impl BackfillState {
    /// Tells whether nothing new starts any more unless failed items are retried.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Cancelled | Self::Completed)
    }
}

/// Items of a backfill by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BackfillItems {
    /// All of them.
    pub total: u64,
    /// Without a run yet.
    pub open: u64,
    /// Whose run has not ended.
    pub running: u64,
    /// Whose run succeeded.
    pub succeeded: u64,
    /// Whose run failed.
    pub failed: u64,
    /// Whose run was cancelled, or that were cancelled before they had one.
    pub cancelled: u64,
    /// Whose run was skipped, or for which another one was under way.
    pub skipped: u64,
}

/// A fire time that a backfill runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BackfillItem {
    /// Its place in the order of the backfill, from 1.
    pub number: u64,
    /// Fire time.
    pub fire_at: Timestamp,
    /// The date that names its run, where that is not the fire time: the job has `logical_date: start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_date: Option<Timestamp>,
    /// `create` or `rerun`.
    pub action: BackfillAction,
    /// Where it stands.
    pub state: BackfillItemState,
    /// The newest run made for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The run before, which this one repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
}

/// Where an item of a backfill stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackfillItemState {
    /// It has no run yet.
    Open,
    /// Its run has not ended.
    Running,
    /// Its run succeeded.
    Succeeded,
    /// Its run failed.
    Failed,
    /// Its run was cancelled, or the backfill before it had one.
    Cancelled,
    /// Its run was skipped, or another one was under way.
    Skipped,
    /// A state newer than this client.
    #[serde(other)]
    Unknown,
}
words!(BackfillItemState: Open = "open", Running = "running", Succeeded = "succeeded", Failed = "failed",
    Cancelled = "cancelled", Skipped = "skipped", Unknown = "unknown");

/// Which backfills are asked for; conditions add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct BackfillFilter {
    /// Job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// State.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<BackfillState>,
    /// Number of the backfill that they depend on and were started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cascade_of: Option<String>,
    /// `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Items at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Which items of a backfill are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct BackfillItemFilter {
    /// State.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<BackfillItemState>,
    /// `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Items at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
