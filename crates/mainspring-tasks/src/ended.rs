//! The end of an attempt: outcome, output, error.

use mainspring_model::AttemptOutcome;
use serde_json::Value;

/// The verdict on one attempt and what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The verdict.
    pub outcome: Outcome,
    /// The main process's exit code, when it exited by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended the main process.
    pub signal: Option<i32>,
    /// The status of the last response of an HTTP call.
    pub http_status: Option<u16>,
    /// The body of the last response of an HTTP call, where that was to be kept.
    pub body: Option<Vec<u8>>,
    /// The error, unless it succeeded.
    pub error: Option<TaskError>,
    /// The JSON object that the process wrote to `$MS_OUTPUT`; absent when it wrote nothing.
    pub output: Option<Value>,
    /// The JSON object that the process put in place of the job's data in `$MS_DATA`; absent where that stays as it is.
    pub data: Option<Value>,
    /// Lines that went to the log.
    pub log_lines: u64,
    /// Whether part of the log was discarded: over its cap, or because the reader went away or stood still.
    pub log_truncated: bool,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did what was asked.
    Succeeded,
    /// It could not start, or ended in failure.
    Failed,
    /// It was ended because it took too long.
    TimedOut,
    /// It was ended on request.
    Cancelled,
}

impl From<Outcome> for AttemptOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Succeeded => Self::Succeeded,
            Outcome::Failed => Self::Failed,
            Outcome::TimedOut => Self::TimedOut,
            Outcome::Cancelled => Self::Cancelled,
        }
    }
}

/// The reason why an attempt did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TaskError {
    /// A stable, dotted code such as `process.exit` or `http.unexpected_status`, one of
    /// [`ERROR_CODES`](crate::ERROR_CODES).
    pub code: &'static str,
    /// The description of the error, in one line.
    pub message: String,
}

impl TaskError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl Ended {
    pub(crate) fn succeeded() -> Self {
        Self {
            outcome: Outcome::Succeeded,
            exit_code: None,
            signal: None,
            http_status: None,
            body: None,
            error: None,
            output: None,
            data: None,
            log_lines: 0,
            log_truncated: false,
        }
    }

    pub(crate) fn with_error(outcome: Outcome, error: TaskError) -> Self {
        Self { outcome, error: Some(error), ..Self::succeeded() }
    }

    pub(crate) fn failed(error: TaskError) -> Self {
        Self::with_error(Outcome::Failed, error)
    }

    pub(crate) fn cancelled() -> Self {
        Self::with_error(Outcome::Cancelled, TaskError::new("task.cancelled", "the attempt was ended on request"))
    }
}
