//! Which jobs are known to be short, and what that is worth: where slots are taken up by runs that do not end, some are kept for them.
//!
//! A job is *short* once its last runs were over soon, and *slow* as soon as one of its runs takes long; until either is known it counts as
//! slow. Runs of jobs that are not short wait in a [line of their own](Line::slow), and whoever executes runs, a node or a worker,
//! gives them all of its slots but its [`reserve`]. So however many jobs get stuck at once, and however new they are, short ones go on.
//!
//! [`Judge`] says when that changes, from how long runs take; what is known is kept in the store, and every node reads it.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use crate::batch::Queues;
use crate::id::JobId;
use crate::line::Line;
use crate::run::words;

/// A run that is over by then is a short one.
pub const SHORT_MS: i64 = 1_000;

/// A run that takes as long as this makes its job slow at once, also while it goes on.
pub const SLOW_MS: i64 = 5_000;

/// How many short runs in a row make a job short of which nothing is known, and one that was slow.
const RUNS_NEW: u8 = 3;
const RUNS_SLOW: u8 = 20;

/// Jobs that are counted at a time, on their way to be short.
const COUNTED_MAX: usize = 100_000;

words!(
    /// What is known of a job.
    Lane {
        /// Its last runs were over soon.
        Short = "short",
        /// One of its last runs took long.
        Slow = "slow",
    }
);

/// What is known of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobLane {
    /// The job.
    pub job: JobId,
    /// Its lane.
    pub lane: Lane,
    /// The line in which its runs wait if it is short: that of its namespace in its queue. Of a slow job it says nothing.
    pub line: String,
}

impl JobLane {
    /// Whether slots are kept for its runs. Each worker takes what is routed to it whatever else it executes.
    fn has_slots_kept(&self) -> bool {
        self.lane == Lane::Short && !Line::parse(&self.line).is_routed()
    }
}

/// How many of so many slots are kept for jobs that are known to be short.
#[must_use]
pub const fn reserve(slots: u32) -> u32 {
    slots / 4
}

/// Which queued runs a claim takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Take {
    /// Whichever go first.
    #[default]
    Any,
    /// Those of jobs that are known to be short.
    Short,
}

/// How many queued runs to ask for and which, where so many slots are `free`, and `room` of them may go to jobs that are not known to
/// be short. `short_next`: the last claim asked for fewer than were free and got them all. They may have been short ones, so this one asks
/// for short ones for all slots, and they do not come one by one.
///
/// ```
/// use mainspring_core::lane::{Take, claim_of};
/// assert_eq!((claim_of(9, 6, false), claim_of(9, 0, false)), ((6, Take::Any), (9, Take::Short)));
/// assert_eq!(claim_of(9, 6, true), (9, Take::Short));
/// ```
#[must_use]
pub fn claim_of(free: u32, room: u32, short_next: bool) -> (u32, Take) {
    if room == 0 || short_next { (free, Take::Short) } else { (free.min(room), Take::Any) }
}

/// What is known of jobs.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    jobs: FxHashMap<JobId, JobLane>,
    /// How many short jobs each queue has.
    short: FxHashMap<String, usize>,
}

impl Lanes {
    /// Learns of a job.
    pub fn learn(&mut self, job: JobLane) {
        if job.has_slots_kept() {
            *self.short.entry(Line::parse(&job.line).queue().to_owned()).or_default() += 1;
        }
        let before = self.jobs.insert(job.job, job).filter(JobLane::has_slots_kept);
        if let Some(before) = before
            && let Some(count) = self.short.get_mut(Line::parse(&before.line).queue())
        {
            *count -= 1;
            if *count == 0 {
                self.short.remove(Line::parse(&before.line).queue());
            }
        }
    }

    /// What is known of a job.
    #[must_use]
    pub fn of(&self, job: JobId) -> Option<&JobLane> {
        self.jobs.get(&job)
    }

    /// All that is known.
    pub fn all(&self) -> impl Iterator<Item = &JobLane> {
        self.jobs.values()
    }

