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

pub(crate) use mainspring_model::words;
pub use mainspring_model::{AttemptOutcome, Origin, RunState, Verdict};

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

/// The event cannot happen in that state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a {from} run cannot take {event:?}")]
pub struct Rejected {
    /// The state that refused.
    pub from: RunState,
    /// What it refused.
    pub event: RunEvent,
}

/// Returns the state that follows `state` after `event`.
///
/// # Errors
/// [`Rejected`] if the event cannot happen in this state; the run stays as it is.
pub fn next_state(state: RunState, event: RunEvent) -> Result<RunState, Rejected> {
    use RunEvent as E;
    use RunState as S;
    Ok(match (state, event) {
        (S::Waiting, E::Ready) | (S::Held, E::SlotFreed) | (S::Scheduled, E::Due) => S::Queued,
        (S::Queued, E::Claimed) => S::Running,
        (S::Running, E::Retried) => S::Scheduled,
        (S::Queued, E::Split) => S::Waiting,
        (S::Running | S::Waiting, E::Ended(Verdict::Succeeded)) => S::Succeeded,
        (S::Running | S::Waiting, E::Ended(Verdict::Failed)) => S::Failed,
        (S::Running | S::Waiting, E::Ended(Verdict::Cancelled)) => S::Cancelled,
        (S::Running, E::Ended(Verdict::Skipped)) => S::Skipped,
        (S::Waiting | S::Held | S::Scheduled | S::Queued, E::CancelledUnstarted) => S::Cancelled,
        (S::Waiting | S::Held | S::Scheduled | S::Queued, E::Skipped) => S::Skipped,
        (S::Scheduled | S::Queued, E::TimedOut) => S::Failed,
        (from, event) => return Err(Rejected { from, event }),
    })
}

/// What becomes of a run that waits, and that is not to begin an attempt any more: the event, and the reason that is kept.
///
/// One that was never started has waited for longer than its job's `start_timeout`; one that was, has no time left of its
/// `run_timeout`.
#[must_use]
pub const fn expiry(attempt: u32) -> (RunEvent, &'static str) {
    if attempt == 0 { (RunEvent::Skipped, "expired") } else { (RunEvent::TimedOut, "run_timeout") }
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
            assert!(EVENTS.iter().all(|event| next_state(state, *event).is_err()), "{state}");
        }
    }
}
