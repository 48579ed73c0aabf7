//! Final runs: appended in the order in which they end, found by id.

use mainspring_core::run::AttemptOutcome;
use mainspring_core::{RunId, Timestamp};

use super::live::Run;

/// A final run.
#[derive(Debug)]
pub(super) struct FinalRun {
    pub(super) run: Run,
    /// How its last attempt ended; absent if that had a record before, or there was none.
    pub(super) outcome: Option<AttemptOutcome>,
    pub(super) started_at: Option<Timestamp>,
    pub(super) ended_at: Timestamp,
}

/// Final runs in segments. Runs that end together have ids close together, so a search by id looks into few of them,
/// and appending neither moves nor sorts anything.
#[derive(Debug, Default)]
pub(super) struct History {
    segments: Vec<Segment>,
}

const SEGMENT_LEN: usize = 4_096;

#[derive(Debug)]
struct Segment {
    least: RunId,
    greatest: RunId,
    ids: Vec<RunId>,
    runs: Vec<FinalRun>,
}

impl History {
    pub(super) fn push(&mut self, run: FinalRun) {
        if self.segments.last().is_none_or(|segment| segment.ids.len() == SEGMENT_LEN) {
            self.segments.push(Segment::starting_with(run.run.id));
        }
        self.segments.last_mut().expect("made above").push(run);
    }

    pub(super) fn get(&self, id: RunId) -> Option<&FinalRun> {
        self.segments.iter().rev().find_map(|segment| segment.get(id))
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

    /// Takes out up to `limit` runs that `accept` names, oldest ends first.
    pub(super) fn remove_where(&mut self, limit: usize, mut accept: impl FnMut(&FinalRun) -> bool) -> Vec<FinalRun> {
        let mut removed = Vec::new();
        for segment in &mut self.segments {
            let mut index = 0;
            while index < segment.runs.len() && removed.len() < limit {
                if accept(&segment.runs[index]) {
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
    fn starting_with(id: RunId) -> Self {
        Self { least: id, greatest: id, ids: Vec::with_capacity(SEGMENT_LEN), runs: Vec::with_capacity(SEGMENT_LEN) }
    }

    fn push(&mut self, run: FinalRun) {
        self.least = self.least.min(run.run.id);
        self.greatest = self.greatest.max(run.run.id);
        self.ids.push(run.run.id);
        self.runs.push(run);
    }

    fn get(&self, id: RunId) -> Option<&FinalRun> {
        if id < self.least || id > self.greatest {
            return None;
        }
        self.ids.iter().position(|other| *other == id).map(|index| &self.runs[index])
    }
}
