//! Who takes which shards, and who gives some away? Nodes with the same view come to the same answer, without talking.

use std::collections::BTreeMap;

use super::{Shard, ShardSet};
use crate::id::Incarnation;

/// What this node is to do about its share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Plan {
    /// Free shards that fall to it.
    pub take: ShardSet,
    /// Shards it has too many.
    pub give: ShardSet,
}

/// Deals the free shards to the heirs with the fewest, which leaves each with 256 / n, rounded down or up. Among equals a
/// hash of heir and shard decides, so that neither order of birth nor of shards favours anyone.
///
/// Shards move between heirs only as far as two counts differ by more than one, and only while every shard is with an heir:
/// what dead or draining nodes hold is about to be dealt anyway.
pub(super) fn plan(me: Incarnation, heirs: &[Incarnation], owners: &BTreeMap<Shard, Incarnation>) -> Plan {
    let mut counts: BTreeMap<Incarnation, usize> = heirs.iter().map(|heir| (*heir, 0)).collect();
    for owner in owners.values() {
        if let Some(count) = counts.get_mut(owner) {
            *count += 1;
        }
    }
    let take = deal(me, &mut counts, owners);
    let held_by_heirs = counts.values().sum::<usize>() == Shard::COUNT;
    let give = if held_by_heirs && take.is_empty() { excess(me, counts) } else { 0 };
    Plan { take, give: least_valued(me, owners, give) }
}

/// Whether every shard is with an heir, and no heir has two more than another: usually, so that there is nothing to plan.
pub(super) fn is_even(heirs: &[Incarnation], owners: impl Iterator<Item = Incarnation>) -> bool {
    let mut counts: Vec<usize> = vec![0; heirs.len()];
    for owner in owners {
        if let Some(heir) = heirs.iter().position(|heir| *heir == owner) {
            counts[heir] += 1;
        }
    }
    let (least, most) = (counts.iter().min(), counts.iter().max());
    counts.iter().sum::<usize>() == Shard::COUNT && most <= least.map(|least| least + 1).as_ref()
}

fn deal(me: Incarnation, counts: &mut BTreeMap<Incarnation, usize>, owners: &BTreeMap<Shard, Incarnation>) -> ShardSet {
    let mut take = ShardSet::EMPTY;
    for shard in Shard::all().filter(|shard| !owners.contains_key(shard)) {
        let Some((heir, count)) = counts.iter_mut().min_by_key(|(heir, count)| (**count, liking(**heir, shard))) else {
            break;
        };
        *count += 1;
        if *heir == me {
            take.insert(shard);
        }
    }
    take
}

/// How many shards `me` gives when the fullest give to the emptiest until all are within one.
fn excess(me: Incarnation, mut counts: BTreeMap<Incarnation, usize>) -> usize {
    let before = counts.get(&me).copied();
    loop {
        let fullest = counts.iter().max_by_key(|(_, count)| **count).map(|(id, count)| (*id, *count));
        let emptiest = counts.iter().min_by_key(|(_, count)| **count).map(|(id, count)| (*id, *count));
        match (fullest, emptiest) {
            (Some((from, most)), Some((to, least))) if most > least + 1 => {
                counts.insert(from, most - 1);
                counts.insert(to, least + 1);
            }
            _ => break,
        }
    }
    before.unwrap_or(0).saturating_sub(counts.get(&me).copied().unwrap_or(0))
}

fn least_valued(me: Incarnation, owners: &BTreeMap<Shard, Incarnation>, count: usize) -> ShardSet {
    let mut mine: Vec<Shard> = owners.iter().filter(|(_, owner)| **owner == me).map(|(shard, _)| *shard).collect();
    mine.sort_by_key(|shard| liking(me, *shard));
    mine.into_iter().rev().take(count).collect()
}

/// Lower is better.
fn liking(heir: Incarnation, shard: Shard) -> u64 {
    spread(heir, u64::from(shard.0))
}

/// A number that is the same for the same incarnation and `salt`, and looks random otherwise. (The finalizer of
/// SplitMix64: Steele, Lea, Flood 2014.)
pub(super) fn spread(incarnation: Incarnation, salt: u64) -> u64 {
    let mut bits = salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for half in [incarnation.0 >> 64, incarnation.0] {
        bits ^= (half & u128::from(u64::MAX)) as u64;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
    }
    bits
}
