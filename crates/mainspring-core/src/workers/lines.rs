//! Who looks for runs: the workers of the same queues stand in line while there is nothing for them.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::batch::Queues;

/// The workers that talk to a node, by the queues that they take runs from. `W` names one.
///
/// A claim that finds less than it asked for shows that there is nothing more up to the last offer before it; until the next
/// one nobody looks, and then the first in line does.
///
/// ```
/// use mainspring_core::batch::Queues;
/// use mainspring_core::workers::Lines;
/// let (queues, mut lines) = (Queues::named(["mail"]), Lines::default());
/// let offers = lines.offers();
/// assert!(lines.may_claim(&queues, offers));
/// lines.exhausted(&queues, offers);
/// assert!(!lines.may_claim(&queues, offers));
/// lines.wait(&queues, "w1", |_| false);
/// let mut woken = Vec::new();
/// lines.offer(|worker| { woken.push(*worker); true });
/// assert_eq!(woken, ["w1"]);
/// assert!(lines.may_claim(&queues, lines.offers()));
/// ```
#[derive(Debug)]
pub struct Lines<W> {
    /// Counts how often runs may have been queued.
    offers: u64,
    groups: FxHashMap<Queues, Group<W>>,
}

#[derive(Debug)]
struct Group<W> {
    /// Up to which offer there was nothing left.
    exhausted: u64,
    /// Those that wait for a run, the first first.
    line: VecDeque<W>,
}

impl<W> Default for Lines<W> {
    fn default() -> Self {
        Self { offers: 1, groups: FxHashMap::default() }
    }
}

impl<W> Default for Group<W> {
    fn default() -> Self {
        Self { exhausted: 0, line: VecDeque::new() }
    }
}

impl<W> Lines<W> {
    /// How often runs may have been queued so far. To be asked before it is looked.
    #[must_use]
    pub const fn offers(&self) -> u64 {
        self.offers
    }

    /// Whether runs may wait in some queues, as of so many offers.
    #[must_use]
    pub fn may_claim(&self, queues: &Queues, offers: u64) -> bool {
        self.groups.get(queues).is_none_or(|group| group.exhausted < offers)
    }

    /// Puts a worker into line, unless it `is` there already.
    pub fn wait(&mut self, queues: &Queues, worker: W, is: impl Fn(&W) -> bool) {
        let group = self.groups.entry(queues.clone()).or_default();
        if !group.line.iter().any(is) {
            group.line.push_back(worker);
        }
    }

    /// A claim that was begun after so many offers has found less than it asked for.
    pub fn exhausted(&mut self, queues: &Queues, offers: u64) {
        let group = self.groups.entry(queues.clone()).or_default();
        group.exhausted = group.exhausted.max(offers);
    }

    /// Runs may have been queued. `wake` says whether a worker still waits; the first of each line that does looks.
    pub fn offer(&mut self, mut wake: impl FnMut(&W) -> bool) {
        self.offers += 1;
        self.groups.values_mut().for_each(|group| group.wake(&mut wake));
    }

    /// Lets the next in line for some queues look.
    pub fn wake_next(&mut self, queues: &Queues, mut wake: impl FnMut(&W) -> bool) {
        if let Some(group) = self.groups.get_mut(queues) {
            group.wake(&mut wake);
        }
    }

    /// Forgets workers that are gone, and lines in which nobody waits.
    pub fn tidy(&mut self, is_there: impl Fn(&W) -> bool) {
        self.groups.retain(|_, group| {
            group.line.retain(&is_there);
            !group.line.is_empty()
        });
    }
}

impl<W> Group<W> {
    /// Wakes the first that still waits.
    fn wake(&mut self, mut wake: impl FnMut(&W) -> bool) {
        while self.line.pop_front().is_some_and(|worker| !wake(&worker)) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_line_that_still_waits_looks() {
        let (mut lines, queues) = (Lines::default(), Queues::named(["a"]));
        for worker in [1, 2, 3, 2] {
            lines.wait(&queues, worker, |other| *other == worker);
        }
        let woken = |lines: &mut Lines<i32>, awake: &[i32]| {
            let mut first = None;
            lines.wake_next(&queues, |worker| {
                first = awake.contains(worker).then_some(*worker);
                first.is_some()
            });
            first
        };
        assert_eq!(woken(&mut lines, &[2, 3]), Some(2), "the first has gone");
        lines.tidy(|worker| *worker != 3);
        assert_eq!(woken(&mut lines, &[3]), None);
    }

    #[test]
    fn what_was_offered_after_a_claim_had_begun_may_be_there() {
        let (mut lines, queues) = (Lines::<()>::default(), Queues::All);
        let before = lines.offers();
        lines.offer(|()| true);
        lines.exhausted(&queues, before);
        assert!(lines.may_claim(&queues, lines.offers()) && !lines.may_claim(&queues, before));
    }
}
