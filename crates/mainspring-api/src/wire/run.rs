//! Runs, attempts and logs.

use std::collections::BTreeMap;

use mainspring_model::AttemptOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::{RunState, TaskCounts, words};
use crate::Timestamp;

/// One execution of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Run {
    /// Id, ordered by time.
    pub id: String,
    /// Namespace.
    pub namespace: String,
    /// Job.
    pub job: String,
    /// Version of the job that it runs.
    pub job_version: u64,
    /// Labels of that version; of the run of a task, with those of the task.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Trigger that fired, by name; absent when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// What made it.
    pub origin: Origin,
    /// Where it stands.
    pub state: RunState,
    /// Why it stands there, when that needs saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Fire time; absent when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fire_at: Option<Timestamp>,
    /// The date that names it, where that is not its fire time: the job has `logical_date: start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_date: Option<Timestamp>,
    /// Fire time plus jitter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// It does not start before this instant: a retry delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
    /// It ends by itself if it still waits then: the job's `start_timeout`, or its `run_timeout` between attempts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When its first attempt started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it became final.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// By when it should have ended: the job's `deadline`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_at: Option<Timestamp>,
    /// Whether it was unfinished then, and that was told, where one run is asked for. Absent: no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deadline_missed: bool,
    /// When its cancellation was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_requested_at: Option<Timestamp>,
    /// Handler entered minus due time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness_ms: Option<i64>,
    /// Attempts opened so far.
    pub attempt: u32,
    /// Attempts allowed in all.
    pub attempts_max: u32,
    /// Queue.
    pub queue: String,
    /// Priority within the queue.
    pub priority: i32,
    /// Worker that executes the newest attempt or has executed it, by name, or that routing has picked for it. Absent also of lost
    /// attempts, and of runs of versions that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Node that executes the newest attempt or has executed it, by name. Absent where a worker does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Exit code of the newest attempt's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// JSON it received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// JSON it left, if that is not more than 64 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// What it left, if that is more: [`RUN_OUTPUT`](crate::routes::RUN_OUTPUT) gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_ref: Option<OutputRef>,
    /// Run that this one repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
    /// Newest run that repeats this one, where one run of a workflow is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_as: Option<String>,
    /// Run whose end started this one, by an `after` trigger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Task of a workflow run that started this one and waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<RunCaller>,
    /// Run of which this one is a shard or a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Which task of it, with the item in brackets where the task runs more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// How far the tasks of a workflow are, where one run is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TaskCounts>,
    /// Whether a workflow run starts nothing new until it is resumed, where one run is asked for. Absent: no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// Which shard it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<RunShard>,
    /// Whether a failover of the database came between its due time and its record, and lost records: it may have been
    /// recorded, and done, before. Absent: no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

/// An output that is kept apart from its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct OutputRef {
    /// How long it is.
    pub bytes: u64,
    /// Its SHA-256, as 64 hexadecimal digits.
    pub sha256: String,
}

/// A task of a workflow run that started another run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RunCaller {
    /// The workflow run.
    pub run: String,
    /// Name of the task, with the item in brackets where the task runs more than once.
    pub task: String,
}

/// Which part of a run another one executes for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RunShard {
    /// From 0.
    pub index: u32,
    /// How many there are.
    pub total: u32,
}

/// A run in brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RunSummary {
    /// Id.
    pub id: String,
    /// Where it stands.
    pub state: RunState,
    /// Fire time; absent when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fire_at: Option<Timestamp>,
    /// When its first attempt started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it became final.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

/// What made a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A trigger, in time.
    Schedule,
    /// A user, through console or command line.
    Manual,
    /// A program, through the API.
    Api,
    /// A rerun.
    Retry,
    /// A workflow, or a job that is executed in shards.
    Parent,
    /// A trigger, by its misfire policy.
    Misfire,
    /// A backfill.
    Backfill,
    /// The end of a run of another job.
    After,
    /// Another scheduler, which has executed it; its record was brought here.
    Imported,
    /// An origin newer than this client.
    #[serde(other)]
    Unknown,
}

words!(Origin: Schedule = "schedule", Manual = "manual", Api = "api", Retry = "retry", Parent = "parent",
    Misfire = "misfire", Backfill = "backfill", After = "after", Imported = "imported", Unknown = "unknown");

/// Which runs are asked for; conditions add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RunFilter {
    /// Job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// State.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<RunState>,
    /// A query, such as `state:failed job:etl-* took>10m`: docs/reference/query-language.md. A page may have fewer runs than `limit`,
    /// or none, and a `next_cursor`: then the search was stopped after a second, and goes on there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Label of the job or task, `key` or `key=value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Run whose tasks and shards are asked for, with the runs that its tasks have started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// `true` also lists runs of tasks, which are left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<bool>,
    /// Created at this instant or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// Created before this instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
    /// `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Items at most, 1 to 1,000; 100 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// One try of a run on one worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Attempt {
    /// Run.
    pub run: String,
    /// Number, from 1.
    pub number: u32,
    /// Where it stands.
    pub state: AttemptState,
    /// Why it ended so, when that needs saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Worker that claimed it; known of the newest attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Node that claimed it; known of the newest attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// When it was claimed.
    pub claimed_at: Timestamp,
    /// When the handler was entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Exit code of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Signal that ended the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

/// Where an attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptState {
    /// Open.
    Running,
    /// Ended well.
    Succeeded,
    /// Ended badly.
    Failed,
    /// Ended at its time limit.
    TimedOut,
    /// Its worker died.
    Lost,
    /// Ended on request.
    Cancelled,
    /// A state newer than this client.
    #[serde(other)]
    Unknown,
}

words!(AttemptState: Running = "running", Succeeded = "succeeded", Failed = "failed", TimedOut = "timed_out",
    Lost = "lost", Cancelled = "cancelled", Unknown = "unknown");

impl From<AttemptOutcome> for AttemptState {
    fn from(outcome: AttemptOutcome) -> Self {
        match outcome {
            AttemptOutcome::Succeeded => Self::Succeeded,
            AttemptOutcome::Failed => Self::Failed,
            AttemptOutcome::TimedOut => Self::TimedOut,
            AttemptOutcome::Lost => Self::Lost,
            AttemptOutcome::Cancelled => Self::Cancelled,
        }
    }
}

impl AttemptState {
    /// Returns how the attempt ended; nothing for one that is open, or whose state is newer than this client.
    #[must_use]
    pub fn outcome(self) -> Option<AttemptOutcome> {
        AttemptOutcome::from_word(self.as_str())
    }
}
