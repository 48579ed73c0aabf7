//! Since when each shard has its owner.

use std::sync::{Mutex, PoisonError};

use mainspring_core::Incarnation;
use mainspring_core::cluster::Shard;
use mainspring_schedule::Timestamp;
use rustc_hash::FxHashMap;

/// When shards came to their owners.
#[derive(Debug, Default)]
pub(crate) struct Moves(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    owners: FxHashMap<Shard, (Incarnation, i64)>,
    since: FxHashMap<Shard, Timestamp>,
    has_looked: bool,
}

impl Moves {
    /// Since when a shard has its owner. Nothing where it had that one when this node looked first.
    pub(crate) fn since(&self, shard: Shard) -> Option<Timestamp> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).since.get(&shard).copied()
    }

    /// Compares owners with those of the look before.
    pub(super) fn note(&self, owners: FxHashMap<Shard, (Incarnation, i64)>, now: Timestamp) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let moved: Vec<Shard> = Shard::all().filter(|shard| seen.owners.get(shard) != owners.get(shard)).collect();
        if seen.has_looked {
            seen.since.extend(moved.into_iter().map(|shard| (shard, now)));
        }
        seen.has_looked = true;
        seen.owners = owners;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_noted_when_it_is_seen() {
        let (a, b) = (Incarnation(1), Incarnation(2));
        let at = Timestamp::from_millis;
        let moves = Moves::default();
        let look = |owner, epoch, ms| {
            moves.note([(Shard(0), (a, 1)), (Shard(1), (owner, epoch))].into_iter().collect(), at(ms))
        };
        look(a, 1, 1_000);
        assert_eq!((moves.since(Shard(0)), moves.since(Shard(1))), (None, None), "nobody knows since when");
        look(b, 2, 2_000);
        look(b, 2, 3_000);
        assert_eq!((moves.since(Shard(0)), moves.since(Shard(1))), (None, Some(at(2_000))));
        look(b, 3, 4_000);
        assert_eq!(moves.since(Shard(1)), Some(at(4_000)), "the same owner, again");
        moves.note(FxHashMap::default(), at(5_000));
        assert_eq!(moves.since(Shard(0)), Some(at(5_000)), "nobody's since then");
    }
}
