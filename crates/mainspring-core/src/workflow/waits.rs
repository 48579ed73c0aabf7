//! Jobs that wait for each other: by what tasks need of other workflows, by what they start, and by triggers that come after jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{Graph, GraphError};
use crate::after::upstreams;
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
    /// A task needs it: the task of this workflow that needs it first, what it needs, and how many milliseconds the date of that lies
    /// after its own.
    Needs(String, String, i64),
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
        let needs = self.needs_elsewhere().map(|(number, need)| {
            let task = first.get(&number).copied().unwrap_or_default().to_owned();
            Waits { to: need.workflow.clone(), by: WaitsBy::Needs(task, need.text(), need.later_ms()) }
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
/// their runs for a date would end. `all` says what each waits for. Dates that lead back to an earlier one make no circle.
///
/// Jobs that only start each other, or only follow each other, are for [`call_circle`](super::call_circle) and [`circles`](crate::after::circles).
///
/// # Errors
/// More jobs than a graph takes.
///
/// ```
/// use mainspring_core::workflow::{Waits, WaitsBy, wait_circle};
/// let needs = |to: &str| vec![Waits { to: to.to_owned(), by: WaitsBy::Needs("report".to_owned(), format!("task load of {to}"), 0) }];
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
    let (nodes, edges) = graph(all)?;
    let circle = standing(nodes, &edges).unwrap_or_default();
    let found: Vec<(String, Waits)> =
        circle.iter().map(|edge| (edges[*edge].job.to_owned(), edges[*edge].waits.clone())).collect();
    Ok(found.iter().any(|(_, waits)| waits.by.is_need()).then_some(WaitCircle(found)))
}

/// A run of a job waits for one of another: numbers of nodes, and how much later the date of that is.
struct Edge<'a> {
    from: usize,
    to: usize,
    later_ms: i64,
    job: &'a str,
    waits: &'a Waits,
}

/// Each job has two nodes: any run of it, and one that a task has started. That one is there, whatever its triggers come after.
fn graph(all: &BTreeMap<String, Vec<Waits>>) -> Result<(usize, Vec<Edge<'_>>), GraphError> {
    let names = all.iter().flat_map(|(from, waits)| [from].into_iter().chain(waits.iter().map(|it| &it.to)));
    let names: BTreeSet<&str> = names.map(String::as_str).collect();
    let numbers: BTreeMap<&str, usize> = names.into_iter().zip(0..).collect();
    let mut edges = Vec::new();
    for (job, waits) in all.iter().flat_map(|(job, all)| all.iter().map(move |waits| (job.as_str(), waits))) {
        let (from, to) = (2 * numbers[job], 2 * numbers[waits.to.as_str()]);
        let (to, later_ms) = match waits.by {
            WaitsBy::Needs(_, _, later_ms) => (to, later_ms),
            WaitsBy::Calls(_) => (to + 1, 0),
            WaitsBy::Follows => (to, 0),
        };
        edges.push(Edge { from, to, later_ms, job, waits });
        if waits.by != WaitsBy::Follows {
            edges.push(Edge { from: from + 1, to, later_ms, job, waits });
        }
    }
    match (numbers.len(), edges.len() / 2) {
        (jobs, _) if jobs > Graph::TASKS_MAX => Err(GraphError::TooManyTasks(jobs)),
        (_, count) if count > Graph::EDGES_MAX => Err(GraphError::TooManyEdges(count)),
        (jobs, _) => Ok((2 * jobs, edges)),
    }
}

