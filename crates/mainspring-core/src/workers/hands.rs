//! What one worker has in its hands, as the node sees it that talks to it.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::HOLD_MS;
use crate::Incarnation;
use crate::id::RunId;

/// The attempts that a worker was given and whose ends are not recorded yet.
///
/// ```
/// use mainspring_core::workers::{Hands, Orders};
/// use mainspring_core::{JobId, RunId, RunSource, Timestamp};
/// let run = RunId::new(Timestamp::from_millis(0), RunSource::Asked(JobId(1), 1));
/// let mut hands = Hands::new(4);
/// hands.give(run, 1, false);
/// let told = hands.orders(0, &[]);
/// assert_eq!(told, Orders { give: vec![(run, 1)], end: vec![] });
/// assert_eq!(hands.orders(0, &[]), told, "the answer was lost, so it is given again");
/// assert_eq!(hands.orders(0, &[(run, 1)]), Orders::default());
/// ```
#[derive(Debug, Default)]
pub struct Hands {
    slots: u32,
    /// The newest poll.
    number: Option<u64>,
    given: BTreeMap<RunId, Given>,
}

#[derive(Clone, Copy, Debug)]
struct Given {
    attempt: u32,
    /// Whether its end is asked for.
    ends: bool,
    /// When the worker was told so last.
    told_ms: Option<u64>,
    /// Whether the worker may have heard of the attempt: it was told, or named it itself.
    told: bool,
}

/// An attempt that the store says a worker has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// Who has it.
    pub worker: Incarnation,
    /// Of which run.
    pub run: RunId,
    /// Which of its attempts.
    pub attempt: u32,
    /// Whether its end was asked for.
    pub ends: bool,
}

/// What a poll says of what is here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Received {
    /// It is right.
    GoesOn,
    /// It may be wrong: the worker may have talked to another node, or an answer was lost. The store knows.
    Unsure,
    /// A newer poll was here before.
    Stale,
}

/// What a poll is answered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Orders {
    /// Attempts that the worker does not name: new ones, and those whose answer was lost.
    pub give: Vec<(RunId, u32)>,
    /// Runs that it names and that are to end.
    pub end: Vec<RunId>,
}

impl Orders {
    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.give.is_empty() && self.end.is_empty()
    }
}

impl Hands {
    /// Of a worker that executes so many runs at a time.
    #[must_use]
    pub fn new(slots: u32) -> Self {
        Self { slots, ..Self::default() }
    }

    /// Takes in a poll that names attempts. Without a gap in the numbers, and if the worker has all that it was told of, nothing can have
    /// happened elsewhere. What was claimed since its last poll it cannot name.
    pub fn poll(&mut self, number: u64, named: &[(RunId, u32)]) -> Received {
        match self.number {
            Some(last) if number <= last => return Received::Stale,
            last => {
                self.number = Some(number);
                if last.is_some_and(|last| number > last + 1) {
                    return Received::Unsure;
                }
            }
        }
        let named: FxHashSet<&(RunId, u32)> = named.iter().collect();
        let mut has_all = true;
        for (run, given) in &mut self.given {
            let has_it = named.contains(&(*run, given.attempt));
            has_all &= has_it || !given.told;
            given.told |= has_it;
        }
        if has_all { Received::GoesOn } else { Received::Unsure }
    }

    /// Whether this is the newest poll.
    #[must_use]
    pub fn is_newest(&self, number: u64) -> bool {
        self.number == Some(number)
    }

    /// Puts an attempt that is recorded as the worker's into its hands.
    pub fn give(&mut self, run: RunId, attempt: u32, ends: bool) {
        self.given.insert(run, Given { attempt, ends, told_ms: None, told: false });
    }

    /// What to answer a poll that names these attempts. That a run is to end is said again once the answer to that can be taken for
    /// lost.
    pub fn orders(&mut self, now_ms: u64, named: &[(RunId, u32)]) -> Orders {
        let named: FxHashSet<&(RunId, u32)> = named.iter().collect();
        let mut orders = Orders::default();
        for (run, given) in &mut self.given {
            if !named.contains(&(*run, given.attempt)) {
                given.told = true;
                orders.give.push((*run, given.attempt));
            } else if given.ends && given.told_ms.is_none_or(|told| now_ms.saturating_sub(told) >= HOLD_MS) {
                given.told_ms = Some(now_ms);
                orders.end.push(*run);
            }
        }
        orders
    }

    /// How many more runs it takes, of so many that it asks for.
    #[must_use]
    pub fn free(&self, asked: u32) -> u32 {
        asked.min(self.slots.saturating_sub(self.count()))
    }

