//! Corrections: a run that was taken for lost, and that has succeeded all the same.

use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{RunId, Timestamp};

use crate::document::Document;
use crate::row::{AttemptInfo, RunInfo};

/// The kind of the documents that say that a run, whose id they are called like, was repeated or corrected. The first of the two makes it,
/// so that only one of them wins. They are kept for 62 days.
pub const RUN_SETTLED: &str = "run_settled";
/// How long that is known. Nobody reports the end of a run so late.
const KEPT_MS: i64 = 62 * 24 * 3_600_000;

/// A success that was reported after the attempt had been taken for lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Correction {
    /// The run.
    pub run: RunId,
    /// The attempt that has succeeded.
    pub attempt: u32,
    /// What the run says of it from now on.
    pub reason: String,
    /// JSON that it has returned, of at most [`INLINE_MAX`](mainspring_core::output::INLINE_MAX) bytes.
    pub output: Option<String>,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// When that was reported.
    pub at: Timestamp,
}

/// What came of a correction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Corrected {
    /// The run has succeeded now.
    Done,
    /// The run is not one that failed because this attempt was lost: it may be corrected already.
    NotLost,
    /// The work was or is done again, by a later attempt or by a rerun.
    Repeated,
    /// The run is a shard or a task, and the run that it is a part of has gone on without it.
    Part,
}

/// What the decision on a correction depends on.
#[derive(Clone, Copy, Debug)]
struct Facts {
    state: RunState,
    /// The latest attempt of the run.
    latest: u32,
    is_part: bool,
    /// How the attempt that is to be corrected has ended.
    outcome: Option<AttemptOutcome>,
}

impl Facts {
    fn refusal(self, attempt: u32) -> Option<Corrected> {
        if self.outcome != Some(AttemptOutcome::Lost) {
            Some(Corrected::NotLost)
        } else if self.latest > attempt || !self.state.is_final() {
            Some(Corrected::Repeated)
        } else if self.state != RunState::Failed {
            Some(Corrected::NotLost)
        } else if self.is_part {
            Some(Corrected::Part)
        } else {
            None
        }
    }
}

/// Says why a run may not be corrected, as far as the run and its attempts tell.
pub(crate) fn refusal(run: &RunInfo, attempts: &[AttemptInfo], attempt: u32) -> Option<Corrected> {
    let outcome = attempts.iter().find(|one| one.attempt == attempt).and_then(|one| one.outcome);
    Facts { state: run.state, latest: run.attempt, is_part: run.parent.is_some(), outcome }.refusal(attempt)
}

/// What says that a run is settled. Where it is there already, the other of repeat and correction came first.
pub(crate) fn settled(run: RunId, at: Timestamp) -> Document {
    let expires_at = Some(at + KEPT_MS);
    Document { kind: RUN_SETTLED.to_owned(), name: run.to_string(), body: "{}".to_owned(), version: 0, at, expires_at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_corrected_has_failed_as_lost_by_itself_and_at_its_last_attempt() {
        use AttemptOutcome::{Failed, Lost, Succeeded};
        use Corrected::{NotLost, Part, Repeated};
        let cases = [
            (RunState::Failed, 1, false, Some(Lost), None),
            (RunState::Failed, 1, true, Some(Lost), Some(Part)),
            (RunState::Failed, 1, false, Some(Failed), Some(NotLost)),
            (RunState::Succeeded, 1, false, Some(Succeeded), Some(NotLost)),
            (RunState::Running, 1, false, None, Some(NotLost)),
            (RunState::Cancelled, 1, false, Some(Lost), Some(NotLost)),
            (RunState::Scheduled, 1, false, Some(Lost), Some(Repeated)),
            (RunState::Running, 2, false, Some(Lost), Some(Repeated)),
            (RunState::Failed, 2, false, Some(Lost), Some(Repeated)),
        ];
        for (state, latest, is_part, outcome, expected) in cases {
            let facts = Facts { state, latest, is_part, outcome };
            assert_eq!(facts.refusal(1), expected, "{facts:?}");
        }
    }
}
