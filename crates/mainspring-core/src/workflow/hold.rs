//! Tasks that wait instead of doing something: for a while, for an instant, for somebody's approval, or for tasks of other workflows.
//!
//! Such a task has a run like any other, in a line that nobody takes runs from. It ends when that run's time is over, or by request.

use serde::{Deserialize, Serialize};

use super::{Elsewhere, OnTimeout, TaskState};
use crate::run::RunState;

/// What a task waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// So many milliseconds from when it may run.
    For(i64),
    /// An instant, as RFC 3339 says it, or a text whose expressions make one. One that is past holds nothing up.
    Until(String),
    /// Somebody's approval.
    Approval(Approval),
    /// The ends of tasks of another workflow.
    Elsewhere(Elsewhere),
}

/// What somebody is to decide.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Approval {
    /// What is asked, with expressions.
    pub prompt: String,
    /// Who may decide, by name; anybody who may steer runs if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// How long to wait for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<i64>,
    /// What follows when that is over.
    #[serde(default)]
    pub on_timeout: OnTimeout,
}

impl Hold {
    /// How the task ends whose run has ended by itself, and why where that is not plain.
    ///
    /// ```
    /// use mainspring_core::run::RunState;
    /// use mainspring_core::workflow::{Approval, Hold, TaskState};
    /// // The run of a task that waits is never started: it expires.
    /// assert_eq!(Hold::For(1_000).end(RunState::Skipped), (TaskState::Succeeded, None));
    /// let nobody = Hold::Approval(Approval::default()).end(RunState::Skipped);
    /// assert_eq!(nobody, (TaskState::Failed, Some("nobody decided in time")));
    /// ```
    #[must_use]
    pub const fn end(&self, state: RunState) -> (TaskState, Option<&'static str>) {
        const LATE: Option<&str> = Some("nobody decided in time");
        const OPEN: Option<&str> = Some("what it waits for had not ended in time");
        match (self, state) {
            (_, RunState::Cancelled) => (TaskState::Cancelled, None),
            (Self::For(_) | Self::Until(_), _) => (TaskState::Succeeded, None),
            (Self::Elsewhere(_), _) => (TaskState::Failed, OPEN),
            (Self::Approval(approval), _) => match approval.on_timeout {
                OnTimeout::Fail => (TaskState::Failed, LATE),
                OnTimeout::Skip => (TaskState::Skipped, LATE),
                OnTimeout::Approve => (TaskState::Succeeded, LATE),
            },
        }
    }

    /// What somebody is to decide, if it is that.
    #[must_use]
    pub const fn approval(&self) -> Option<&Approval> {
        match self {
            Self::Approval(approval) => Some(approval),
            Self::For(_) | Self::Until(_) | Self::Elsewhere(_) => None,
        }
    }

    /// What it waits for in another workflow, if it is that.
    #[must_use]
    pub const fn elsewhere(&self) -> Option<&Elsewhere> {
        match self {
            Self::Elsewhere(need) => Some(need),
            Self::For(_) | Self::Until(_) | Self::Approval(_) => None,
        }
    }
}

impl Approval {
    /// Whether somebody may decide.
    #[must_use]
    pub fn admits(&self, by: Option<&str>) -> bool {
        self.from.is_empty() || by.is_some_and(|by| self.from.iter().any(|name| name == by))
    }
}
