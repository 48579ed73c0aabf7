//! Which task needs which.

use thiserror::Error;

use super::at;
use super::cycles::shortest_cycles;

/// A directed graph without cycles, in compressed rows: each task's children lie side by side, and so do its parents.
///
/// ```
/// use mainspring_core::workflow::{Graph, GraphError};
/// let diamond = Graph::new(4, &[(0, 1), (0, 2), (1, 3), (2, 3)])?;
/// assert_eq!(diamond.parents(3), [1, 2]);
/// assert_eq!(diamond.order(), [0, 1, 2, 3]);
///
/// // Of each part that goes round in circles, the shortest circle is named.
/// let round = Graph::new(4, &[(0, 1), (1, 2), (2, 1), (2, 3)]);
/// assert_eq!(round, Err(GraphError::Cycles(vec![vec![1, 2]])));
/// # Ok::<(), GraphError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    children: Rows,
    parents: Rows,
    order: Vec<u32>,
}

/// Why tasks and edges make no graph that can be run.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GraphError {
    /// More tasks than [`Graph::TASKS_MAX`].
    #[error("{0} tasks are more than the {max} that a workflow may have", max = Graph::TASKS_MAX)]
    TooManyTasks(usize),
    /// More edges than [`Graph::EDGES_MAX`].
    #[error("{0} edges are more than the {max} that a workflow may have", max = Graph::EDGES_MAX)]
    TooManyEdges(usize),
    /// An edge from or to a number that is no task.
    #[error("the edge from {0} to {1} names a task that does not exist")]
    NoSuchTask(u32, u32),
    /// Tasks that wait for each other. At most [`Graph::CYCLES_MAX`] cycles; each is the list of its tasks from the smallest
    /// on, so that every task is followed by one that needs it, and the last by the first.
    #[error("tasks wait for each other in {} cycle(s)", .0.len())]
    Cycles(Vec<Vec<u32>>),
}

impl Graph {
    /// The most tasks of a workflow.
    pub const TASKS_MAX: usize = 100_000;
    /// The most edges of a workflow.
    pub const EDGES_MAX: usize = 1_000_000;
    /// The most cycles that are named.
    pub const CYCLES_MAX: usize = 5;

    /// Builds the graph of `tasks` tasks whose edges go from the task that is needed to the task that needs it. An edge
    /// that is given twice counts once.
    ///
    /// # Errors
    /// Beyond the bounds, for an edge of a task that does not exist, and for cycles.
    pub fn new(tasks: usize, edges: &[(u32, u32)]) -> Result<Self, GraphError> {
        if tasks > Self::TASKS_MAX {
            return Err(GraphError::TooManyTasks(tasks));
        }
        if edges.len() > Self::EDGES_MAX {
            return Err(GraphError::TooManyEdges(edges.len()));
        }
        if let Some(&(from, to)) = edges.iter().find(|(from, to)| at(*from).max(at(*to)) >= tasks) {
            return Err(GraphError::NoSuchTask(from, to));
        }
        let mut by_parent = sorted(tasks, &sorted(tasks, edges, |edge| edge.1), |edge| edge.0);
        by_parent.dedup();
        let by_child = sorted(tasks, &by_parent, |edge| edge.1);
        let children = Rows::new(tasks, &by_parent, |edge| edge.0, |edge| edge.1);
        let parents = Rows::new(tasks, &by_child, |edge| edge.1, |edge| edge.0);
        let order = topological(&children, &parents);
        if order.len() < tasks {
            return Err(GraphError::Cycles(shortest_cycles(&children, &order)));
        }
        Ok(Self { children, parents, order })
    }

    /// How many tasks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// How many different edges there are.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.children.items.len()
    }

    /// The tasks that need `task`, ascending.
    #[must_use]
    pub fn children(&self, task: u32) -> &[u32] {
        self.children.of(task)
    }

    /// The tasks that `task` needs, ascending.
    #[must_use]
    pub fn parents(&self, task: u32) -> &[u32] {
        self.parents.of(task)
    }

    /// All tasks, each after those that it needs.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// All tasks, by number.
    pub fn tasks(&self) -> impl Iterator<Item = u32> + use<> {
        0..u32::try_from(self.len()).expect("bounded by TASKS_MAX")
    }
}

/// Lists of tasks, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rows {
    /// Where the list of each task begins; one more for the end of the last.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// Takes edges that are sorted by `row`.
    fn new(tasks: usize, edges: &[(u32, u32)], row: fn(&(u32, u32)) -> u32, item: fn(&(u32, u32)) -> u32) -> Self {
        Self { starts: starts(tasks, edges, row), items: edges.iter().map(item).collect() }
    }

    pub(super) fn of(&self, task: u32) -> &[u32] {
        &self.items[at(self.starts[at(task)])..at(self.starts[at(task) + 1])]
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Where the edges of each key begin once they are sorted by it.
fn starts(tasks: usize, edges: &[(u32, u32)], key: fn(&(u32, u32)) -> u32) -> Vec<u32> {
    let mut starts = vec![0; tasks + 1];
    for edge in edges {
        starts[at(key(edge)) + 1] += 1;
    }
    for task in 0..tasks {
        starts[task + 1] += starts[task];
    }
    starts
}

/// Sorts by a key without changing the order of equals, in linear time.
fn sorted(tasks: usize, edges: &[(u32, u32)], key: fn(&(u32, u32)) -> u32) -> Vec<(u32, u32)> {
    let mut places = starts(tasks, edges, key);
    let mut sorted = vec![(0, 0); edges.len()];
    for edge in edges {
        let place = &mut places[at(key(edge))];
        sorted[at(*place)] = *edge;
        *place += 1;
    }
    sorted
}

/// Kahn's order. Tasks of cycles and those behind them are not in it.
fn topological(children: &Rows, parents: &Rows) -> Vec<u32> {
    let tasks = u32::try_from(children.len()).expect("bounded by TASKS_MAX");
    let mut missing: Vec<usize> = (0..tasks).map(|task| parents.of(task).len()).collect();
    let mut order: Vec<u32> = (0..tasks).filter(|task| missing[at(*task)] == 0).collect();
    let mut next = 0;
    while let Some(&task) = order.get(next) {
        next += 1;
        for &child in children.of(task) {
            missing[at(child)] -= 1;
            if missing[at(child)] == 0 {
                order.push(child);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_that_is_given_twice_counts_once() {
        let graph = Graph::new(3, &[(1, 2), (0, 2), (1, 2), (0, 2), (0, 1)]).unwrap();
        assert_eq!((graph.edge_count(), graph.parents(2), graph.children(0)), (3, &[0, 1][..], &[1, 2][..]));
        assert_eq!(graph.order(), [0, 1, 2]);
    }

    #[test]
    fn bounds_and_unknown_tasks_are_refused() {
        let cases = [
            (Graph::new(100_001, &[]), GraphError::TooManyTasks(100_001)),
            (Graph::new(2, &vec![(0, 1); 1_000_001]), GraphError::TooManyEdges(1_000_001)),
            (Graph::new(2, &[(0, 1), (1, 2)]), GraphError::NoSuchTask(1, 2)),
        ];
        for (graph, expected) in cases {
            assert_eq!(graph, Err(expected));
        }
        assert_eq!(Graph::new(0, &[]).map(|graph| graph.len()), Ok(0));
    }

    #[test]
    fn the_largest_graph_is_ordered_without_recursion() {
        let chain: Vec<(u32, u32)> = (0..99_999).map(|task| (task, task + 1)).collect();
        let graph = Graph::new(100_000, &chain).unwrap();
        assert!(graph.order().iter().copied().eq(0..100_000));
    }
}
