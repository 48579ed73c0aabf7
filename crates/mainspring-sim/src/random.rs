//! Chance that can be repeated: everything that a seed decides comes from here.

/// A stream of numbers that follows from its seed (SplitMix64: Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `limit`, which is at least 1.
    pub const fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A number from `low` up to but without `high`.
    pub const fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low)
    }

    /// The same with a sign.
    pub const fn within(&mut self, most: i64) -> i64 {
        self.below(2 * most.unsigned_abs() + 1).cast_signed() - most
    }

    /// True so many times in a million.
    pub const fn chance(&mut self, per_million: u64) -> bool {
        per_million > 0 && self.below(1_000_000) < per_million
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.index(of.len())]
    }

    /// A place in a list that is not empty.
    pub fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).expect("below a usize")
    }
}
