//! Shards and sets of them.

use std::fmt;

/// A fixed part of all jobs: one of [`Shard::COUNT`], as [`shard_of`](crate::shard_of) says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shard(pub u8);

impl Shard {
    /// How many shards there are. Fixed when a cluster is made.
    pub const COUNT: usize = 256;

    /// Every shard, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=u8::MAX).map(Self)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of shards: 256 bits.
///
/// ```
/// use mainspring_core::cluster::{Shard, ShardSet};
/// let mine: ShardSet = [3, 200].map(Shard).into_iter().collect();
/// assert_eq!(ShardSet::ALL.difference(mine).len(), 254);
/// assert_eq!(format!("{mine:?}"), "{3, 200}");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct ShardSet([u64; 4]);

impl ShardSet {
    /// No shard.
    pub const EMPTY: Self = Self([0; 4]);
    /// Every shard.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// Whether the shard is in the set.
    #[must_use]
    pub const fn contains(&self, shard: Shard) -> bool {
        self.0[shard.0 as usize / 64] >> (shard.0 % 64) & 1 == 1
    }

    /// Adds a shard; false if it was there.
    pub const fn insert(&mut self, shard: Shard) -> bool {
        let new = !self.contains(shard);
        self.0[shard.0 as usize / 64] |= 1 << (shard.0 % 64);
        new
    }

    /// Takes a shard out; false if it was not there.
    pub const fn remove(&mut self, shard: Shard) -> bool {
        let there = self.contains(shard);
        self.0[shard.0 as usize / 64] &= !(1 << (shard.0 % 64));
        there
    }

    /// How many shards are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// What is in either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        self.combine(other, |a, b| a | b)
    }

    /// What is in this set and not in the other.
    #[must_use]
    pub fn difference(self, other: Self) -> Self {
        self.combine(other, |a, b| a & !b)
    }

    /// What is in both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        self.combine(other, |a, b| a & b)
    }

    /// The shards of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Shard> {
        Shard::all().filter(move |shard| self.contains(*shard))
    }

    fn combine(self, other: Self, bits: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| bits(self.0[i], other.0[i])))
    }
}

impl FromIterator<Shard> for ShardSet {
    fn from_iter<I: IntoIterator<Item = Shard>>(shards: I) -> Self {
        let mut set = Self::EMPTY;
        shards.into_iter().for_each(|shard| _ = set.insert(shard));
        set
    }
}

impl fmt::Debug for ShardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|shard| shard.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_shard_set_is_a_set(a: BTreeSet<u8>, b: BTreeSet<u8>, shard: u8) {
            let set = |of: &BTreeSet<u8>| of.iter().copied().map(Shard).collect::<ShardSet>();
            let back = |of: ShardSet| of.iter().map(|shard| shard.0).collect::<BTreeSet<u8>>();
            prop_assert_eq!(back(set(&a)), a.clone());
            prop_assert_eq!(set(&a).len(), a.len());
            prop_assert_eq!(back(set(&a).union(set(&b))), &a | &b);
            prop_assert_eq!(back(set(&a).difference(set(&b))), &a - &b);
            prop_assert_eq!(back(set(&a).intersection(set(&b))), &a & &b);
            let (mut added, mut removed) = (set(&a), set(&a));
            prop_assert_eq!(added.insert(Shard(shard)), !a.contains(&shard));
            prop_assert_eq!(removed.remove(Shard(shard)), a.contains(&shard));
            prop_assert!(added.contains(Shard(shard)) && !removed.contains(Shard(shard)));
        }
    }
}
