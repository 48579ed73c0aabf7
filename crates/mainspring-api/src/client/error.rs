//! What can go wrong between client and server.

use std::error::Error;

use crate::{ErrorCode, ProblemDetails};

/// Why a request has no answer, or not the one hoped for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The client cannot be made so. Correct the setting.
    #[error("{message}")]
    Settings {
        /// What is wrong.
        message: String,
    },
    /// No answer: not running, not reachable, or too slow. Whether the server acted is unknown.
    #[error("no answer from {address}: {reason}")]
    Unreachable {
        /// The server.
        address: String,
        /// The cause in a few words.
        reason: String,
        /// The cause.
        #[source]
        source: reqwest::Error,
    },
    /// The server says no, and why.
    #[error("{}", .0.detail)]
    Refused(Box<ProblemDetails>),
    /// The answer is not one of mainspring's: another server, a proxy, or another version.
    #[error("the server answered {status}, which is not understood: {reason}")]
    NotUnderstood {
        /// HTTP status.
        status: u16,
        /// What is wrong with the answer.
        reason: String,
    },
}

impl ClientError {
    /// Returns what the server says is wrong, if it answered.
    pub fn problem(&self) -> Option<&ProblemDetails> {
        match self {
            Self::Refused(problem) => Some(problem),
            _ => None,
        }
    }

    /// Returns the code of what the server says is wrong, if it answered with one that this client knows.
    pub fn code(&self) -> Option<ErrorCode> {
        self.problem().and_then(ProblemDetails::error_code)
    }

    pub(super) fn settings(message: impl Into<String>) -> Self {
        Self::Settings { message: message.into() }
    }

    pub(super) fn unreachable(address: &str, source: reqwest::Error) -> Self {
        let source = source.without_url();
        let reason = if source.is_timeout() { "timed out".to_owned() } else { innermost(&source) };
        Self::Unreachable { address: address.to_owned(), reason, source }
    }
}

/// Returns the innermost cause, which says "connection refused" where the outer ones say "error sending request".
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
