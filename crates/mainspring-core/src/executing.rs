//! The runs that a process executes: which of them are to end, and as what.
//!
//! Whoever executes them tells each when to end; this says whom to tell.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::id::RunId;
use crate::job::Job;
use crate::run::AttemptOutcome;

/// How many requests to end runs are kept that have not begun yet.
const EARLY_MAX: usize = 1_000;

#[derive(Clone, Copy, Debug, Default)]
struct Going {
    told_to_end: bool,
    /// Whether others may be given it, or its slot, once this process is taken for dead.
    may_be_given_away: bool,
    /// Whether it ends for that reason.
    given_up: bool,
}

impl Going {
    fn note(&mut self, definition: &Job) {
        self.may_be_given_away = definition.may_be_given_away();
    }

    /// Ends it if others may be given it. True: nobody has asked for its end before.
    const fn give_up(&mut self) -> bool {
        let is_new = self.may_be_given_away && !self.told_to_end;
        if is_new {
            (self.told_to_end, self.given_up) = (true, true);
        }
        is_new
    }
}

/// See the [module](self).
#[derive(Debug, Default)]
pub struct Executing {
    runs: FxHashMap<RunId, Going>,
    /// Runs to end that are not here: over, most of them, but a request may also overtake the start of its run.
    early: VecDeque<RunId>,
    /// From when on nothing begins that others may be given.
    gives_up_at: Option<u64>,
}

impl Executing {
    /// Takes a run in, with its definition if that is known. True: it is to end at once.
    pub fn enter(&mut self, run: RunId, definition: Option<&Job>) -> bool {
        let before = self.early.len();
        self.early.retain(|early| *early != run);
        let told_to_end = self.early.len() < before;
        let mut going = Going { told_to_end, ..Going::default() };
        definition.into_iter().for_each(|definition| going.note(definition));
        self.runs.insert(run, going);
        told_to_end
    }

    /// Learns the definition of a run.
    pub fn note(&mut self, run: RunId, definition: &Job) {
        self.runs.entry(run).or_default().note(definition);
    }

    /// Whether nothing is executed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Asks for the end of a run. True: it is here, and is to be told.
    pub fn cancel(&mut self, run: RunId) -> bool {
        if let Some(going) = self.runs.get_mut(&run) {
            going.told_to_end = true;
            return true;
        }
        if self.early.len() == EARLY_MAX {
            self.early.pop_front();
        }
        self.early.push_back(run);
        false
    }

    /// Asks for the end of all.
    pub fn cancel_all(&mut self) {
        self.runs.values_mut().for_each(|going| going.told_to_end = true);
    }

    /// Learns when the runs that others may be given have to end, in milliseconds since boot, and ends them if that is now: those are
    /// to be told.
    pub fn give_up_at(&mut self, at_ms: u64, now_ms: u64) -> Vec<RunId> {
        self.gives_up_at = Some(at_ms);
        if at_ms <= now_ms { self.give_up() } else { Vec::new() }
    }

    /// Whether a run may begin now: not if it is to end. This process may have been frozen since it was handed the run, and others
    /// have it by now: then it is given up.
    pub fn may_begin(&mut self, run: RunId, now_ms: u64) -> bool {
        let is_late = self.gives_up_at.is_some_and(|at_ms| now_ms >= at_ms);
        self.runs.get_mut(&run).is_none_or(|going| {
            if is_late {
                going.give_up();
            }
            !going.told_to_end
        })
    }

    fn give_up(&mut self) -> Vec<RunId> {
        let given_up = self.runs.iter_mut().filter_map(|(run, going)| going.give_up().then_some(*run));
        let mut told: Vec<RunId> = given_up.collect();
        told.sort_unstable();
        told
    }

    /// Takes out a run that is over, and says how it ended. What was given up is lost, not cancelled: it may be tried again. So is what
    /// nobody asked to end, and its leash has ended while this process was frozen.
    pub fn leave(&mut self, run: RunId, outcome: AttemptOutcome) -> AttemptOutcome {
        let lost = self.runs.remove(&run).is_some_and(|going| going.given_up || !going.told_to_end);
        if lost && outcome == AttemptOutcome::Cancelled { AttemptOutcome::Lost } else { outcome }
    }
}

#[cfg(test)]
mod tests {
    use mainspring_schedule::Timestamp;

    use super::*;
    use crate::id::{JobId, RunSource};
    use crate::job::{JobKey, OnLost, Task};

    fn run(number: u64) -> RunId {
        RunId::new(Timestamp::from_millis(1_767_225_600_000), RunSource::Asked(JobId(1), number))
    }

    #[test]
    fn request_to_end_a_run_is_kept_for_its_start_and_leaves_no_trace() {
        let mut executing = Executing::default();
        assert!(!executing.cancel(run(0)));
        assert!(executing.enter(run(0), None) && executing.early.is_empty(), "it overtook the start");
        assert!(!executing.enter(run(1), None));
        assert!(executing.cancel(run(1)));
        executing.leave(run(0), AttemptOutcome::Cancelled);
        executing.leave(run(1), AttemptOutcome::Cancelled);
        for number in 0..2 * EARLY_MAX as u64 {
            executing.cancel(run(number));
        }
        assert_eq!((executing.runs.len(), executing.early.len()), (0, EARLY_MAX), "runs that are over");
    }

    #[test]
    fn runs_that_others_may_be_given_are_given_up_as_lost() {
        let mut executing = Executing::default();
        let mut retried = Job::new(JobKey::new("default", "job"), Task::Noop);
        let kept = retried.clone();
        let limited = Job { overlap: crate::job::Overlap::Skip, ..retried.clone() };
        retried.on_lost = OnLost::Retry;
        executing.enter(run(0), Some(&retried));
        executing.enter(run(1), Some(&kept));
        executing.enter(run(2), Some(&retried));
        executing.enter(run(3), Some(&limited));
        executing.cancel(run(2));
        assert_eq!(executing.give_up_at(1_000, 999), []);
        assert!(!executing.may_begin(run(2), 999), "it is to end");
        assert!(executing.may_begin(run(0), 999) && executing.may_begin(run(1), 1_000), "in time, or nobody else's");
        executing.enter(run(4), Some(&limited));
        assert!(!executing.may_begin(run(4), 1_000) && !executing.may_begin(run(2), 1_000));
        assert_eq!(executing.leave(run(4), AttemptOutcome::Cancelled), AttemptOutcome::Lost);
        assert_eq!(executing.give_up_at(1_000, 1_000), [run(0), run(3)]);
        assert_eq!(executing.give_up_at(1_000, 1_000), []);
        let cancelled = AttemptOutcome::Cancelled;
        assert_eq!(executing.leave(run(0), cancelled), AttemptOutcome::Lost);
        assert_eq!(executing.leave(run(2), cancelled), cancelled, "somebody asked for that");
        assert_eq!(executing.leave(run(3), cancelled), AttemptOutcome::Lost);
        assert_eq!(executing.leave(run(1), cancelled), AttemptOutcome::Lost, "nobody did: a leash has ended it");
    }
}
