//! XXL-JOB's ring: each worker stands at a hundred places of a circle of 2^32, and a key goes to whoever stands at its place or next
//! after it. When a worker goes, only its keys move; when one comes, it takes keys from the others and they none from each other.

use md5::{Digest, Md5};

/// How often each worker stands on the ring.
const PLACES: usize = 100;

#[derive(Debug)]
pub(super) struct Ring {
    /// Place on the ring, and place in the order of workers; ascending.
    places: Vec<(u32, usize)>,
}

impl Ring {
    /// Of at least one worker.
    pub(super) fn new<'a>(workers: impl Iterator<Item = &'a str>) -> Self {
        let places_of = |(index, worker): (usize, &'a str)| {
            (0..PLACES).map(move |place| (position(&format!("SHARD-{worker}-NODE-{place}")), index))
        };
        let mut places: Vec<(u32, usize)> = workers.enumerate().flat_map(places_of).collect();
        // Of two at one place, the later in order has it.
        places.sort_unstable_by_key(|(position, index)| (*position, std::cmp::Reverse(*index)));
        places.dedup_by_key(|(position, _)| *position);
        Self { places }
    }

    /// The place of a key's worker in their order.
    pub(super) fn place(&self, key: &str) -> usize {
        let at = position(key);
        let next = self.places.partition_point(|(position, _)| *position < at);
        self.places[if next == self.places.len() { 0 } else { next }].1
    }
}

/// The first four bytes of the MD5 of a text, the least significant first.
pub(super) fn position(text: &str) -> u32 {
    let hash = Md5::digest(text.as_bytes());
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]])
}
