//! Exit codes. They are an interface: documented in `mainspring help`, tested, stable.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Success = 0,
    /// Failed for a reason that has no code of its own.
    Failure = 1,
    /// The command line is wrong.
    Usage = 2,
    /// What was named does not exist.
    NotFound = 3,
    /// It exists already, or somebody changed it in between.
    Conflict = 4,
    /// No token, a wrong one, or not allowed.
    Denied = 5,
    /// The server does not answer, or not in time.
    Unreachable = 6,
    /// The awaited run failed.
    RunFailed = 7,
    /// The awaited run was cancelled or skipped, or did not end in time.
    RunCancelled = 8,
    /// A file or an expression is not valid.
    Invalid = 9,
    /// There are differences.
    Different = 10,
    /// Some of several things were done.
    Partial = 11,
    /// Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// All of them with their meaning, for the help.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::Success, "ok"),
        (Self::Failure, "failure"),
        (Self::Usage, "usage"),
        (Self::NotFound, "not found"),
        (Self::Conflict, "conflict or stale version"),
        (Self::Denied, "not authenticated or not allowed"),
        (Self::Unreachable, "server unreachable or timeout"),
        (Self::RunFailed, "awaited run failed"),
        (Self::RunCancelled, "awaited run cancelled, skipped or not ended in time"),
        (Self::Invalid, "validation failed"),
        (Self::Different, "differences found"),
        (Self::Partial, "partial success"),
        (Self::Interrupted, "interrupted"),
    ];
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_stable() {
        let codes = Exit::ALL.map(|(exit, _)| exit as u8);
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 130]);
    }
}
