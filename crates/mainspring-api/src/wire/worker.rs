//! What workers and servers say to each other: the whole protocol, as data.
//!
//! A worker joins ([`WorkerSpec`]), then asks again and again what there is to do ([`WorkerPoll`], which the server holds for a
//! moment), and says what became of it ([`WorkerReport`]). It dials out only.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{AttemptState, LogStream, RunShard};
use crate::{Leftovers, ScriptLanguage, Timestamp};

/// What a worker says of itself when it joins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerSpec {
    /// What people call it.
    pub name: String,
    /// Queues that it takes runs from: the first first. At most 1,000.
    #[schemars(extend("maxItems" = 1_000))]
    pub queues: Vec<String>,
    /// Runs that it executes at a time, at least 1.
    pub slots: u32,
    /// For selecting; free pairs, at most 100.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 100))]
    pub labels: BTreeMap<String, String>,
    /// What program it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The terms on which a worker has joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct WorkerTerms {
    /// Its id, for the paths of what it sends from now on. It is over once a request under it is answered
    /// `worker.not_found`: whatever the worker executes then is taken for lost.
    pub id: String,
    /// How long a poll is held at most while there is nothing to say, in milliseconds.
    pub hold_ms: u64,
    /// The same for a poll that names no runs and says so in `wait_ms`: a worker with nothing to do costs less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_hold_ms: Option<u64>,
    /// When nothing was answered that was sent within this many milliseconds, others may be given its runs: it ends those that say
    /// `shared`.
    pub give_up_ms: u64,
    /// Whether polls may say the worker's time in `now`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clock: bool,
}

/// A worker as the API shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Worker {
    /// Id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Queues that it takes runs from.
    pub queues: Vec<String>,
    /// Runs that it executes at a time.
    pub slots: u32,
    /// Runs that it executes now.
    pub running: u32,
    /// Whether it drains: it finishes what it has, and is given nothing new.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draining: bool,
    /// How far its clock is ahead of the server's, in milliseconds, less what a message needs; absent until it has told its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_ms: Option<i64>,
    /// Labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// What program it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Node that heard from it last, by name; absent if that node is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// When it joined.
    pub joined_at: Timestamp,
    /// When it was heard last, give or take two seconds.
    pub heard_at: Timestamp,
}

/// Asks what there is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerPoll {
    /// One higher with each poll. A poll that is older than another one is answered `worker.stale_poll`.
    pub number: u64,
    /// How many more runs it takes at most; the server gives no more than its slots less those that it has. 0: none, but it hears of
    /// runs that are to end.
    pub free: u32,
    /// Every attempt that it was given and whose end the server has not recorded yet. What it was given and does not name here is
    /// given to it again: the answer that told of it was lost.
    pub runs: Vec<WorkerHolding>,
    /// How long to hold the poll at most while there is nothing to say, in milliseconds; as the terms say if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// The worker's clock as it sends this, if the terms say `clock`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Timestamp>,
}

/// An attempt that a worker has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerHolding {
    /// Run.
    pub run: String,
    /// Attempt, from 1.
    pub attempt: u32,
}

/// What there is to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct WorkerOrders {
    /// Runs to start.
    pub runs: Vec<WorkerRun>,
    /// Runs whose end is asked for: they are to be reported, as `cancelled` if that is what they come to.
    pub cancel: Vec<String>,
    /// How long after the poll has come this is said, in milliseconds: the worker is heard at least so long after it sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_ms: Option<u64>,
    /// Whether the server stops and starts nothing more: a worker that knows another server asks that one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draining: bool,
}

/// A run to execute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct WorkerRun {
    /// Id: the same for every attempt.
    pub run: String,
    /// Attempt, from 1.
    pub attempt: u32,
    /// Namespace.
    pub namespace: String,
    /// Job.
    pub job: String,
    /// The instant it stands for; for a run that was asked for, the time of asking.
    pub fire_at: Timestamp,
    /// When it was due.
    pub due_at: Timestamp,
    /// What to do.
    pub task: WorkerTask,
    /// Its input: what was given with the run over what the job says.
    pub input: Value,
    /// What the job keeps between its runs: an object. Absent where it keeps nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Which shard it is, if its job is broadcast to workers. Processes get it with `env`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<RunShard>,
    /// Environment of processes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Where a process starts; a private, temporary folder if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// Limit of the attempt, in milliseconds. The worker ends it then, and reports `timed_out`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<i64>,
    /// What becomes of processes that a program leaves running when it ends by itself; `warn` if absent.
    #[serde(default, skip_serializing_if = "mainspring_model::is_default")]
    pub leftovers: Leftovers,
    /// Whether others may be given it, or its slot, once this worker is taken for dead: then the worker has to end it before.
    pub shared: bool,
}

