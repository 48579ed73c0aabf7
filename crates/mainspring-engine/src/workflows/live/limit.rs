//! The time that a workflow run may take.

use mainspring_core::Timestamp;
use mainspring_core::workflow::Stop;
use mainspring_store::TimeLimit;

use super::{Live, TIMED_OUT};

impl Live {
    pub(super) fn is_limited(&self) -> bool {
        self.plan.job().run_timeout_ms.is_some() && !self.timed_out
    }

    /// The time of a run counts from when it begins.
    pub(super) fn note_limit(&mut self, at: Timestamp) {
        if let Some(ms) = self.plan.job().run_timeout_ms.filter(|_| self.turn == 1 && self.limit.is_none()) {
            self.limit = Some(TimeLimit::Ends(at + ms));
        }
    }

    /// Ends the run, whose time is over. One that is cancelled stays so.
    pub(in super::super) fn time_out(&mut self) {
        if self.progress.stop() == Some(Stop::Cancelled) {
            return;
        }
        (self.timed_out, self.limit) = (true, Some(TimeLimit::Reached));
        self.stop(TIMED_OUT.to_owned());
    }
}