    /// How many jobs are known to be short, and slow.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        let short = self.short.values().sum();
        (short, self.jobs.len() - short)
    }

    /// Whether a job is known to be short.
    #[must_use]
    pub fn is_short(&self, job: JobId) -> bool {
        self.of(job).is_some_and(|job| job.lane == Lane::Short)
    }

    /// How many of so many slots runs of jobs may take that are not known to be short, where runs are taken from these queues. All of
    /// them, where no job is short.
    #[must_use]
    pub fn slow_max(&self, queues: &Queues, slots: u32) -> u32 {
        let any = match queues {
            Queues::All => !self.short.is_empty(),
            Queues::Named(queues) => queues.iter().any(|queue| self.short.contains_key(&**queue)),
            Queues::Short(queues) => return self.slow_max(queues, slots),
        };
        if any { slots - reserve(slots) } else { slots }
    }
}

/// Says when jobs become short or slow. What comes of that is known once it is [learned](Lanes::learn).
#[derive(Debug, Default)]
pub struct Judge {
    /// Short runs in a row of jobs that are not known to be short.
    in_a_row: FxHashMap<JobId, u8>,
    changes: BTreeMap<JobId, JobLane>,
}

impl Judge {
    /// A run of a job whose runs wait in `line` if it is short has taken so long.
    pub fn ended(&mut self, known: &Lanes, job: JobId, queue: &str, line: impl FnOnce() -> String, took_ms: i64) {
        if took_ms >= SLOW_MS {
            return self.runs(known, job, took_ms);
        }
        let before = known.of(job);
        if let Some(before) = before.filter(|before| before.lane == Lane::Short) {
            if Line::parse(&before.line).queue() != queue {
                self.note(job, Lane::Short, line());
            }
            return;
        }
        if took_ms >= SHORT_MS {
            self.in_a_row.remove(&job);
            return;
        }
        if self.in_a_row.len() >= COUNTED_MAX {
            self.in_a_row.clear();
        }
        let count = self.in_a_row.entry(job).or_default();
        *count = count.saturating_add(1);
        if *count >= if before.is_some() { RUNS_SLOW } else { RUNS_NEW } {
            self.in_a_row.remove(&job);
            self.note(job, Lane::Short, line());
        }
    }

    /// A run of a job has been running for so long.
    pub fn runs(&mut self, known: &Lanes, job: JobId, for_ms: i64) {
        if for_ms < SLOW_MS {
            return;
        }
        self.in_a_row.remove(&job);
        let before = known.of(job);
        if before.is_none_or(|known| known.lane == Lane::Short) {
            self.note(job, Lane::Slow, before.map_or_else(String::new, |known| known.line.clone()));
        } else {
            self.changes.remove(&job);
        }
    }

    fn note(&mut self, job: JobId, lane: Lane, line: String) {
        self.changes.insert(job, JobLane { job, lane, line });
    }

    /// Takes changes back that could not be kept, unless there are newer ones.
    pub fn put_back(&mut self, changes: Vec<JobLane>) {
        changes.into_iter().for_each(|change| _ = self.changes.entry(change.job).or_insert(change));
    }

    /// Up to so many changes that nobody has taken yet, those of slow jobs first.
    pub fn changes(&mut self, max: usize) -> Vec<JobLane> {
        let slow = self.changes.values().filter(|change| change.lane == Lane::Slow);
        let short = self.changes.values().filter(|change| change.lane == Lane::Short);
        let taken: Vec<JobLane> = slow.chain(short).take(max).cloned().collect();
        taken.iter().for_each(|change| _ = self.changes.remove(&change.job));
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: JobId = JobId(1);

    /// What becomes known of a job whose runs take so long, one after the other.
    fn judged(known: &mut Lanes, judge: &mut Judge, runs: &[i64]) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for took_ms in runs {
            judge.ended(known, JOB, "mail", || "mail#b".to_owned(), *took_ms);
            for change in judge.changes(9) {
                lanes.push(change.lane);
                known.learn(change);
            }
        }
        lanes
    }

