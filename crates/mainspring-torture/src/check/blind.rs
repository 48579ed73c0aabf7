//! The blind pass, after the checker that found Chronos out: it trusts no fire time that anybody claims. The starts that were
//! witnessed of a job are matched with the windows of its instants, each with one of its own.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::run::AttemptOutcome;
use mainspring_rig::{Mark, Moment, Run};

use super::Finding;

/// The matches of all jobs together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Blind {
    pub(crate) targets: u64,
    pub(crate) matched: u64,
    pub(crate) starts: u64,
}

/// The store's statements about a job that explain why starts and instants do not pair up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Declared {
    /// Attempts beyond the first of their run, and instants that are not judged.
    more: usize,
    /// Runs that were lost before their work began and are not tried again.
    fewer: usize,
}

impl Declared {
    pub(crate) fn of(runs: &[&Run], marks: &[Mark], tried_again: bool, not_judged: usize) -> Self {
        let begun: BTreeSet<_> =
            marks.iter().filter(|mark| mark.moment == Moment::Start).map(|mark| mark.run).collect();
        let lost = |run: &&&Run| {
            run.attempts.iter().all(|attempt| attempt.outcome == Some(AttemptOutcome::Lost)) && !begun.contains(&run.id)
        };
        let fewer = if tried_again { 0 } else { runs.iter().filter(lost).count() };
        // What comes at the ends of the test may start, and is not asked for.
        let again: usize = runs.iter().map(|run| run.attempts.len().saturating_sub(1)).sum();
        Self { more: not_judged + again, fewer }
    }
}

/// Returns how many windows can have a start of their own. Windows are ordered by their beginnings.
pub(crate) fn matched(windows: &[(i64, i64)], starts: &[i64]) -> usize {
    let mut starts = starts.to_vec();
    starts.sort_unstable();
    let (mut windows, mut count) = (windows.iter().peekable(), 0);
    // The open windows by their ends: a start is best given to the one that ends first.
    let mut open: BTreeMap<i64, usize> = BTreeMap::new();
    for start in starts {
        while let Some((_, to)) = windows.next_if(|(from, _)| *from <= start) {
            *open.entry(*to).or_default() += 1;
        }
        open = open.split_off(&start);
        if let Some(mut first) = open.first_entry() {
            count += 1;
            *first.get_mut() -= 1;
            if *first.get() == 0 {
                first.remove();
            }
        }
    }
    count
}

/// Returns what is wrong with the pairing of a job's starts and instants.
pub(crate) fn judge(job: &str, matched: usize, targets: usize, starts: usize, declared: Declared) -> Vec<Finding> {
    let mut findings = Vec::new();
    let unmatched = targets - matched;
    if unmatched > declared.fewer {
        let what = format!(
            "{job}: {unmatched} of {targets} instants have no start of their own, and {} runs are declared lost",
            declared.fewer
        );
        findings.push(Finding { invariant: "blind", what });
    }
    let spare = starts - matched;
    if spare > declared.more {
        let what =
            format!("{job}: {spare} of {starts} starts belong to no instant, and {} are explained", declared.more);
        findings.push(Finding { invariant: "blind", what });
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_window_gets_a_start_of_its_own() {
        let windows = [(0, 10), (5, 30), (20, 25)];
        let cases: [(&[i64], usize); 7] = [
            (&[1, 6, 21], 3),
            (&[6, 7, 21], 3),
            (&[21, 22, 23], 2),
            (&[11, 31], 1),
            (&[], 0),
            // The one that ends first is served first, although it began later.
            (&[9, 22, 26], 3),
            (&[9, 26, 22], 3),
        ];
        for (starts, expected) in cases {
            assert_eq!(matched(&windows, starts), expected, "{starts:?}");
        }
    }

    #[test]
    fn what_is_not_declared_is_found() {
        let none = Declared::default();
        assert_eq!(judge("a", 3, 3, 3, none), []);
        assert_eq!(judge("a", 2, 3, 2, none).len(), 1, "an instant without a start");
        assert_eq!(judge("a", 2, 3, 2, Declared { fewer: 1, ..none }), []);
        assert_eq!(judge("a", 3, 3, 4, none).len(), 1, "a start too many");
        assert_eq!(judge("a", 3, 3, 4, Declared { more: 1, ..none }), []);
        assert_eq!(judge("a", 2, 3, 4, none).len(), 2);
    }
}
