//! Which items came to the end, and which are in the tables.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

/// Items that came to the end, by number.
#[derive(Debug)]
pub(super) struct Seen {
    times: Mutex<BTreeMap<u64, u64>>,
    count: watch::Sender<u64>,
}

impl Default for Seen {
    fn default() -> Self {
        Self { times: Mutex::default(), count: watch::Sender::new(0) }
    }
}

impl Seen {
    /// How many have come.
    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    pub(super) fn note(&self, numbers: &[u64]) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.iter().for_each(|number| *times.entry(*number).or_default() += 1);
        drop(times);
        self.count.send_modify(|count| *count += numbers.len() as u64);
    }
}

/// How often each item is there, at the end or in a table.
pub(super) struct Tally {
    times: BTreeMap<u64, u64>,
    put: u64,
    /// Numbers of items that wait, of which only the tables count.
    waiting: Range<u64>,
    /// How often each item is to be there.
    copies: u64,
    /// Rows that nobody has put.
    strange: u64,
}

impl Tally {
    /// Begins with what came to the end. Items of the numbers below `put` come there, `copies` times each; those that wait do not.
    pub(super) fn new(seen: &Seen, put: u64, waiting: Range<u64>, copies: u64) -> Self {
        let mut times = seen.times.lock().unwrap_or_else(PoisonError::into_inner).clone();
        times.retain(|number, _| !waiting.contains(number));
        Self { times, put, waiting, copies, strange: 0 }
    }

    /// An item is in a table.
    pub(super) fn is_kept(&mut self, number: Option<&str>) {
        match number.and_then(|number| number.parse::<u64>().ok()) {
            Some(number) if number < self.put || self.waiting.contains(&number) => {
                *self.times.entry(number).or_default() += 1;
            }
            _ => self.strange += 1,
        }
    }

    /// How many are lost, and how many are there too often.
    pub(super) fn outcome(&self) -> (u64, u64) {
        let expected = (0..self.put).map(|number| (number, self.copies)).chain(self.waiting.clone().map(|it| (it, 1)));
        let (mut lost, mut doubled) = (0, self.strange);
        for (number, copies) in expected {
            let times = self.times.get(&number).copied().unwrap_or(0);
            lost += copies.saturating_sub(times);
            doubled += times.saturating_sub(copies);
        }
        (lost, doubled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_and_what_is_doubled_do_not_make_up_for_each_other() {
        let seen = Seen::default();
        seen.note(&[0, 1, 1, 3, 100]);
        let mut tally = Tally::new(&seen, 5, 100..103, 1);
        for kept in ["4", "3", "100", "102"] {
            tally.is_kept(Some(kept));
        }
        tally.is_kept(None);
        // 2 and 101 are nowhere; 1 came twice, 3 is at the end and in a queue, and one has no number.
        assert_eq!(tally.outcome(), (2, 3));
        assert_eq!(Tally::new(&seen, 1, 0..0, 2).outcome(), (1, 0));
    }
}
