//! Accounts for every instant: from what was promised, what the store says, and what the work said.
//!
//! The letters are those of the reliability plan: I1 nothing lost, I2 no duplicate and no phantom, I3 what is missed may be,
//! I4 never early, I7 attempts follow each other, I8 the witness agrees, I9 no overlap, I11 nothing is stuck.

mod records;
mod runs;
#[cfg(test)]
mod tests;

use std::fmt;

use mainspring_core::Timestamp;

use crate::history::History;

/// The bounds that the faults of a test allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The time that work may begin early: the difference between clocks.
    pub early_ms: i64,
    /// The time after its due time that a run may be unfinished.
    pub patience_ms: i64,
    /// The time that two runs of a job that runs alone may overlap: as long as a stopped node's work outlives its
    /// lease.
    pub overlap_ms: i64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { early_ms: 2, patience_ms: 60_000, overlap_ms: 0 }
    }
}

/// The kind of a problem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// I1: an instant without a record.
    Lost,
    /// I2: an instant with more than one.
    Duplicate,
    /// I2: a record of something that is no instant, or of one while the trigger promised none.
    Phantom,
    /// I3: an instant that may not be missed, or not be suppressed.
    Unlawful,
    /// I4: work that began before it was due.
    Early,
    /// I7: attempts that do not follow each other.
    Attempts,
    /// I8: work that nobody claimed.
    StartWithoutRecord,
    /// I8: work that began twice in one attempt.
    StartedTwice,
    /// I8: an attempt that has succeeded without its work having been done.
    VerdictWithoutWork,
    /// I8: work that was done, of an attempt without a verdict.
    WorkWithoutVerdict,
    /// I9: two runs at once of a job that runs alone.
    Overlap,
    /// I11: a run that does not come to an end.
    Unfinished,
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The kind of the problem.
    pub kind: Kind,
    /// The trigger, or the job, by name.
    pub place: String,
    /// The instant concerned.
    pub at: Timestamp,
    /// The description of the problem.
    pub detail: String,
}

/// The result of an accounting.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Instants that had to have a record.
    pub instants: u64,
    /// The number of instants that fired.
    pub fired: u64,
    /// The number of instants that were missed.
    pub missed: u64,
    /// The number of instants that were suppressed.
    pub suppressed: u64,
    /// Starts of work that were witnessed.
    pub starts: u64,
    /// Attempts that were lost.
    pub lost_attempts: u64,
    /// The lateness of the latest recorded fire.
    pub latest_ms: i64,
    /// The problems found.
    pub problems: Vec<Problem>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {} at {}: {}", self.kind, self.place, self.at, self.detail)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instants, fired, missed, suppressed, starts, lost_attempts, latest_ms, problems } = self;
        write!(
            f,
            "{instants} instants: {fired} fired, {missed} missed, {suppressed} suppressed; {starts} starts witnessed, "
        )?;
        write!(f, "{lost_attempts} attempts lost; the latest {latest_ms} ms late; {} problems", problems.len())?;
        problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// Judges a history.
#[must_use]
pub fn check(history: &History, bounds: Bounds) -> Report {
    let mut judge = Judge { bounds, report: Report::default() };
    judge.records(history);
    judge.runs(history);
    judge.witness(history);
    judge.report.problems.sort_by(|a, b| (a.kind, &a.place, a.at).cmp(&(b.kind, &b.place, b.at)));
    judge.report
}

struct Judge {
    bounds: Bounds,
    report: Report,
}

impl Judge {
    fn wrong(&mut self, kind: Kind, place: &str, at: Timestamp, detail: impl Into<String>) {
        self.report.problems.push(Problem { kind, place: place.to_owned(), at, detail: detail.into() });
    }
}
