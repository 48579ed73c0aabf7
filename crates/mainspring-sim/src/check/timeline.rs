//! What a job did when, as far as the requests about it tell.

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
    /// Whether a further request may have followed at the end.
    pub(super) ended: bool,
}

/// The requests about one job.
pub(super) struct Timeline<'a> {
    operations: Vec<&'a Operation>,
    /// Whether a failover may have taken back what was acknowledged.
    lenient: bool,
}

impl<'a> Timeline<'a> {
    /// The timelines of all jobs, by number.
    pub(super) fn of(history: &'a History) -> Vec<(u32, Self)> {
        let lenient = !history.failovers.is_empty();
        let mut jobs: Vec<(u32, Self)> =
            history.jobs.keys().map(|job| (*job, Self { operations: Vec::new(), lenient })).collect();
        for operation in &history.operations {
            if let Ok(index) = jobs.binary_search_by_key(&operation.job, |(job, _)| *job) {
                jobs[index].1.operations.push(operation);
            }
        }
        jobs
    }

    /// The times in which the job's state is certain, in order.
    pub(super) fn certain(&self, end: Time) -> Vec<Span<'a>> {
        let mut spans = Vec::new();
        let mut now: Option<(Time, Time, &State)> = Some((Time::MIN, Time::MIN, &ABSENT));
        // A node whose clock is ahead moves a trigger ahead, and nothing moves it back.
        let mut ahead = Time::MIN;
        for operation in &self.operations {
            ahead = ahead.max(operation.counts_from);
            if let Some((from, counts_from, state)) = now {
                spans.push(Span { from, counts_from, to: operation.invoked, state, ended: true });
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
            spans.push(Span { from, counts_from, to: end, state, ended: false });
        }
        spans
    }

    /// The states that the job may be in at a time.
    pub(super) fn possible(&self, at: Time) -> Vec<&'a State> {
        let mut states = vec![&ABSENT];
        for operation in self.operations.iter().filter(|operation| operation.invoked <= at) {
            match operation.outcome {
                Outcome::Ok(done) if done < at && !operation.taken_back => {
                    if !self.lenient {
                        states.clear();
                    }
                    states.push(&operation.brings);
                }
                Outcome::Refused => {}
                Outcome::Ok(_) | Outcome::Unknown => states.push(&operation.brings),
            }
        }
        states
    }

    pub(super) const fn len(&self) -> usize {
        self.operations.len()
    }
}
