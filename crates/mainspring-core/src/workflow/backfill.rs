//! Which dates a backfill runs, and what follows when some of its runs have ended.
//!
//! A backfill is a list of items, one for each fire time that it runs. It keeps a number of runs going: the next item starts when a run
//! ends. An item that is `open` has no run yet, one that is `running` has a live run; the other states are those of the run.

mod cascade;
mod part;
mod reach;

use std::collections::BTreeMap;

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};

use crate::run::{RunState, words};

pub use cascade::{Dependants, Window, levels};
pub use part::Part;
pub use reach::reaching;

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

impl From<RunState> for Existing {
    fn from(state: RunState) -> Self {
        match state {
            RunState::Succeeded | RunState::Skipped => Self::Good,
            RunState::Failed | RunState::Cancelled => Self::Bad,
            _ => Self::Active,
        }
    }
}

words!(
    /// What a backfill does about a date.
    Action {
        /// Runs it for the first time.
        Create = "create",
        /// Runs it again.
        Rerun = "rerun",
        /// Leaves it: what there is, is not to be reprocessed.
        Keep = "keep",
        /// Leaves it: it is under way, and never touched.
        Active = "active",
        /// Leaves it: it has no run of which tasks could run again.
        Absent = "absent",
    }
);

impl Action {
    /// Whether the date is run.
    #[must_use]
    pub const fn runs(self) -> bool {
        matches!(self, Self::Create | Self::Rerun)
    }
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
    let runs = |date: &T| reprocess.action(existing(*date)).runs();
    let mut sequence: Vec<T> = dates.iter().copied().filter(runs).collect();
    if order == Order::Descending {
        sequence.reverse();
    }
    sequence
}

/// What people chose for a backfill. Kept as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spec {
    /// The name of the trigger.
    pub trigger: String,
    /// The zone in which dates of the range were read.
    pub zone: String,
    /// The first instant of the range.
    pub from: Timestamp,
    /// The last instant of the range.
    pub to: Timestamp,
    /// Which dates are run.
    pub reprocess: Reprocess,
    /// Which tasks of the runs that there are run again, in place of whole runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// Whether what depends on it by needs of other workflows runs, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cascade: bool,
    /// In which order.
    pub order: Order,
    /// How many runs are under way at most.
    pub max_active: u32,
    /// Whether the first run that fails pauses the backfill.
    pub stop_on_failure: bool,
    /// Priority of the runs: higher goes first.
    pub priority: i32,
    /// The hash of the plan.
    pub plan: String,
    /// Fire times of the range by what is done about them.
    pub actions: BTreeMap<Action, u64>,
}

words!(
    /// Where a backfill stands.
    BackfillState {
        /// It starts runs.
        Active = "active",
        /// It starts none until it is resumed. Runs that are under way go on.
        Paused = "paused",
        /// It was ended on request. What was open is cancelled, and so are its runs.
        Cancelled = "cancelled",
        /// Each item has ended.
        Completed = "completed",
    }
);

words!(
    /// Where an item of a backfill stands.
    ItemState {
        /// It has no run yet.
        Open = "open",
        /// Its run has not ended.
        Running = "running",
        /// Its run succeeded.
        Succeeded = "succeeded",
        /// Its run failed.
        Failed = "failed",
        /// Its run was cancelled, or the backfill before it had one.
        Cancelled = "cancelled",
        /// Its run was skipped, or none was started because another one was under way.
        Skipped = "skipped",
    }
);

impl ItemState {
    /// Returns where the item of a run stands.
    #[must_use]
    pub const fn of(run: RunState) -> Self {
        match run {
            RunState::Succeeded => Self::Succeeded,
            RunState::Failed => Self::Failed,
            RunState::Cancelled => Self::Cancelled,
            RunState::Skipped => Self::Skipped,
            _ => Self::Running,
        }
    }
}

/// Items of a backfill by state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ItemCounts {
    /// See [`ItemState::Open`].
    pub open: u64,
    /// See [`ItemState::Running`].
    pub running: u64,
    /// See [`ItemState::Succeeded`].
    pub succeeded: u64,
    /// See [`ItemState::Failed`].
    pub failed: u64,
    /// See [`ItemState::Cancelled`].
    pub cancelled: u64,
    /// See [`ItemState::Skipped`].
    pub skipped: u64,
}