    #[test]
    fn job_is_short_after_some_short_runs_and_slow_at_once() {
        for (runs, expected) in [
            (&[0, 999][..], &[][..]),
            (&[0, 999, 1], &[Lane::Short][..]),
            (&[0, 1_000, 1, 1], &[]),
            (&[1, 1, 1, 4_999, 1], &[Lane::Short]),
            (&[1, 1, 1, 5_000, 1], &[Lane::Short, Lane::Slow]),
            (&[5_000, 9_000, 7_000], &[Lane::Slow]),
            (&[1, 1, 5_000, 1, 1, 1], &[Lane::Slow]),
        ] {
            assert_eq!(judged(&mut Lanes::default(), &mut Judge::default(), runs), expected, "{runs:?}");
        }
        let (mut known, mut judge) = (Lanes::default(), Judge::default());
        judged(&mut known, &mut judge, &[9_000]);
        assert_eq!(judged(&mut known, &mut judge, &[1; 19]), [], "who was slow has to show it for longer");
        assert_eq!(judged(&mut known, &mut judge, &[1]), [Lane::Short]);
        assert_eq!(known.of(JOB).map(|job| job.line.as_str()), Some("mail#b"));
    }

    #[test]
    fn run_that_goes_on_makes_its_job_slow_and_slow_ones_come_first() {
        let (mut known, mut judge) = (Lanes::default(), Judge::default());
        judged(&mut known, &mut judge, &[1, 1, 1]);
        (0..3).for_each(|_| judge.ended(&known, JobId(0), "mail", || "mail".into(), 1));
        judge.runs(&known, JOB, 4_999);
        judge.runs(&known, JOB, 5_000);
        judge.runs(&known, JOB, 6_000);
        let first = judge.changes(1);
        assert_eq!((first.len(), first[0].job, first[0].lane), (1, JOB, Lane::Slow));
        assert_eq!(judge.changes(9).len(), 1, "each once");
        known.learn(first[0].clone());
        judge.runs(&known, JOB, 7_000);
        assert_eq!(judge.changes(9), [], "that is known");
    }

    #[test]
    fn job_that_becomes_slow_before_it_was_known_to_be_short_is_not_short() {
        let (known, mut judge) = (Lanes::default(), Judge::default());
        (0..3).for_each(|_| judge.ended(&known, JOB, "mail", || "mail".into(), 1));
        judge.runs(&known, JOB, 5_000);
        let changes = judge.changes(9);
        assert_eq!(changes.iter().map(|change| change.lane).collect::<Vec<_>>(), [Lane::Slow]);
    }

    #[test]
    fn slots_are_kept_where_jobs_are_short_and_nowhere_else() {
        let mut known = Lanes::default();
        let (mail, other) = (Queues::named(["mail"]), Queues::named(["other"]));
        assert_eq!(known.slow_max(&Queues::All, 8), 8);
        judged(&mut known, &mut Judge::default(), &[1, 1, 1]);
        for (queues, slots, expected) in [
            (&Queues::All, 8, 6),
            (&mail, 100, 75),
            (&mail, 3, 3),
            (&mail, 0, 0),
            (&other, 8, 8),
            (&mail.short(), 4, 3),
        ] {
            assert_eq!(known.slow_max(queues, slots), expected, "{queues:?} {slots}");
        }
        assert_eq!(known.count(), (1, 0));
        known.learn(JobLane { job: JOB, lane: Lane::Short, line: "other".into() });
        assert_eq!((known.slow_max(&mail, 8), known.slow_max(&other, 8)), (8, 6), "its job was moved");
        known.learn(JobLane { job: JOB, lane: Lane::Slow, line: "other".into() });
        assert_eq!((known.slow_max(&Queues::All, 8), known.count()), (8, (0, 1)));
    }

    #[test]
    fn job_whose_queue_changes_is_noted_again() {
        let mut known = Lanes::default();
        let mut judge = Judge::default();
        judged(&mut known, &mut judge, &[1, 1, 1, 1]);
        judge.ended(&known, JOB, "new", || "new#b".into(), 1);
        assert_eq!(judge.changes(9), [JobLane { job: JOB, lane: Lane::Short, line: "new#b".into() }]);
    }
}
