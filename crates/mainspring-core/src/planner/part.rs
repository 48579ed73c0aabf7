//! This node's part of the cluster: the shards that it owns, and whether it trusts itself.

use super::Planner;
use crate::cluster::ShardSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) owned: ShardSet,
    pub(super) trusted: bool,
}

impl Part {
    /// Of a node that is alone.
    pub(super) const WHOLE: Self = Self { owned: ShardSet::ALL, trusted: true };

    /// Whether the node claims runs and releases those that wait for an instant. One whose clock is wrong owns nothing, and
    /// would release them at the wrong time.
    pub(super) fn takes_work(&self) -> bool {
        self.trusted && !self.owned.is_empty()
    }
}

impl Planner {
    pub(super) fn own(&mut self, shards: ShardSet, trusted: bool) {
        let gained = shards.difference(self.part.owned);
        let lost = self.part.owned.difference(shards);
        self.part = Part { owned: shards, trusted };
        if !lost.is_empty() {
            self.residents.give_up(lost);
            self.fires.due.tidy(&self.residents);
        }
        if !gained.is_empty() {
            self.window.read_again(gained);
            self.ahead.gained(gained);
            self.check.give_up();
            self.changes_waiting = true;
        }
    }
}
