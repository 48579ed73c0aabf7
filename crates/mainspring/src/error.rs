//! What can go wrong when a program asks something of its scheduler.

use mainspring_engine::control;

/// A request that was not carried out, or a scheduler that could not start. Nothing of it was kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such job, trigger, calendar or run. Check the name.
    #[error("there is no {what} `{key}`")]
    NotFound {
        /// The kind of thing, in lower case.
        what: &'static str,
        /// What was asked for.
        key: String,
    },
    /// It is in a state that does not allow the request, or others change it all the time. Read it again and decide anew.
    #[error("{what} `{key}` {why}")]
    Conflict {
        /// The kind of thing, in lower case.
        what: &'static str,
        /// What was asked for.
        key: String,
        /// What stands against the request.
        why: String,
    },
    /// Something about a job, trigger or calendar cannot be used.
    #[error("{path}: {message}")]
    Invalid {
        /// Where: `default/nightly`, or `default/nightly/trigger-1`.
        path: String,
        /// Which field, such as `timezone`.
        field: &'static str,
        /// Stable code, such as `schedule.cron`.
        code: &'static str,
        /// What is wrong.
        message: String,
    },
    /// As many runs wait in the queue as may. Once some have left it, asking again helps.
    #[error("the queue {queue} is full: no more than {max_waiting} may wait in it")]
    QueueFull {
        /// The queue.
        queue: String,
        /// How many runs may wait in it.
        max_waiting: u32,
    },
    /// The request does not fit what it names; the message says why.
    #[error("{0}")]
    Refused(String),
    /// The store cannot be opened, read or written.
    #[error(transparent)]
    Store(mainspring_store::Error),
    /// The engine could not start.
    #[error(transparent)]
    Start(mainspring_engine::StartError),
}

impl From<control::Error> for Error {
    fn from(error: control::Error) -> Self {
        match error {
            control::Error::Store(error) => error.into(),
            control::Error::Invalid { path, error, .. } => {
                Self::Invalid { path, field: error.field, code: error.code, message: error.message }
            }
            control::Error::QueueFull { queue, max_waiting } => Self::QueueFull { queue, max_waiting },
            other => Self::Refused(other.to_string()),
        }
    }
}

impl From<mainspring_store::Error> for Error {
    fn from(error: mainspring_store::Error) -> Self {
        match error {
            mainspring_store::Error::NotFound { what, key } => Self::NotFound { what, key },
            mainspring_store::Error::Conflict { what, key, why } => Self::Conflict { what, key, why },
            other => Self::Store(other),
        }
    }
}

impl From<mainspring_engine::StartError> for Error {
    fn from(error: mainspring_engine::StartError) -> Self {
        match error {
            mainspring_engine::StartError::Store(error) => error.into(),
            other => Self::Start(other),
        }
    }
}
