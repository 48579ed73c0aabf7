//! This node's part of the cluster: the shards that it owns, and whether it trusts itself.

use super::Planner;
use crate::cluster::ShardSet;

/// What a node may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its shards.
    pub owned: ShardSet,
    /// Whether it trusts itself. Without trust it fires, claims and reads no changes: what comes due is collected.
    pub trusted: bool,
    /// Whether it has left its shards to others because it is far from the database. It claims runs nevertheless: it may serve queues
    /// that no other node does.
    pub far: bool,
}

impl Part {
    /// Of a node that is alone.
    pub(super) const WHOLE: Self = Self { owned: ShardSet::ALL, trusted: true, far: false };

    /// Whether the node claims runs and releases those that wait for an instant. One whose clock is wrong owns nothing, and
    /// would release them at the wrong time.
    #[must_use]
    pub fn takes_work(&self) -> bool {
        self.trusted && (self.far || !self.owned.is_empty())
    }
}

impl Planner {
    pub(super) fn own(&mut self, part: Part) {
        let gained = part.owned.difference(self.part.owned);
        let lost = self.part.owned.difference(part.owned);
        self.part = part;
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
