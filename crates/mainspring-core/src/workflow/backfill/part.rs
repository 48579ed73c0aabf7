//! Backfills of some tasks of the runs that there are.

use serde::{Deserialize, Serialize};

use super::{Action, Existing};

/// Which tasks of the runs of a range run again. Kept as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Names of tasks. None: those that failed or were cancelled, and those that did not start because of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
    /// Whether all that need these run, too.
    #[serde(default)]
    pub downstream: bool,
    /// Whether all that these need run, too.
    #[serde(default)]
    pub upstream: bool,
    /// Whether a date without a run gets a whole one.
    #[serde(default)]
    pub create_missing: bool,
}

impl Part {
    /// Says what is done about a date, as far as that follows from how its run stands. A run in which no task would run again is kept.
    ///
    /// ```
    /// use mainspring_core::workflow::backfill::{Action, Existing, Part};
    /// let failed = Part { tasks: vec![], downstream: false, upstream: false, create_missing: false };
    /// assert_eq!(failed.action(Existing::Bad), Action::Rerun);
    /// assert_eq!(failed.action(Existing::Good), Action::Keep);
    /// assert_eq!(failed.action(Existing::Nothing), Action::Absent);
    /// let load = Part { tasks: vec!["load".into()], create_missing: true, ..failed };
    /// assert_eq!(load.action(Existing::Good), Action::Rerun);
    /// assert_eq!(load.action(Existing::Nothing), Action::Create);
    /// ```
    #[must_use]
    pub fn action(&self, existing: Existing) -> Action {
        match existing {
            Existing::Nothing if self.create_missing => Action::Create,
            Existing::Nothing => Action::Absent,
            Existing::Active => Action::Active,
            Existing::Good if self.tasks.is_empty() => Action::Keep,
            Existing::Good | Existing::Bad => Action::Rerun,
        }
    }
}
