//! Final runs: appended in the order in which they end, found by id.

use mainspring_core::run::AttemptOutcome;
use mainspring_core::{RunId, Timestamp};

use super::live::Run;

/// A final run.
#[derive(Clone, Debug)]
pub(super) struct FinalRun {
    pub(super) run: Run,
    /// How its last attempt ended; absent if that had a record before, or there was none.
    pub(super) outcome: Option<AttemptOutcome>,
    pub(super) started_at: Option<Timestamp>,
    pub(super) ended_at: Timestamp,
}

/// Final runs in segments. Runs that end together have ids close together, so a search by id looks into few of them,
/// and appending neither moves nor sorts anything.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    segments: Vec<Segment>,
}

const SEGMENT_LEN: usize = 4_096;

#[derive(Clone, Debug)]
struct Segment {
    least: RunId,
    greatest: RunId,
    /// No run in it has ended before.
    earliest_end: Timestamp,
    ids: Vec<RunId>,
    runs: Vec<FinalRun>,
}

impl History {
    pub(super) fn push(&mut self, run: FinalRun) {
        if self.segments.last().is_none_or(|segment| segment.ids.len() == SEGMENT_LEN) {
            self.segments.push(Segment::starting_with(&run));
        }
        self.segments.last_mut().expect("made above").push(run);
    }

    pub(super) fn get(&self, id: RunId) -> Option<&FinalRun> {
        self.segments.iter().rev().find_map(|segment| segment.get(id))
    }

    pub(super) fn get_mut(&mut self, id: RunId) -> Option<&mut FinalRun> {
        self.segments.iter_mut().rev().find_map(|segment| segment.get_mut(id))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &FinalRun> {
        self.segments.iter().flat_map(|segment| &segment.runs)
    }

    /// Visits runs with `from <= id < to`, those with the newest ids first as far as segments allow. `visit` gets a
    /// run and answers below which id the rest need not be shown.
    pub(super) fn visit_newest(&self, from: RunId, to: RunId, mut visit: impl FnMut(&FinalRun) -> Option<RunId>) {
        let mut order: Vec<&Segment> = self.segments.iter().filter(|s| s.greatest >= from && s.least < to).collect();
        order.sort_unstable_by_key(|segment| std::cmp::Reverse(segment.greatest));
        let mut floor = from;
        for segment in order {
            if segment.greatest < floor {
                return;
            }
            for (id, run) in segment.ids.iter().zip(&segment.runs) {
                if (floor..to).contains(id) {
                    floor = visit(run).map_or(floor, |least| floor.max(least));
                }
            }
        }
    }

    /// Takes out up to `limit` runs that have ended before `end` and that `accept` names.
    pub(super) fn remove_where(
        &mut self,
        limit: usize,
        end: Timestamp,
        mut accept: impl FnMut(&FinalRun) -> bool,
    ) -> Vec<FinalRun> {
        let mut removed = Vec::new();
        for segment in self.segments.iter_mut().filter(|segment| segment.earliest_end < end) {
            let mut index = 0;
            while index < segment.runs.len() && removed.len() < limit {
                if segment.runs[index].ended_at < end && accept(&segment.runs[index]) {
                    removed.push(segment.runs.swap_remove(index));
                    segment.ids.swap_remove(index);
                } else {
                    index += 1;
                }
            }
            if removed.len() == limit {
                break;
            }
        }
        self.segments.retain(|segment| !segment.ids.is_empty());
        removed
    }
}

impl Segment {
    fn starting_with(first: &FinalRun) -> Self {
        Self {
            least: first.run.id,
            greatest: first.run.id,
            earliest_end: first.ended_at,
            ids: Vec::with_capacity(SEGMENT_LEN),
            runs: Vec::with_capacity(SEGMENT_LEN),
        }
    }

    fn push(&mut self, run: FinalRun) {
        self.least = self.least.min(run.run.id);
        self.greatest = self.greatest.max(run.run.id);
        self.earliest_end = self.earliest_end.min(run.ended_at);
        self.ids.push(run.run.id);
        self.runs.push(run);
    }

    fn get(&self, id: RunId) -> Option<&FinalRun> {
        self.place(id).map(|index| &self.runs[index])
    }

    fn get_mut(&mut self, id: RunId) -> Option<&mut FinalRun> {
        self.place(id).map(|index| &mut self.runs[index])
    }

    fn place(&self, id: RunId) -> Option<usize> {
        if id < self.least || id > self.greatest {
            return None;
        }
        // Who asks, asks for one of the last, mostly.
        self.ids.iter().rposition(|other| *other == id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use mainspring_core::batch::Placed;
    use mainspring_core::run::{Origin, RunState};
    use mainspring_core::{JobId, JobVersion};

    use super::super::live::Stamp;
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn id(ms: i64) -> RunId {
        RunId::floor(at(ms))
    }

    fn over(ms: i64, ended_at: i64) -> FinalRun {
        let run = Run {
            id: id(ms),
            job: JobId(1),
            job_version: JobVersion(1),
            trigger: None,
            fire_time: at(ms),
            due_at: at(ms),
            created_at: at(ms),
            claimed_at: None,
            priority: 0,
            queue: "default".into(),
            attempt: 1,
            owner: 0,
            state: RunState::Succeeded,
            origin: Origin::Api,
            batch: Stamp::default(),
            born: Placed::Queued,
            more: None,
        };
        FinalRun { run, outcome: None, started_at: None, ended_at: at(ended_at) }
    }

    /// Three segments of runs whose order of ends is not that of their ids.
    fn history() -> (History, i64) {
        let count = i64::try_from(SEGMENT_LEN * 5 / 2).expect("small");
        let mut history = History::default();
        for ended_at in 0..count {
            history.push(over((ended_at * 7_919) % count, ended_at));
        }
        (history, count)
    }

    #[test]
    fn runs_are_found_by_id_in_every_segment() {
        let (history, count) = history();
        assert_eq!(history.segments.len(), 3);
        assert!((0..count).step_by(97).all(|ms| history.get(id(ms)).is_some_and(|over| over.run.id == id(ms))));
        assert!(history.get(id(count)).is_none());
    }

    #[test]
    fn the_newest_are_shown_whatever_the_order_of_their_ends() {
        let (history, count) = history();
        let mut newest = BTreeSet::new();
        let mut shown = 0;
        history.visit_newest(id(10), id(count - 5), |over| {
            shown += 1;
            newest.insert(over.run.id);
            if newest.len() > 20 {
                newest.pop_first();
            }
            newest.first().copied().filter(|_| newest.len() == 20)
        });
        assert_eq!(newest.into_iter().collect::<Vec<_>>(), (count - 25..count - 5).map(id).collect::<Vec<_>>());
        assert!(shown < count / 2, "{shown} of {count} were shown");
    }

    #[test]
    fn removal_is_bounded_and_goes_by_the_end() {
        let (mut history, count) = history();
        let removed = history.remove_where(5_000, at(6_000), |over| over.run.id >= id(10));
        assert_eq!(removed.len(), 5_000);
        assert!(removed.iter().all(|over| over.ended_at < at(6_000)));
        let rest = history.remove_where(5_000, at(6_000), |over| over.run.id >= id(10));
        assert!((990..=1_000).contains(&rest.len()), "{}", rest.len());
        assert_eq!(history.remove_where(5_000, at(6_000), |over| over.run.id >= id(10)).len(), 0);
        let left = usize::try_from(count).expect("small") - 5_000 - rest.len();
        assert_eq!(history.iter().count(), left);
        assert!(history.iter().all(|over| history.get(over.run.id).is_some()), "what stays is found");
    }
}
