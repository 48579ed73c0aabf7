//! Since when each shard has its owner, and which moves there were lately.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use mainspring_core::Incarnation;
use mainspring_core::cluster::Shard;
use mainspring_schedule::Timestamp;
use rustc_hash::FxHashMap;

/// Moves that are kept: some drains of a cluster of many nodes.
const MOVES_MAX: usize = 100;

/// When shards came to their owners.
#[derive(Debug, Default)]
pub(crate) struct Moves(Mutex<Seen>);

/// Who has a shard, as the cluster's status tells it.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) id: Incarnation,
    pub(super) epoch: i64,
    pub(super) name: Arc<str>,
}

/// Shards that came from one node to another at a time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    /// When this node saw it.
    pub(crate) at: Timestamp,
    /// Name of the owner before; nothing where there was none, or this node has not seen it.
    pub(crate) from: Option<Arc<str>>,
    /// Name of the owner since.
    pub(crate) to: Arc<str>,
    pub(crate) shards: Vec<Shard>,
    /// How long the one that waited longest had no owner, in milliseconds.
    pub(crate) unowned_ms: i64,
}

#[derive(Debug, Default)]
struct Seen {
    owners: FxHashMap<Shard, Owner>,
    since: FxHashMap<Shard, Timestamp>,
    /// Of shards without an owner: who had them last, and until when.
    left: FxHashMap<Shard, (Arc<str>, Timestamp)>,
    /// The newest first.
    moves: VecDeque<Move>,
    has_looked: bool,
}

impl Moves {
    /// Since when a shard has its owner. Nothing where it had that one when this node looked first.
    pub(crate) fn since(&self, shard: Shard) -> Option<Timestamp> {
        self.seen().since.get(&shard).copied()
    }

    /// The last moves, the newest first. Those from before this node looked first are not known.
    pub(crate) fn last(&self) -> Vec<Move> {
        self.seen().moves.iter().cloned().collect()
    }

    /// Compares owners with those of the look before.
    pub(super) fn note(&self, owners: FxHashMap<Shard, Owner>, now: Timestamp) {
        let mut seen = self.seen();
        if !std::mem::replace(&mut seen.has_looked, true) {
            seen.owners = owners;
            return;
        }
        // By incarnation and epoch: the name of an owner that has just died is not told any more.
        let key = |owner: Option<&Owner>| owner.map(|owner| (owner.id, owner.epoch));
        let moved = Shard::all().filter(|shard| key(seen.owners.get(shard)) != key(owners.get(shard))).collect();
        seen.note(moved, owners, now);
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn note(&mut self, moved: Vec<Shard>, mut owners: FxHashMap<Shard, Owner>, now: Timestamp) {
        // What came from one node to another at one time is one move.
        let mut found: BTreeMap<(Option<Arc<str>>, Arc<str>), Move> = BTreeMap::new();
        for shard in moved {
            self.since.insert(shard, now);
            let before = self.owners.remove(&shard).map(|owner| (owner.name, now));
            let Some(owner) = owners.remove(&shard) else {
                self.left.extend(before.map(|before| (shard, before)));
                continue;
            };
            let from = self.left.remove(&shard).or(before);
            let unowned_ms = from.as_ref().map_or(0, |(_, until)| now.since(*until).max(0));
            let (from, to) = (from.map(|(name, _)| name), Arc::clone(&owner.name));
            self.owners.insert(shard, owner);
            let one = found.entry((from.clone(), Arc::clone(&to))).or_insert_with(|| {
                let shards = Vec::new();
                Move { at: now, from, to, shards, unowned_ms: 0 }
            });
            one.shards.push(shard);
            one.unowned_ms = one.unowned_ms.max(unowned_ms);
        }
        found.into_values().for_each(|one| self.moves.push_front(one));
        self.moves.truncate(MOVES_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    /// Shards from 0 on, each with the number of its owner, whose name is that letter; `-` has none.
    fn owners(text: &str, epoch: i64) -> FxHashMap<Shard, Owner> {
        let owner = |letter: char| Owner {
            id: Incarnation(u128::from(u32::from(letter))),
            epoch,
            name: letter.to_string().into(),
        };
        let shards = Shard::all().zip(text.chars()).filter(|(_, letter)| *letter != '-');
        shards.map(|(shard, letter)| (shard, owner(letter))).collect()
    }

    #[test]
    fn a_move_is_noted_when_it_is_seen() {
        let moves = Moves::default();
        moves.note(owners("aa", 1), at(1_000));
        assert_eq!((moves.since(Shard(0)), moves.since(Shard(1))), (None, None), "nobody knows since when");
        let mut next = owners("a", 1);
        next.extend(owners("-b", 2));
        moves.note(next.clone(), at(2_000));
        moves.note(next, at(3_000));
        assert_eq!((moves.since(Shard(0)), moves.since(Shard(1))), (None, Some(at(2_000))));
        let mut again = owners("a", 1);
        again.extend(owners("-b", 3));
        moves.note(again, at(4_000));
        assert_eq!(moves.since(Shard(1)), Some(at(4_000)), "the same owner, again");
        moves.note(FxHashMap::default(), at(5_000));
        assert_eq!(moves.since(Shard(0)), Some(at(5_000)), "nobody's since then");
    }

    #[test]
    fn moves_say_who_took_what_from_whom_and_how_long_nobody_had_it() {
        let moves = Moves::default();
        let looks = [("aab-", 1), ("b-b-", 1_500), ("bcba", 3_000), ("bcba", 9_000)];
        looks.into_iter().for_each(|(text, ms)| moves.note(owners(text, 1), at(ms)));
        let told: Vec<_> = moves
            .last()
            .into_iter()
            .map(|it| (it.at, it.from.map(|name| name.to_string()), it.to.to_string(), it.shards, it.unowned_ms))
            .collect();
        let expected = [
            (at(3_000), Some("a".to_owned()), "c".to_owned(), vec![Shard(1)], 1_500),
            (at(3_000), None, "a".to_owned(), vec![Shard(3)], 0),
            (at(1_500), Some("a".to_owned()), "b".to_owned(), vec![Shard(0)], 0),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn old_moves_are_forgotten() {
        let moves = Moves::default();
        for (look, text) in (0..=105).zip(["aaa", "bbb"].into_iter().cycle()) {
            moves.note(owners(text, 1), at(look));
        }
        let last = moves.last();
        assert_eq!((last.len(), last[0].at, last[0].shards.len()), (MOVES_MAX, at(105), 3));
    }
}
