//! Which dates a backfill runs.

use crate::run::words;

words!(
    /// Which dates of a range a backfill runs.
    Reprocess {
        /// Those without a run.
        Missing = "missing",
        /// Those without a run, and those whose run failed or was cancelled.
        Failed = "failed",
        /// All whose run is not under way.
        All = "all",
    }
);

words!(
    /// In which order a backfill begins its runs.
    Order {
        /// The earliest date first.
        Ascending = "asc",
        /// The latest date first.
        Descending = "desc",
    }
);

/// What there is for a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// No run.
    Nothing,
    /// A run that has not ended.
    Active,
    /// A run that succeeded or was skipped.
    Good,
    /// A run that failed or was cancelled.
    Bad,
}

/// What a backfill does about a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Runs it for the first time.
    Create,
    /// Runs it again.
    Rerun,
    /// Leaves it: what there is, is not to be reprocessed.
    Keep,
    /// Leaves it: it is under way, and never touched.
    Active,
}

impl Reprocess {
    /// Says what is done about a date.
    ///
    /// ```
    /// use mainspring_core::workflow::backfill::{Action, Existing, Reprocess};
    /// assert_eq!(Reprocess::Failed.action(Existing::Bad), Action::Rerun);
    /// assert_eq!(Reprocess::All.action(Existing::Active), Action::Active);
    /// ```
    #[must_use]
    pub const fn action(self, existing: Existing) -> Action {
        match (existing, self) {
            (Existing::Nothing, _) => Action::Create,
            (Existing::Active, _) => Action::Active,
            (Existing::Good, Self::All) | (Existing::Bad, Self::All | Self::Failed) => Action::Rerun,
            (Existing::Good | Existing::Bad, _) => Action::Keep,
        }
    }
}

/// Returns the dates that are run, in order. `dates` are ascending.
pub fn sequence<T: Copy>(dates: &[T], order: Order, reprocess: Reprocess, existing: impl Fn(T) -> Existing) -> Vec<T> {
    let runs = |date: &T| matches!(reprocess.action(existing(*date)), Action::Create | Action::Rerun);
    let mut sequence: Vec<T> = dates.iter().copied().filter(runs).collect();
    if order == Order::Descending {
        sequence.reverse();
    }
    sequence
}