impl ItemCounts {
    /// Returns the number of all items.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.open + self.running + self.succeeded + self.failed + self.cancelled + self.skipped
    }

    /// Returns the number of items that have ended.
    #[must_use]
    pub const fn ended(self) -> u64 {
        self.total() - self.open - self.running
    }

    const fn of(&mut self, state: ItemState) -> &mut u64 {
        match state {
            ItemState::Open => &mut self.open,
            ItemState::Running => &mut self.running,
            ItemState::Succeeded => &mut self.succeeded,
            ItemState::Failed => &mut self.failed,
            ItemState::Cancelled => &mut self.cancelled,
            ItemState::Skipped => &mut self.skipped,
        }
    }

    /// Moves items from one state to another.
    ///
    /// # Panics
    /// There are fewer: the counts are not those of the items.
    pub const fn shift(&mut self, count: u64, from: ItemState, to: ItemState) {
        let left = self.of(from).checked_sub(count).expect("counts are those of the items");
        *self.of(from) = left;
        *self.of(to) += count;
    }
}

/// Where a backfill stands, as far as its next step goes by it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The state.
    pub state: BackfillState,
    /// Why it is in its state.
    pub reason: Option<String>,
    /// Its items by state.
    pub counts: ItemCounts,
}

impl Standing {
    /// Takes in how items ended that were running, each with its fire time. One that failed pauses the backfill if that was chosen.
    pub fn hear(&mut self, ended: &[(Timestamp, ItemState)], stop_on_failure: bool) {
        for (_, state) in ended {
            self.counts.shift(1, ItemState::Running, *state);
        }
        let failed = ended.iter().find(|(_, state)| *state == ItemState::Failed);
        if let (BackfillState::Active, true, Some((fire_time, _))) = (self.state, stop_on_failure, failed) {
            self.state = BackfillState::Paused;
            self.reason = Some(format!("the run of {fire_time} failed"));
        }
    }

    /// Returns how many items may start now.
    #[must_use]
    pub fn room(&self, max_active: u32) -> u64 {
        match self.state {
            BackfillState::Active => u64::from(max_active).saturating_sub(self.counts.running).min(self.counts.open),
            _ => 0,
        }
    }

    /// Completes the backfill if nothing of it is left to do.
    pub fn settle(&mut self) {
        let is_done = self.counts.open == 0 && self.counts.running == 0;
        if is_done && matches!(self.state, BackfillState::Active | BackfillState::Paused) {
            (self.state, self.reason) = (BackfillState::Completed, None);
        }
    }

    /// Whether nothing follows any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state == BackfillState::Completed || self.state == BackfillState::Cancelled && self.counts.running == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(open: u64, running: u64) -> Standing {
        let counts = ItemCounts { open, running, ..ItemCounts::default() };
        Standing { state: BackfillState::Active, reason: None, counts }
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn the_next_starts_when_one_ends_and_never_more_than_may() {
        // Open, running, most, room.
        for (open, running, max_active, room) in
            [(9, 0, 3, 3), (9, 2, 3, 1), (9, 3, 3, 0), (1, 1, 3, 1), (0, 0, 3, 0), (9, 5, 3, 0)]
        {
            assert_eq!(standing(open, running).room(max_active), room, "{open} {running} {max_active}");
        }
    }

    #[test]
    fn a_failure_pauses_only_where_that_was_chosen() {
        for (stop_on_failure, state) in [(false, BackfillState::Active), (true, BackfillState::Paused)] {
            let mut standing = standing(5, 2);
            standing.hear(&[(at(0), ItemState::Succeeded), (at(1_000), ItemState::Failed)], stop_on_failure);
            standing.settle();
            assert_eq!((standing.state, standing.counts.running, standing.counts.failed), (state, 0, 1));
            assert_eq!(standing.reason.is_some(), stop_on_failure);
        }
    }

    #[test]
    fn a_backfill_is_completed_with_its_last_item() {
        let mut last = standing(0, 1);
        last.settle();
        assert!(!last.is_over(), "a run is under way");
        last.hear(&[(at(0), ItemState::Failed)], true);
        last.settle();
        assert_eq!((last.state, last.reason.as_deref()), (BackfillState::Completed, None));
        assert!(last.is_over());
        let mut cancelled = Standing { state: BackfillState::Cancelled, ..standing(0, 1) };
        assert!(!cancelled.is_over());
        cancelled.hear(&[(at(0), ItemState::Cancelled)], false);
        cancelled.settle();
        assert!(cancelled.is_over() && cancelled.state == BackfillState::Cancelled);
    }
}
