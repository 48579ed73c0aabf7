//! What became of a run that was sent to an executor.
//!
//! `/run` is not idempotent: an executor that is sent the same number again after it has begun executes it again. So a run
//! whose sending was not answered is never sent again. What became of it shows in a callback, in the executor's log, or not
//! at all.
//!
//! | state | was it sent? | does it run? | next |
//! |---|---|---|---|
//! | sent | yes | not known yet | accepted, refused, unreached, unknown, ended |
//! | accepted | yes | it waits or runs | ended |
//! | refused | yes | no | an attempt under a new number, elsewhere |
//! | unreached | no | no | an attempt under a new number, elsewhere |
//! | unknown | yes | perhaps | accepted, ended |
//! | ended | yes | no longer | `lost`, the verdict of ours, becomes `succeeded` if that is the first word of the executor |

use crate::call::Code;

/// Where a run stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dispatch {
    /// The request is about to be written or is under way. Recorded *before* anything is sent: callbacks often come before the answer.
    Sent,
    /// The executor has it, in its queue or at work.
    Accepted,
    /// The executor said no; nothing runs.
    Refused,
    /// No connection was made; nothing was sent.
    Unreached,
    /// The request was not answered; perhaps it runs.
    Unknown,
    /// It is over.
    Ended(Outcome),
}

/// How a run ended, and who says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How.
    pub verdict: Verdict,
    /// Whether the executor has spoken; else we gave it up, and its success may still correct that.
    pub is_told: bool,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Code 200.
    Succeeded,
    /// Any other code.
    Failed,
    /// Code 502, or a limit of ours.
    TimedOut,
    /// It was killed because we asked.
    Cancelled,
    /// Nobody can say.
    Lost,
}

/// Why we asked the executor to end a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Somebody asked for it.
    Kill,
    /// It took longer than it may.
    Timeout,
}

/// What happens to a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// `/run` was answered with success.
    Accepted,
    /// `/run` was answered otherwise.
    Refused,
    /// No connection could be made.
    Unreached,
    /// The connection was made, and no answer came.
    Unanswered,
    /// Its log has lines, though its end was not reported: it has begun.
    SeenAtWork,
    /// A callback came.
    CalledBack {
        /// What it said.
        code: Code,
        /// What we had asked for before, if anything: Go, Node and Rust report a success after a kill or at the end of the time.
        after: Option<Stop>,
    },
    /// The executor is gone, or it has been silent for longer than anybody waits.
    GivenUp,
}

impl Dispatch {
    /// Returns where the run stands after an event. What changes nothing is no error: repeats and late words are ordinary.
    #[must_use]
    pub const fn on(self, event: Event) -> Self {
        match (self, event) {
            // The first word of the executor is final. Where we gave the run up before, only a success changes the verdict.
            (Self::Ended(Outcome { is_told: true, .. }), _) => self,
            (Self::Ended(Outcome { verdict, .. }), Event::CalledBack { code, after }) => {
                let corrects = matches!(Verdict::of(code, after), Verdict::Succeeded);
                Self::Ended(Outcome { verdict: if corrects { Verdict::Succeeded } else { verdict }, is_told: true })
            }
            (_, Event::CalledBack { code, after }) => {
                Self::Ended(Outcome { verdict: Verdict::of(code, after), is_told: true })
            }
            (Self::Ended(_), _) => self,
            (Self::Sent, Event::Accepted) | (Self::Sent | Self::Unknown, Event::SeenAtWork) => Self::Accepted,
            (Self::Sent, Event::Refused) => Self::Refused,
            (Self::Sent, Event::Unreached) => Self::Unreached,
            (Self::Sent, Event::Unanswered) => Self::Unknown,
            (Self::Sent | Self::Accepted | Self::Unknown, Event::GivenUp) => {
                Self::Ended(Outcome { verdict: Verdict::Lost, is_told: false })
            }
            _ => self,
        }
    }

    /// Tells whether the work may be given to an executor once more, under a new number, without being done twice.
    #[must_use]
    pub const fn may_go_elsewhere(self) -> bool {
        matches!(self, Self::Refused | Self::Unreached)
    }

    /// Tells whether the executor may have it.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Sent | Self::Accepted | Self::Unknown)
    }
}

impl Verdict {
    /// Reads a code in the light of what we asked for: a success after our own kill is none.
    const fn of(code: Code, after: Option<Stop>) -> Self {
        match (code, after) {
            (_, Some(Stop::Kill)) => Self::Cancelled,
            (_, Some(Stop::Timeout)) | (Code::TimedOut, None) => Self::TimedOut,
            (Code::Success, None) => Self::Succeeded,
            (Code::Failure(_) | Code::Missing, None) => Self::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(events: &[Event]) -> Dispatch {
        events.iter().fold(Dispatch::Sent, |state, event| state.on(*event))
    }

    const fn back(code: Code) -> Event {
        Event::CalledBack { code, after: None }
    }

    const fn told(verdict: Verdict) -> Dispatch {
        Dispatch::Ended(Outcome { verdict, is_told: true })
    }

    #[test]
    fn stories_end_as_they_should() {
        use Event::{Accepted, GivenUp, Refused, SeenAtWork, Unanswered, Unreached};
        let lost = Dispatch::Ended(Outcome { verdict: Verdict::Lost, is_told: false });
        let (good, bad) = (back(Code::Success), back(Code::Failure(500)));
        let cases: [(&[Event], Dispatch); 17] = [
            (&[Accepted, good], told(Verdict::Succeeded)),
            (&[good, Accepted], told(Verdict::Succeeded)),
            (&[good, Refused], told(Verdict::Succeeded)),
            (&[good, bad], told(Verdict::Succeeded)),
            (&[bad, good], told(Verdict::Failed)),
            (&[Refused], Dispatch::Refused),
            (&[Unreached], Dispatch::Unreached),
            (&[Unanswered], Dispatch::Unknown),
            (&[Unanswered, SeenAtWork], Dispatch::Accepted),
            (&[Unanswered, good], told(Verdict::Succeeded)),
            (&[Accepted, GivenUp], lost),
            (&[Accepted, GivenUp, good], told(Verdict::Succeeded)),
            (&[Accepted, GivenUp, Accepted], lost),
            (&[Accepted, GivenUp, bad], told(Verdict::Lost)),
            (&[Accepted, GivenUp, bad, good], told(Verdict::Lost)),
            (&[Accepted, GivenUp, good, bad], told(Verdict::Succeeded)),
            (&[Accepted, back(Code::TimedOut)], told(Verdict::TimedOut)),
        ];
        for (events, state) in cases {
            assert_eq!(after(events), state, "{events:?}");
        }
    }

    #[test]
    fn only_what_surely_does_not_run_goes_elsewhere() {
        use Event::{Accepted, GivenUp, Refused, SeenAtWork, Unanswered, Unreached};
        let events = [Accepted, Refused, Unreached, Unanswered, SeenAtWork, GivenUp, back(Code::Success)];
        for first in events {
            for second in events {
                let state = after(&[first, second]);
                let surely = matches!(first, Refused | Unreached) && !matches!(second, Event::CalledBack { .. });
                assert_eq!(state.may_go_elsewhere(), surely, "{first:?}, {second:?}");
            }
        }
    }
}
