//! What requests have changed and the engine has not read yet.

use std::collections::{BTreeSet, VecDeque};

use mainspring_core::cluster::{Shard, ShardSet};
use mainspring_core::{RunId, TriggerId};
use rustc_hash::FxHashSet;

use crate::row::Changes;

#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    triggers: VecDeque<(TriggerId, Shard)>,
    noted: FxHashSet<TriggerId>,
    cancels: BTreeSet<RunId>,
    queued: bool,
}

impl Outbox {
    /// A trigger has to be read again.
    pub(super) fn trigger(&mut self, trigger: TriggerId, shard: Shard) {
        if self.noted.insert(trigger) {
            self.triggers.push_back((trigger, shard));
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

    /// Whether the engine has something to read.
    pub(super) fn is_waiting(&self) -> bool {
        self.queued || !self.triggers.is_empty() || !self.cancels.is_empty()
    }

    pub(super) fn take(&mut self, limit: u32) -> Changes {
        let count = self.triggers.len().min(limit as usize);
        let taken = self.triggers.drain(..count);
        let triggers: Vec<TriggerId> = taken.map(|(trigger, _)| trigger).collect();
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

    /// Takes what concerns some shards, and of the ends asked for those that `mine` says. The second value says whether
    /// there is more of the shards.
    pub(super) fn take_of(
        &mut self,
        shards: ShardSet,
        limit: u32,
        mine: impl Fn(RunId) -> bool,
    ) -> (Vec<TriggerId>, Vec<RunId>, bool) {
        let (mut triggers, mut more) = (Vec::new(), false);
        self.triggers.retain(|(trigger, shard)| {
            let wanted = shards.contains(*shard);
            let taken = wanted && triggers.len() < limit as usize;
            more |= wanted && !taken;
            if taken {
                triggers.push(*trigger);
            }
            !taken
        });
        for trigger in &triggers {
            self.noted.remove(trigger);
        }
        let cancels: Vec<RunId> = self.cancels.iter().copied().filter(|run| mine(*run)).collect();
        cancels.iter().for_each(|run| _ = self.cancels.remove(run));
        (triggers, cancels, more)
    }

    /// Forgets the triggers of some shards.
    pub(super) fn forget(&mut self, shards: ShardSet) {
        _ = self.take_of(shards, u32::MAX, |_| false);
    }
}
