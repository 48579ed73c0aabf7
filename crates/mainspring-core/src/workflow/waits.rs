//! Jobs that wait for each other: by what tasks need of other workflows, by what they start, and by triggers that come after jobs.

use std::collections::BTreeMap;
use std::fmt;

use super::GraphError;
use crate::after::{circles, upstreams};
use crate::job::Job;

/// A job waits for another one of its namespace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waits {
    /// For which.
    pub to: String,
    /// What makes it wait.
    pub by: WaitsBy,
}

/// What makes a job wait for another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaitsBy {
    /// A task needs it, of a run that is not of an earlier date: the task of this workflow that needs it first, and what it needs.
    Needs(String, String),
    /// A task starts it.
    Calls(String),
    /// A trigger comes after it.
    Follows,
}

impl WaitsBy {
    /// Whether a task needs something.
    #[must_use]
    pub const fn is_need(&self) -> bool {
        matches!(self, Self::Needs(..))
    }
}

/// One after the other, jobs of a circle: each waits for the next, and the last for the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitCircle(pub Vec<(String, Waits)>);

impl Job {
    /// Returns the jobs that it waits for.
    #[must_use]
    pub fn waits(&self) -> Vec<Waits> {
        let tasks = self.workflow().map(|workflow| workflow.tasks.as_slice()).unwrap_or_default();
        let first = self.first_needs_elsewhere();
        let needs = self.needs_elsewhere().filter(|(_, need)| need.may_close_a_circle()).map(|(number, need)| {
            let task = first.get(&number).copied().unwrap_or_default().to_owned();
            Waits { to: need.workflow.clone(), by: WaitsBy::Needs(task, need.text()) }
        });
        let calls = self.calls().map(|(task, to)| {
            let task = tasks[task as usize].name.clone();
            Waits { to: to.to_owned(), by: WaitsBy::Calls(task) }
        });
        let follows = upstreams(self).map(|(_, to, _)| Waits { to: to.to_owned(), by: WaitsBy::Follows });
        needs.chain(calls).chain(follows).collect()
    }
}

/// Returns a circle in which jobs of one namespace wait for each other, and in which a task needs something of another workflow: none of
/// their runs for a date would end. `all` says what each waits for.
///
/// Jobs that only start each other, or only follow each other, are for [`call_circle`](super::call_circle) and [`circles`].
///
/// # Errors
/// More jobs than a graph takes.
///
/// ```
/// use mainspring_core::workflow::{Waits, WaitsBy, wait_circle};
/// let needs = |to: &str| vec![Waits { to: to.to_owned(), by: WaitsBy::Needs("report".to_owned(), format!("task load of {to}")) }];
/// let calls = |to: &str| vec![Waits { to: to.to_owned(), by: WaitsBy::Calls("start".to_owned()) }];
/// let all = [("a".to_owned(), needs("b")), ("b".to_owned(), calls("a"))].into();
/// let circle = wait_circle(&all)?.unwrap();
/// assert_eq!(circle.to_string(), "a → b → a (task report of a needs task load of b; task start of b starts a)");
/// let all = [("a".to_owned(), needs("b")), ("b".to_owned(), Vec::new())].into();
/// assert_eq!(wait_circle(&all)?, None);
/// # Ok::<(), mainspring_core::workflow::GraphError>(())
/// ```
pub fn wait_circle(all: &BTreeMap<String, Vec<Waits>>) -> Result<Option<WaitCircle>, GraphError> {
    if !all.values().flatten().any(|waits| waits.by.is_need()) {
        return Ok(None);
    }
    // A run that a task has started is there, whatever its triggers come after.
    for with_calls in [true, false] {
        let counts = |waits: &&Waits| match waits.by {
            WaitsBy::Needs(..) => true,
            WaitsBy::Calls(_) => with_calls,
            WaitsBy::Follows => !with_calls,
        };
        let of = |from: &str| all.get(from).into_iter().flatten().filter(counts);
        let edges = all.keys().flat_map(|from| of(from).map(move |waits| (from.as_str(), waits.to.as_str())));
        let edges: Vec<(&str, &str)> = edges.collect();
        for circle in circles(&edges)? {
            let next = circle.iter().cycle().skip(1);
            let edge = |(from, to): (&&str, &&str)| {
                let mut between: Vec<&Waits> = of(from).filter(|waits| waits.to == **to).collect();
                between.sort_by_key(|waits| !waits.by.is_need());
                between.first().map(|waits| ((*from).to_owned(), (*waits).clone()))
            };
            let found: Vec<(String, Waits)> = circle.iter().zip(next).filter_map(edge).collect();
            if found.iter().any(|(_, waits)| waits.by.is_need()) {
                return Ok(Some(WaitCircle(found)));
            }
        }
    }
    Ok(None)
}

impl fmt::Display for WaitCircle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let jobs = self.0.iter().map(|(job, _)| job.as_str()).chain(self.0.first().map(|(job, _)| job.as_str()));
        write!(f, "{} (", jobs.collect::<Vec<_>>().join(" → "))?;
        for (place, (from, Waits { to, by })) in self.0.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { "; " })?;
            match by {
                WaitsBy::Needs(task, what) => write!(f, "task {task} of {from} needs {what}")?,
                WaitsBy::Calls(task) => write!(f, "task {task} of {from} starts {to}")?,
                WaitsBy::Follows => write!(f, "{from} comes after {to}")?,
            }
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(edges: &[(&str, &str, WaitsBy)]) -> BTreeMap<String, Vec<Waits>> {
        let mut all: BTreeMap<String, Vec<Waits>> = BTreeMap::new();
        for (from, to, by) in edges {
            all.entry((*from).to_owned()).or_default().push(Waits { to: (*to).to_owned(), by: by.clone() });
        }
        all
    }

    #[test]
    fn circles_need_a_need() {
        let needs = || WaitsBy::Needs("t".to_owned(), "it".to_owned());
        let calls = || WaitsBy::Calls("t".to_owned());
        for (edges, is_circle) in [
            (vec![("a", "b", needs()), ("b", "a", needs())], true),
            (vec![("a", "b", needs()), ("b", "a", WaitsBy::Follows)], true),
            (vec![("a", "a", needs())], true),
            // The run of b is that which a task of a has started, and its own end starts another one.
            (vec![("a", "b", calls()), ("b", "a", WaitsBy::Follows)], false),
            (vec![("a", "b", calls()), ("b", "a", calls())], false),
            (vec![("a", "b", needs()), ("b", "c", WaitsBy::Follows)], false),
        ] {
            assert_eq!(wait_circle(&all(&edges)).unwrap().is_some(), is_circle, "{edges:?}");
        }
    }
}
