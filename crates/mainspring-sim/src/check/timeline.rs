//! What a job did when, as far as the requests about it tell.

use std::collections::BTreeMap;

use crate::history::{History, Operation, Outcome, State, Time};

const ABSENT: State = State::Absent;

/// A time in which a job's state is certain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    /// Acknowledged.
    pub(super) from: Time,
    /// From when on it counts for instants.
    pub(super) counts_from: Time,
    /// The next request was asked for.
    pub(super) to: Time,
    pub(super) state: &'a State,
}

/// The requests about each job: their places in the history, in order.
#[derive(Debug, Default)]
pub(super) struct Timelines {
    jobs: BTreeMap<u32, Vec<usize>>,
    taken: usize,
}

impl Timelines {
    /// All that a history has.
    pub(super) fn of(history: &History) -> Self {
        let mut timelines = Self::default();
        timelines.take_in(history);
        timelines
    }

    /// Takes in what was asked for since.
    pub(super) fn take_in(&mut self, history: &History) {
        for (index, operation) in history.operations.iter().enumerate().skip(self.taken) {
            self.jobs.entry(operation.job).or_default().push(index);
        }
        self.taken = history.operations.len();
    }

    /// Of one job.
    pub(super) fn get<'a>(&'a self, history: &'a History, job: u32) -> Timeline<'a> {
        Timeline { history, places: self.jobs.get(&job).map_or(&[], Vec::as_slice) }
    }

    /// Of all jobs, by number.
    pub(super) fn all<'a>(&'a self, history: &'a History) -> impl Iterator<Item = (u32, Timeline<'a>)> {
        history.jobs.keys().map(|job| (*job, self.get(history, *job)))
    }
}

/// The requests about one job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeline<'a> {
    history: &'a History,
    places: &'a [usize],
}

impl<'a> Timeline<'a> {
    fn operations(&self) -> impl DoubleEndedIterator<Item = &'a Operation> + use<'a> {
        let history = self.history;
        self.places.iter().map(|place| &history.operations[*place])
    }

    /// The times in which the job's state is certain, in order.
    pub(super) fn certain(&self, end: Time) -> Vec<Span<'a>> {
        let mut spans = Vec::with_capacity(self.places.len() + 1);
        let mut now: Option<(Time, Time, &State)> = Some((Time::MIN, Time::MIN, &ABSENT));
        // A node whose clock is ahead moves a trigger ahead, and nothing moves it back.
        let mut ahead = Time::MIN;
        for operation in self.operations() {
            ahead = ahead.max(operation.counts_from);
            if let Some((from, counts_from, state)) = now {
                spans.push(Span { from, counts_from, to: operation.invoked, state });
            }
            now = match operation.outcome {
                Outcome::Ok(at) if !operation.taken_back => Some((at, at.max(ahead), &operation.brings)),
                // What was refused changed nothing, so that the state goes on.
                Outcome::Refused => {
                    now.map(|(_, counts_from, state)| (operation.invoked, counts_from.max(operation.invoked), state))
                }
                Outcome::Ok(_) | Outcome::Unknown => None,
            };
        }
        if let Some((from, counts_from, state)) = now {
            spans.push(Span { from, counts_from, to: end, state });
        }
        spans
    }

    /// Whether it certainly rests at a time. What happens within the millisecond of an acknowledgement may have been before it.
    pub(super) fn rests(&self, at: Time) -> bool {
        let rest = |span: &Span<'_>| !matches!(span.state, State::Active(_));
        self.certain(Time::MAX).iter().any(|span| rest(span) && (span.from.saturating_add(1)..span.to).contains(&at))
    }

    /// Whether the job may be in such a state at a time.
    pub(super) fn may_be(&self, at: Time, mut is: impl FnMut(&State) -> bool) -> bool {
        // Where a failover may have taken back what was acknowledged, what was before stays possible.
        let lenient = !self.history.failovers.is_empty();
        for operation in self.operations().rev().filter(|operation| operation.invoked <= at) {
            if operation.outcome == Outcome::Refused {
                continue;
            }
            if is(&operation.brings) {
                return true;
            }
            let is_done = matches!(operation.outcome, Outcome::Ok(done) if done < at && !operation.taken_back);
            if is_done && !lenient {
                return false;
            }
        }
        is(&ABSENT)
    }

    pub(super) const fn len(&self) -> usize {
        self.places.len()
    }
}
