//! A step that is decided before the ends are recorded that it hears.

use mainspring_core::RunId;
use mainspring_core::run::RunState;
use mainspring_core::workflow::counted;

use super::Live;

impl Live {
    /// Whether a run is that of a task, and not over.
    pub(in super::super) fn is_child(&self, run: RunId) -> bool {
        self.children.contains_key(&run)
    }

    /// Takes in the end of a run of a task that is about to be recorded.
    pub(in super::super) fn foresee(&mut self, child: RunId, state: RunState) {
        if let Some(place) = self.children.remove(&child) {
            self.end(place, counted(state), None);
        }
    }

    /// Whether what is to be written now is no more than rows of tasks and runs that start: it ends nothing, asks for the end of nothing,
    /// and nothing follows it at once.
    pub(in super::super) fn only_starts(&self) -> bool {
        let asks_more = self.turned || self.has_more() || self.verdict.is_some();
        !asks_more && self.heard.is_empty() && self.cancel.is_empty() && self.limit.is_none() && self.turn > 1
    }
}
