//! What jobs keep between their runs.

use mainspring_core::{JobId, RunId, Timestamp};

use crate::error::Error;

/// What a job keeps between its runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobData {
    /// A JSON object.
    pub data: String,
    /// Counts the changes, from 1.
    pub revision: i64,
    /// The run that left it; absent where a request set it.
    pub run: Option<RunId>,
    /// When it was set.
    pub changed_at: Timestamp,
}

/// Somebody else has set it meanwhile.
pub(crate) fn conflict(job: JobId, expected: i64, found: i64) -> Error {
    let why = format!("has revision {found}, not {expected}");
    Error::Conflict { what: "job data", key: job.to_string(), why }
}
