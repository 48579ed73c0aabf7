//! Triggers that fire when a run of another job ends.
//!
//! The transaction that ends a run leaves a row for each trigger that waits for such an end; whoever owns the trigger's shard makes the
//! run from it. This module says which ends count, and finds jobs that would start each other for ever.

use std::collections::{BTreeMap, BTreeSet};

pub use mainspring_model::AfterOn;

use crate::job::{Job, ScheduleDefinition};
use crate::workflow::{Graph, GraphError};

/// Returns the jobs that a job waits for, with the index of the trigger that does and which ends count for it.
pub fn upstreams(job: &Job) -> impl Iterator<Item = (usize, &str, AfterOn)> {
    job.triggers.iter().enumerate().flat_map(|(index, trigger)| {
        let (jobs, on): (&[String], _) = match &trigger.schedule {
            ScheduleDefinition::After { jobs, on } => (jobs, *on),
            _ => (&[], AfterOn::Any),
        };
        jobs.iter().map(move |name| (index, name.as_str(), on))
    })
}

/// Returns the shortest circles among jobs of one namespace, a few at most; each job is followed by one that comes after it, and the
/// last by the first. `edges` go from a job to one that comes after it.
///
/// # Errors
/// More jobs or edges than [`Graph`] takes.
///
/// ```
/// use mainspring_core::after::circles;
/// assert_eq!(circles(&[("a", "b"), ("b", "c")])?, Vec::<Vec<&str>>::new());
/// assert_eq!(circles(&[("a", "b"), ("b", "c"), ("c", "a")])?, [["a", "b", "c"]]);
/// # Ok::<(), mainspring_core::workflow::GraphError>(())
/// ```
pub fn circles<'a>(edges: &[(&'a str, &'a str)]) -> Result<Vec<Vec<&'a str>>, GraphError> {
    let names: BTreeSet<&str> = edges.iter().flat_map(|(from, to)| [*from, *to]).collect();
    let numbers: BTreeMap<&str, u32> = names.iter().copied().zip(0..).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let edges: Vec<(u32, u32)> = edges.iter().map(|(from, to)| (numbers[from], numbers[to])).collect();
    match Graph::new(names.len(), &edges) {
        Ok(_) => Ok(Vec::new()),
        Err(GraphError::Cycles(cycles)) => {
            Ok(cycles.into_iter().map(|cycle| cycle.into_iter().map(|job| names[job as usize]).collect()).collect())
        }
        Err(error) => Err(error),
    }
}

/// Returns a circle as people read it: `a → b → a`.
#[must_use]
pub fn circle_text(circle: &[&str]) -> String {
    circle.iter().chain(circle.first()).copied().collect::<Vec<_>>().join(" → ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunState;

    #[test]
    fn ends_count_by_their_state() {
        for (on, counted) in [
            (AfterOn::Succeeded, &[RunState::Succeeded][..]),
            (AfterOn::Failed, &[RunState::Failed]),
            (AfterOn::Cancelled, &[RunState::Cancelled]),
            (AfterOn::Skipped, &[RunState::Skipped]),
            (AfterOn::Any, &[RunState::Succeeded, RunState::Failed, RunState::Cancelled, RunState::Skipped]),
        ] {
            let found: Vec<RunState> = RunState::ALL.iter().copied().filter(|state| on.counts(*state)).collect();
            assert_eq!(found, counted, "{on}");
        }
    }

    #[test]
    fn job_that_comes_after_itself_is_a_circle() {
        assert_eq!(circles(&[("a", "a"), ("a", "b")]).unwrap(), [["a"]]);
        assert_eq!(circle_text(&["a"]), "a → a");
        assert_eq!(circle_text(&["load", "check"]), "load → check → load");
    }
}
