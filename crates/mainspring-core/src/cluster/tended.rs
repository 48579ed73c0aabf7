//! For how long did nobody fire the triggers of a shard? Measured on this node's clock, for people.

use std::collections::BTreeMap;

use super::{ClusterView, Shard, ShardSet};
use crate::id::Incarnation;

/// When an owner that is alive was last seen, for each shard that has had one.
#[derive(Clone, Debug, Default)]
pub(super) struct Tended(BTreeMap<Shard, u64>);

impl Tended {
    /// Takes in a view that was received now.
    pub(super) fn observe(&mut self, now_ms: u64, view: &ClusterView, is_alive: impl Fn(Incarnation) -> bool) {
        let owned = view.shards.iter().filter(|(_, lease)| is_alive(lease.owner));
        self.0.extend(owned.map(|(shard, _)| (*shard, now_ms)));
    }

    /// How long these have been without, as far as they had one before.
    pub(super) fn gaps(&self, now_ms: u64, shards: ShardSet) -> Vec<u64> {
        let seen = shards.iter().filter_map(|shard| self.0.get(&shard));
        seen.map(|seen_ms| now_ms.saturating_sub(*seen_ms)).collect()
    }
}
