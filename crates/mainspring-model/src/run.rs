//! Words of runs and attempts.

use crate::words;

words!(
    /// Where a run stands.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    RunState, open in open_run_state {
        /// A workflow task with unfinished tasks before it, or a run with unfinished shards.
        Waiting = "waiting",
        /// Waiting for a slot of its job.
        Held = "held",
        /// Waiting for an instant: a retry delay, a penalty.
        Scheduled = "scheduled",
        /// Waiting for a worker.
        Queued = "queued",
        /// An attempt is open.
        Running = "running",
        /// Final: done.
        Succeeded = "succeeded",
        /// Final: out of attempts.
        Failed = "failed",
        /// Final: stopped on request.
        Cancelled = "cancelled",
        /// Final: not started, as a rule said.
        Skipped = "skipped",
    }
);

words!(
    /// How one attempt ended.
    AttemptOutcome {
        /// The task reported success.
        Succeeded = "succeeded",
        /// The task reported failure.
        Failed = "failed",
        /// The time limit passed.
        TimedOut = "timed_out",
        /// Its worker vanished.
        Lost = "lost",
        /// Ended on request.
        Cancelled = "cancelled",
    }
);

words!(
    /// Why a run exists.
    Origin {
        /// A trigger fired.
        Schedule = "schedule",
        /// A person asked for it.
        Manual = "manual",
        /// A program asked for it.
        Api = "api",
        /// Asked for again, with the same input.
        Rerun = "rerun",
        /// Another run started it.
        Parent = "parent",
        /// It stands for fire times that were missed.
        Misfire = "misfire",
        /// Asked for over past fire times.
        Backfill = "backfill",
        /// A run of another job ended.
        After = "after",
        /// Another scheduler has executed it; only its record was brought here.
        Imported = "imported",
    }
);

/// The final word on a run that a worker took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// See [`RunState::Succeeded`].
    Succeeded,
    /// See [`RunState::Failed`].
    Failed,
    /// See [`RunState::Cancelled`].
    Cancelled,
    /// See [`RunState::Skipped`]: a listener vetoed its start.
    Skipped,
}

impl RunState {
    /// Tells whether the run is over: nothing follows.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled | Self::Skipped)
    }
}

impl open_run_state::RunState {
    /// Tells whether the state has no way out.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self.known() {
            Some(state) => state.is_final(),
            None => false,
        }
    }
}

impl Origin {
    /// Tells whether a run of this origin stands for a fire time, and not for the instant at which somebody asked for it.
    #[must_use]
    pub const fn has_fire_time(self) -> bool {
        matches!(self, Self::Schedule | Self::Misfire | Self::Backfill | Self::After)
    }

    /// Tells whether a run of this origin stands for a fire time of the past: the deadline counted from that says nothing of it.
    #[must_use]
    pub const fn is_of_the_past(self) -> bool {
        matches!(self, Self::Backfill | Self::Rerun | Self::Imported)
    }
}

impl From<Verdict> for RunState {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Succeeded => Self::Succeeded,
            Verdict::Failed => Self::Failed,
            Verdict::Cancelled => Self::Cancelled,
            Verdict::Skipped => Self::Skipped,
        }
    }
}

impl AttemptOutcome {
    /// Returns the verdict if no attempt follows.
    #[must_use]
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Succeeded => Verdict::Succeeded,
            Self::Failed | Self::TimedOut | Self::Lost => Verdict::Failed,
            Self::Cancelled => Verdict::Cancelled,
        }
    }
}
