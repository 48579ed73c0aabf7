//! Past runs: what another scheduler has executed, and of which only the records are brought here.

use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp};

/// Past runs of a job, to be kept in its history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PastRuns {
    /// The job.
    pub job: JobId,
    /// The version that they are said to have run.
    pub job_version: JobVersion,
    /// The runs. No two have the same id.
    pub runs: Vec<PastRun>,
    /// When they are brought.
    pub at: Timestamp,
}

/// A run that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PastRun {
    /// Its id, which follows from the record that it is made of: the same record again is known by it.
    pub id: RunId,
    /// When it was due.
    pub due_at: Timestamp,
    /// All attempts but the last, first to last.
    pub earlier: Vec<PastAttempt>,
    /// The last attempt, which decides how the run has ended.
    pub last: PastAttempt,
    /// The line of the job's queue, which names the worker where that is known.
    pub queue: String,
    /// What people should know of it, such as where it comes from.
    pub reason: Option<String>,
    /// JSON that it was given.
    pub input: Option<String>,
    /// JSON that it has returned, of at most [`INLINE_MAX`](mainspring_core::output::INLINE_MAX) bytes.
    pub output: Option<String>,
}

/// An attempt of a past run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PastAttempt {
    /// How it has ended.
    pub outcome: AttemptOutcome,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Exit code, or the code of its protocol.
    pub exit_code: Option<i32>,
    /// Stable code of the error.
    pub error_code: Option<String>,
    /// One line for people.
    pub error: Option<String>,
}

impl PastRun {
    /// Which attempt is the last, counted from 1.
    pub(crate) fn attempt(&self) -> u32 {
        u32::try_from(self.earlier.len()).unwrap_or(u32::MAX - 1) + 1
    }

    /// How the run has ended.
    pub(crate) fn state(&self) -> RunState {
        self.last.outcome.verdict().into()
    }
}