    /// How many attempts are in its hands.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.given.len()).unwrap_or(u32::MAX)
    }

    /// Whether these are the attempts in its hands, and those of them that are to end; in order of run.
    #[must_use]
    pub fn are(&self, held: &[Held]) -> bool {
        let given = self.given.iter().map(|(run, given)| (*run, given.attempt, given.ends));
        given.eq(held.iter().map(|held| (held.run, held.attempt, held.ends)))
    }

    /// Asks for the end of a run. False: it is not here.
    pub fn end(&mut self, run: RunId) -> bool {
        self.given.get_mut(&run).map(|given| given.ends = true).is_some()
    }

    /// The runs whose end was asked for.
    pub fn ending(&self) -> impl Iterator<Item = RunId> {
        self.given.iter().filter(|(_, given)| given.ends).map(|(run, _)| *run)
    }

    /// Whether an attempt is in its hands.
    #[must_use]
    pub fn has(&self, run: RunId, attempt: u32) -> bool {
        self.given.get(&run).is_some_and(|given| given.attempt == attempt)
    }

    /// Takes an attempt out whose end is recorded, or that is not the worker's any more.
    pub fn take(&mut self, run: RunId, attempt: u32) {
        if self.has(run, attempt) {
            self.given.remove(&run);
        }
    }
}

#[cfg(test)]
mod tests {
    use mainspring_schedule::Timestamp;

    use super::*;
    use crate::id::{JobId, RunSource};

    fn run(number: u64) -> RunId {
        RunId::new(Timestamp::from_millis(1_767_225_600_000), RunSource::Asked(JobId(1), number))
    }

    #[test]
    fn polls_are_taken_in_order_only() {
        let mut hands = Hands::new(1);
        let polls: Vec<Received> = [3, 3, 2, 4, 9].map(|number| hands.poll(number, &[])).into();
        assert_eq!(polls, [Received::GoesOn, Received::Stale, Received::Stale, Received::GoesOn, Received::Unsure]);
        assert!(hands.is_newest(9) && !hands.is_newest(4));
    }

    #[test]
    fn poll_that_does_not_name_what_is_here_makes_that_doubtful() {
        let mut hands = Hands::new(3);
        hands.give(run(1), 2, false);
        assert_eq!(
            hands.poll(1, &[(run(1), 2), (run(2), 1)]),
            Received::GoesOn,
            "what is over may be named for a while"
        );
        assert_eq!(hands.poll(2, &[(run(1), 1)]), Received::Unsure);
        assert_eq!(hands.poll(3, &[]), Received::Unsure);
    }

    #[test]
    fn poll_need_not_name_what_was_claimed_since_the_last() {
        let mut hands = Hands::new(3);
        hands.give(run(1), 1, false);
        assert_eq!(hands.poll(1, &[]), Received::GoesOn);
        assert_eq!(hands.orders(0, &[]).give, [(run(1), 1)]);
        assert_eq!(hands.poll(2, &[]), Received::Unsure, "the answer was lost, or the worker was elsewhere");
    }

    #[test]
    fn worker_gets_no_more_than_it_has_slots() {
        let mut hands = Hands::new(3);
        hands.give(run(1), 1, false);
        assert_eq!([hands.free(0), hands.free(1), hands.free(9)], [0, 1, 2]);
        (2..9).for_each(|number| hands.give(run(number), 1, false));
        assert_eq!(hands.free(9), 0);
    }

    #[test]
    fn run_that_is_to_end_is_told_once_and_again_when_that_was_lost() {
        let mut hands = Hands::new(3);
        hands.give(run(1), 2, false);
        assert!(hands.end(run(1)) && !hands.end(run(2)));
        assert_eq!(hands.orders(0, &[]).give, [(run(1), 2)], "what it does not have it cannot end");
        let named = [(run(1), 2)];
        assert_eq!(hands.orders(1, &named).end, [run(1)]);
        assert!(hands.orders(HOLD_MS, &named).is_empty());
        assert_eq!(hands.orders(1 + HOLD_MS, &named).end, [run(1)]);
    }

    #[test]
    fn attempt_that_is_over_is_not_given_again() {
        let mut hands = Hands::new(3);
        hands.give(run(1), 2, false);
        hands.take(run(1), 1);
        assert!(hands.has(run(1), 2), "of an earlier attempt");
        hands.take(run(1), 2);
        assert!(!hands.has(run(1), 2) && hands.orders(0, &[]).is_empty());
        hands.give(run(1), 3, true);
        assert_eq!(hands.orders(0, &[(run(1), 2)]).give, [(run(1), 3)], "the next attempt is another one");
    }
}
