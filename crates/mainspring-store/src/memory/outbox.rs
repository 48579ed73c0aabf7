//! What requests have changed and the engine has not heard of yet.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::batch::Heard;
use mainspring_core::cluster::{Shard, ShardSet};
use mainspring_core::{RunId, TriggerId};
use rustc_hash::FxHashMap;

use crate::row::Changes;

#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    /// By their numbers, of which each is given once.
    triggers: BTreeMap<i64, (TriggerId, Shard)>,
    numbers: FxHashMap<TriggerId, i64>,
    given: i64,
    cancels: BTreeSet<RunId>,
    queued: bool,
}

impl Outbox {
    /// A trigger has to be read again. It gets another number, so that who has heard of it before hears of it once more.
    pub(super) fn trigger(&mut self, trigger: TriggerId, shard: Shard) {
        self.given += 1;
        if let Some(before) = self.numbers.insert(trigger, self.given) {
            self.triggers.remove(&before);
        }
        self.triggers.insert(self.given, (trigger, shard));
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

    /// Reads for the one process that there is, and forgets: an answer inside of a process is not lost.
    pub(super) fn take(&mut self, limit: u32) -> Changes {
        let mut changes = self.read_of(ShardSet::ALL, limit, |_| true);
        self.forget_heard(&std::mem::take(&mut changes.heard));
        self.queued = false;
        changes
    }

    /// Reads what concerns some shards, and of the ends asked for those that `mine` says.
    pub(super) fn read_of(&self, shards: ShardSet, limit: u32, mine: impl Fn(RunId) -> bool) -> Changes {
        let (numbers, triggers, more) = self.first(limit, |shard| shards.contains(shard));
        let cancels: Vec<RunId> = self.cancels.iter().copied().filter(|run| mine(*run)).collect();
        Changes {
            triggers,
            cancels: cancels.clone(),
            queued: self.queued,
            more,
            heard: Heard { triggers: numbers, cancels },
        }
    }

    /// The first changes of some shards, their triggers, and whether there are more. Looks at none beyond the first of those: a million
    /// saves are read in many parts, and each look is under the lock of the store.
    fn first(&self, limit: u32, mut concerns: impl FnMut(Shard) -> bool) -> (Vec<i64>, Vec<TriggerId>, bool) {
        let mut wanted = self.triggers.iter().filter(|(_, (_, shard))| concerns(*shard));
        let told = wanted.by_ref().take(limit as usize);
        let (numbers, triggers) = told.map(|(number, (trigger, _))| (*number, *trigger)).unzip();
        let more = wanted.next().is_some();
        (numbers, triggers, more)
    }

    pub(super) fn forget_heard(&mut self, heard: &Heard) {
        for number in &heard.triggers {
            if let Some((trigger, _)) = self.triggers.remove(number) {
                self.numbers.remove(&trigger);
            }
        }
        heard.cancels.iter().for_each(|run| _ = self.cancels.remove(run));
    }

    /// Forgets the triggers of all shards.
    pub(super) fn forget_triggers(&mut self) {
        self.triggers.clear();
        self.numbers.clear();
    }

    /// Forgets the triggers of some shards.
    pub(super) fn forget(&mut self, shards: ShardSet) {
        let heard = self.read_of(shards, u32::MAX, |_| false).heard;
        self.forget_heard(&heard);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_many_changes_costs_as_much_as_the_part() {
        let mut outbox = Outbox::default();
        (1..=3_000).for_each(|id| outbox.trigger(TriggerId(id), Shard(0)));
        let mut looks = 0;
        let (numbers, triggers, more) = outbox.first(10, |_| {
            looks += 1;
            true
        });
        assert_eq!((numbers.len(), triggers.len(), more, looks), (10, 10, true, 11));
        let mut parts = 0;
        while outbox.take(1_000).more {
            parts += 1;
        }
        assert_eq!((parts, outbox.is_waiting()), (2, false), "three parts, and the last one says so");
    }
}
