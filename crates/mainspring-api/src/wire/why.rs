//! Why something is not running.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words;
use crate::Timestamp;

/// Why a run, a trigger or a job is not running now, or that it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Why {
    /// The run's id, `namespace/job/trigger`, or `namespace/job`.
    pub subject: String,
    /// What it waits for or what stands in its way, in the order in which that has to go. Never empty.
    pub reasons: Vec<WhyReason>,
}

/// One thing that something waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct WhyReason {
    /// For programs.
    pub code: WhyCode,
    /// For people.
    pub message: String,
    /// What to do about it, if something can be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The trigger that this is about; absent if it is about the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The task that this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// When it ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Ids of runs that are waited for, 100 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<String>,
}

/// Kinds of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhyCode {
    /// Nothing is in the way: it runs.
    Running,
    /// Its end was asked for.
    CancelRequested,
    /// It is final.
    Final,
    /// It is not before an instant.
    NotBefore,
    /// As many runs of the job are unfinished as may be.
    JobLimit,
    /// Every slot is taken.
    NoSlot,
    /// Nobody takes runs from its queue.
    NoWorker,
    /// Its queue is paused.
    QueuePaused,
    /// As many runs of its queue are executed as may be, or leave it as fast as they may.
    QueueLimit,
    /// The slots that are free are kept for jobs that are known to be short.
    SlowShare,
    /// As many runs of jobs and tasks with one of its labels are executed as may be.
    LabelLimit,
    /// Other runs of the queue go first.
    QueueOrder,
    /// The server that answers is shutting down.
    Draining,
    /// It will be started at any moment.
    AboutToStart,
    /// The job is paused.
    JobPaused,
    /// The job has no triggers.
    NoTrigger,
    /// The trigger is paused.
    TriggerPaused,
    /// The trigger's schedule has ended.
    TriggerComplete,
    /// The trigger was put aside, since it cannot be evaluated.
    TriggerError,
    /// It waits for the end of a run.
    AwaitsRun,
    /// A task waits for others that it needs.
    AwaitsTasks,
    /// Its rule or condition said no, or others failed that it needs.
    TaskRule,
    /// As many runs of a task are under way as may be.
    TaskLimit,
    /// Somebody is to approve it.
    AwaitsApproval,
    /// The workflow run is paused.
    RunPaused,
    /// The next instant of the schedule has not come.
    NotDue,
    /// What started it: the end of another run.
    Cause,
    /// It fires when a run of another job ends.
    AwaitsJob,
    /// A reason newer than this client.
    #[serde(other)]
    Unknown,
}

words!(WhyCode: Running = "running", CancelRequested = "cancel_requested", Final = "final", NotBefore = "not_before",
    JobLimit = "job_limit", NoSlot = "no_slot", NoWorker = "no_worker", QueuePaused = "queue_paused", QueueLimit = "queue_limit", SlowShare = "slow_share", LabelLimit = "label_limit", QueueOrder = "queue_order", Draining = "draining",
    AboutToStart = "about_to_start", JobPaused = "job_paused", NoTrigger = "no_trigger",
    TriggerPaused = "trigger_paused", TriggerComplete = "trigger_complete", TriggerError = "trigger_error",
    AwaitsRun = "awaits_run", AwaitsTasks = "awaits_tasks", TaskRule = "task_rule", TaskLimit = "task_limit",
    AwaitsApproval = "awaits_approval", RunPaused = "run_paused", NotDue = "not_due", Cause = "cause", AwaitsJob = "awaits_job", Unknown = "unknown");

impl WhyReason {
    /// A reason that is about the whole and does not end by itself.
    pub fn new(code: WhyCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, trigger: None, task: None, until: None, runs: Vec::new() }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