/// What a worker does for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WorkerTask {
    /// A shell line.
    Run {
        /// Text for the shell.
        script: String,
        /// The shell; `sh` if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shell: Option<String>,
    },
    /// A program and its arguments, without a shell.
    Exec {
        /// Program first.
        argv: Vec<String>,
    },
    /// A text that an interpreter reads from a file.
    Script {
        /// What it is written in.
        language: ScriptLanguage,
        /// The script.
        source: String,
        /// Its arguments.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
        /// Whether it has XXL-JOB's three arguments in place of `args`.
        #[serde(default, skip_serializing_if = "mainspring_model::is_default")]
        xxl_args: bool,
    },
    /// An HTTP call.
    Http {
        /// `GET`, `POST`, …
        method: String,
        /// Absolute, http or https.
        url: String,
        /// Name and value, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        headers: Vec<(String, String)>,
        /// Sent as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<String>,
        /// Inclusive ranges of status codes that count as success; 200–299 if empty.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        expect: Vec<(u16, u16)>,
        /// Limit of the call, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<i64>,
        /// Whether the server's certificate must be valid.
        verify_tls: bool,
        /// How many redirects are followed; 3 if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_redirects: Option<u8>,
    },
    /// A function of the worker.
    Handler {
        /// Its name.
        name: String,
    },
    /// Nothing: succeeds at once.
    Noop,
    /// A kind newer than this worker, which ends the attempt as `failed` with the code `task.not_enabled`.
    #[serde(other)]
    Unknown,
}

/// What became of runs. All of it is recorded when the report is answered; it may be repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerReport {
    /// The worker's clock: the server takes its own for the times below, and this for the difference.
    pub now: Timestamp,
    /// Log lines. Those of an attempt go before its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<WorkerLog>,
    /// Ends of attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<WorkerEnd>,
}

/// Consecutive log lines of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerLog {
    /// Run.
    pub run: String,
    /// Attempt, from 1.
    pub attempt: u32,
    /// Index of the first line within the attempt, from 0. Lines that are there already are passed over.
    pub first_line: u64,
    /// The lines, at least one.
    pub lines: Vec<WorkerLine>,
}

/// A log line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerLine {
    /// When it was written, by the worker's clock.
    pub at: Timestamp,
    /// Where it was written.
    pub stream: LogStream,
    /// The text, without line end, at most 16 KiB.
    pub text: String,
    /// The line goes on in the next one of the same stream.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub partial: bool,
}

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerEnd {
    /// Run.
    pub run: String,
    /// Attempt, from 1.
    pub attempt: u32,
    /// How it ended: `succeeded`, `failed`, `timed_out`, `cancelled`, or `lost` for one that the worker knows nothing of any more.
    pub outcome: AttemptState,
    /// When it was started, by the worker's clock; absent if it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended, by the worker's clock.
    pub ended_at: Timestamp,
    /// Exit code of the process, or HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Stable code of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The error in a line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// JSON it left, at most 16 MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// What the job keeps from now on: an object, at most 64 KiB. Absent where that stays as it is. Counts with the outcome
    /// `succeeded`, and for jobs that were given out with `data`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl WorkerEnd {
    /// The end of an attempt of which no more is known than how it ended, and when.
    ///
    /// ```
    /// use mainspring_api::{AttemptState, Timestamp, WorkerEnd};
    /// let end = WorkerEnd::new("019b76da-a800-8000-8000-000cb1d78eb9", 1, AttemptState::Lost, Timestamp::from_millis(0));
    /// assert_eq!((end.started_at, end.error), (None, None));
    /// ```
    #[must_use]
    pub fn new(run: impl Into<String>, attempt: u32, outcome: AttemptState, ended_at: Timestamp) -> Self {
        Self {
            run: run.into(),
            attempt,
            outcome,
            started_at: None,
            ended_at,
            exit_code: None,
            signal: None,
            error_code: None,
            error: None,
            output: None,
            data: None,
        }
    }
}

/// What became of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct WorkerReceipt {
    /// Ends that were refused: the attempt is not this worker's, or over already. Nothing is to be done about them.
    pub refused: Vec<WorkerHolding>,
}

/// Makes a token with which workers may join and work, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerTokenSpec {
    /// What people call it; unique.
    pub name: String,
    /// Queues that its workers may take runs from; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<String>,
    /// It opens nothing from this instant on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// A token of workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct WorkerToken {
    /// Name.
    pub name: String,
    /// Queues that its workers may take runs from; all if empty.
    pub queues: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// It opens nothing from this instant on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The token itself: only where it is made, and never again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}
