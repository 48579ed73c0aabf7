//! What requests have changed and the engine has not read yet.

use std::collections::{BTreeSet, VecDeque};

use mainspring_core::{RunId, TriggerId};
use rustc_hash::FxHashSet;

use crate::row::Changes;

#[derive(Debug, Default)]
pub(super) struct Outbox {
    triggers: VecDeque<TriggerId>,
    noted: FxHashSet<TriggerId>,
    cancels: BTreeSet<RunId>,
    queued: bool,
}

impl Outbox {
    /// A trigger has to be read again.
    pub(super) fn trigger(&mut self, trigger: TriggerId) {
        if self.noted.insert(trigger) {
            self.triggers.push_back(trigger);
        }
    }

    /// A running run has to be ended.
    pub(super) fn cancel(&mut self, run: RunId) {
        self.cancels.insert(run);
    }

    /// Runs have been queued.
    pub(super) fn queued(&mut self) {
        self.queued = true;
    }

    pub(super) fn take(&mut self, limit: u32) -> Changes {
        let count = self.triggers.len().min(limit as usize);
        let triggers: Vec<TriggerId> = self.triggers.drain(..count).collect();
        for trigger in &triggers {
            self.noted.remove(trigger);
        }
        Changes {
            triggers,
            cancels: std::mem::take(&mut self.cancels).into_iter().collect(),
            queued: std::mem::take(&mut self.queued),
            more: !self.triggers.is_empty(),
        }
    }
}
