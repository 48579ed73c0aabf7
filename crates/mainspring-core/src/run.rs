//! Runs and attempts: their states, and the only ways from one to the next.
//!
//! ```text
//!  held ──slot freed──► queued ──claimed──► running ──verdict──► succeeded | failed | cancelled | skipped
//!                         ▲                    │
//!                     due │                    │ failed, timed out or lost, attempts left
//!                     scheduled ◄──────────────┘
//! ```
//! `waiting` (for upstreams of a workflow) precedes `queued`; a queued run may wait, too, for shards of its own, which execute it,
//! and ends with them. A run that waits may also end before a worker has it: `cancelled` on request, `skipped` by a rule, or
//! `failed` when its time is over before the next attempt. A listener's veto, asked for once the run is claimed and before its
//! first attempt begins, ends it `skipped`, too. Final states have no way out.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// All values, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word in tables, API and console.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value that `word` stands for, if there is one.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use words;

words!(
    /// Where a run stands.
    RunState {
        /// A workflow task whose upstreams are unfinished, or a run whose shards are.
        Waiting = "waiting",
        /// Waits for a slot of its job.
        Held = "held",
        /// Not before an instant: a retry delay, a penalty.
        Scheduled = "scheduled",
        /// Waits for a worker.
        Queued = "queued",
        /// A worker holds it.
        Running = "running",
        /// Done, and well.
        Succeeded = "succeeded",
        /// Done, and not well; no attempts left.
        Failed = "failed",
        /// Ended on request.
        Cancelled = "cancelled",
        /// Ended without being started.
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
    }
);

impl Origin {
    /// Whether a run of this origin stands for a fire time, and not for the instant at which somebody asked for it.
    #[must_use]
    pub const fn has_fire_time(self) -> bool {
        matches!(self, Self::Schedule | Self::Misfire | Self::Backfill | Self::After)
    }

    /// Whether a run of this origin stands for a fire time of the past: the deadline counted from that says nothing of it.
    #[must_use]
    pub const fn is_of_the_past(self) -> bool {
        matches!(self, Self::Backfill | Self::Rerun)
    }
}

/// What can happen to a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEvent {
    /// Its upstreams are done.
    Ready,
    /// A slot of its job came free.
    SlotFreed,
    /// Its instant has come.
    Due,
    /// Runs of its own stand for it, one for each worker: they execute it.
    Split,
    /// A worker took it.
    Claimed,
    /// Its attempt ended and another one follows.
    Retried,
    /// Its attempt ended, and that is the run's verdict.
    Ended(Verdict),
    /// Ended on request before a worker had it.
    CancelledUnstarted,
    /// Ended without being started, by a rule.
    Skipped,
    /// Its time was over before its next attempt began.
    TimedOut,
}

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

/// The event cannot happen in that state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a {from} run cannot take {event:?}")]
pub struct Rejected {
    /// The state that refused.
    pub from: RunState,
    /// What it refused.
    pub event: RunEvent,
}

impl RunState {
    /// The state after `event`.
    ///
    /// # Errors
    /// [`Rejected`] if the event cannot happen in this state; the run stays as it is.
    pub fn on(self, event: RunEvent) -> Result<Self, Rejected> {
        use RunEvent as E;
        Ok(match (self, event) {
            (Self::Waiting, E::Ready) | (Self::Held, E::SlotFreed) | (Self::Scheduled, E::Due) => Self::Queued,
            (Self::Queued, E::Claimed) => Self::Running,
            (Self::Running, E::Retried) => Self::Scheduled,
            (Self::Queued, E::Split) => Self::Waiting,
            (Self::Running | Self::Waiting, E::Ended(Verdict::Succeeded)) => Self::Succeeded,
            (Self::Running | Self::Waiting, E::Ended(Verdict::Failed)) => Self::Failed,
            (Self::Running | Self::Waiting, E::Ended(Verdict::Cancelled)) => Self::Cancelled,
            (Self::Running, E::Ended(Verdict::Skipped)) => Self::Skipped,
            (Self::Waiting | Self::Held | Self::Scheduled | Self::Queued, E::CancelledUnstarted) => Self::Cancelled,
            (Self::Waiting | Self::Held | Self::Scheduled | Self::Queued, E::Skipped) => Self::Skipped,
            (Self::Scheduled | Self::Queued, E::TimedOut) => Self::Failed,
            (from, event) => return Err(Rejected { from, event }),
        })
    }

    /// Whether the run is over: nothing follows.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled | Self::Skipped)
    }
}

/// What becomes of a run that waits, and that is not to begin an attempt any more: the event, and the reason that is kept.
///
/// One that was never started has waited for longer than its job's `start_timeout`; one that was, has no time left of its
/// `run_timeout`.
#[must_use]
pub const fn expiry(attempt: u32) -> (RunEvent, &'static str) {
    if attempt == 0 { (RunEvent::Skipped, "expired") } else { (RunEvent::TimedOut, "run_timeout") }
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
    /// The verdict if no attempt follows.
    #[must_use]
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Succeeded => Verdict::Succeeded,
            Self::Failed | Self::TimedOut | Self::Lost => Verdict::Failed,
            Self::Cancelled => Verdict::Cancelled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &[RunEvent] = &[
        RunEvent::Ready,
        RunEvent::SlotFreed,
        RunEvent::Due,
        RunEvent::Split,
        RunEvent::Claimed,
        RunEvent::Retried,
        RunEvent::Ended(Verdict::Succeeded),
        RunEvent::Ended(Verdict::Failed),
        RunEvent::Ended(Verdict::Cancelled),
        RunEvent::Ended(Verdict::Skipped),
        RunEvent::CancelledUnstarted,
        RunEvent::Skipped,
        RunEvent::TimedOut,
    ];

    #[test]
    fn final_states_have_no_way_out() {
        for &state in RunState::ALL.iter().filter(|s| s.is_final()) {
            assert!(EVENTS.iter().all(|event| state.on(*event).is_err()), "{state}");
        }
    }

    #[test]
    fn words_and_values_match_both_ways() {
        for &state in RunState::ALL {
            assert_eq!(RunState::from_word(state.as_str()), Some(state));
        }
        assert_eq!(RunState::from_word("ready"), None);
    }
}