/// Returns the edges of a circle that does not lead back to an earlier date, in their order: the search for longest ways, which end
/// nowhere in such a circle.
fn standing(nodes: usize, edges: &[Edge<'_>]) -> Option<Vec<usize>> {
    let open = in_circles(nodes, edges);
    // One more for each edge: a circle of the same date is a way that grows, too.
    let scale = i128::try_from(nodes).unwrap_or(i128::MAX / 2) + 1;
    let (mut longest, mut by) = (vec![0_i128; nodes], vec![None::<usize>; nodes]);
    loop {
        let mut grows = false;
        for (number, edge) in open.iter().map(|number| (*number, &edges[*number])) {
            let length = longest[edge.from] + i128::from(edge.later_ms) * scale + 1;
            if length > longest[edge.to] {
                (longest[edge.to], by[edge.to], grows) = (length, Some(number), true);
            }
        }
        if !grows {
            return None;
        }
        if let Some(circle) = circle_of(&by, edges) {
            return Some(circle);
        }
    }
}

/// Returns the edges of a circle among those by which nodes were reached.
fn circle_of(by: &[Option<usize>], edges: &[Edge<'_>]) -> Option<Vec<usize>> {
    // From which node on each was visited.
    let mut visited = vec![usize::MAX; by.len()];
    for start in 0..by.len() {
        let mut at = start;
        while visited[at] == usize::MAX {
            visited[at] = start;
            let Some(edge) = by[at] else { break };
            at = edges[edge].from;
        }
        if visited[at] != start || by[at].is_none() {
            continue;
        }
        let mut circle = Vec::new();
        let mut on = at;
        while let Some(edge) = by[on] {
            circle.push(edge);
            on = edges[edge].from;
            if on == at {
                circle.reverse();
                let first = (0..circle.len()).min_by_key(|place| edges[circle[*place]].job).unwrap_or(0);
                circle.rotate_left(first);
                return Some(circle);
            }
        }
    }
    None
}

/// Returns the edges that may be in a circle: those left once nodes without an edge to them, and then those without one from them, are
/// taken away again and again.
fn in_circles(nodes: usize, edges: &[Edge<'_>]) -> Vec<usize> {
    let mut open: Vec<usize> = (0..edges.len()).collect();
    for is_back in [false, true] {
        let ends = |edge: usize| match is_back {
            false => (edges[edge].from, edges[edge].to),
            true => (edges[edge].to, edges[edge].from),
        };
        let (mut leaving, mut coming) = (vec![Vec::new(); nodes], vec![0_usize; nodes]);
        for &edge in &open {
            let (from, to) = ends(edge);
            leaving[from].push(to);
            coming[to] += 1;
        }
        let mut bare: Vec<usize> = (0..nodes).filter(|node| coming[*node] == 0).collect();
        let mut is_gone = vec![false; nodes];
        while let Some(node) = bare.pop() {
            is_gone[node] = true;
            for &to in &leaving[node] {
                coming[to] -= 1;
                if coming[to] == 0 {
                    bare.push(to);
                }
            }
        }
        open.retain(|edge| !is_gone[ends(*edge).0]);
    }
    open
}

impl fmt::Display for WaitCircle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let jobs = self.0.iter().map(|(job, _)| job.as_str()).chain(self.0.first().map(|(job, _)| job.as_str()));
        write!(f, "{} (", jobs.collect::<Vec<_>>().join(" → "))?;
        for (place, (from, Waits { to, by })) in self.0.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { "; " })?;
            match by {
                WaitsBy::Needs(task, what, _) => write!(f, "task {task} of {from} needs {what}")?,
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
        let later = |ms| WaitsBy::Needs("t".to_owned(), "it".to_owned(), ms);
        let needs = || later(0);
        let calls = || WaitsBy::Calls("t".to_owned());
        for (edges, is_circle) in [
            (vec![("a", "b", needs()), ("b", "a", needs())], true),
            (vec![("a", "b", needs()), ("b", "a", WaitsBy::Follows)], true),
            (vec![("a", "a", needs())], true),
            // The run of b is that which a task of a has started, and its own end starts another one.
            (vec![("a", "b", calls()), ("b", "a", WaitsBy::Follows)], false),
            (vec![("a", "b", calls()), ("b", "a", calls())], false),
            (vec![("a", "b", needs()), ("b", "c", WaitsBy::Follows)], false),
            // The run of d is that which a task of c has started, and that of b is there once that of c is over.
            (
                vec![
                    ("a", "b", needs()),
                    ("b", "c", WaitsBy::Follows),
                    ("c", "d", calls()),
                    ("d", "a", needs()),
                    ("d", "x", WaitsBy::Follows),
                ],
                true,
            ),
            (vec![("a", "b", calls()), ("b", "c", WaitsBy::Follows), ("c", "a", needs())], false),
            // Dates that lead back to the same one, to an earlier one, and to a later one.
            (vec![("a", "b", later(60)), ("b", "a", later(-60))], true),
            (vec![("a", "b", later(60)), ("b", "a", later(-61))], false),
            (vec![("a", "b", later(60)), ("b", "a", needs())], true),
            (vec![("a", "a", later(-1)), ("a", "b", later(60)), ("b", "b", later(-1))], false),
            (vec![("a", "a", later(-1)), ("b", "a", needs()), ("b", "b", later(-1)), ("a", "b", needs())], true),
        ] {
            assert_eq!(wait_circle(&all(&edges)).unwrap().is_some(), is_circle, "{edges:?}");
        }
    }
}
