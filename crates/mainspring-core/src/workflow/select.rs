//! What lies below and above tasks.

use super::{Graph, at};

/// Returns `tasks` and all that need them, directly or not, by number.
///
/// ```
/// use mainspring_core::workflow::{Graph, downstream};
/// let graph = Graph::new(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)])?;
/// assert_eq!(downstream(&graph, &[1]), [1, 3, 4]);
/// # Ok::<(), mainspring_core::workflow::GraphError>(())
/// ```
#[must_use]
pub fn downstream(graph: &Graph, tasks: &[u32]) -> Vec<u32> {
    reached(graph, tasks, |task| graph.children(task), |_| true)
}

/// Returns `tasks` and all that they need, directly or not, by number.
#[must_use]
pub fn upstream(graph: &Graph, tasks: &[u32]) -> Vec<u32> {
    reached(graph, tasks, |task| graph.parents(task), |_| true)
}

/// Returns `tasks` and what is reached from them by way of tasks for which `follow` holds, each once, by number.
pub(super) fn reached<'a>(
    graph: &Graph,
    tasks: &[u32],
    next: impl Fn(u32) -> &'a [u32],
    follow: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let mut seen = vec![false; graph.len()];
    tasks.iter().for_each(|task| seen[at(*task)] = true);
    let mut open = tasks.to_vec();
    while let Some(task) = open.pop() {
        for &other in next(task) {
            if !seen[at(other)] && follow(other) {
                seen[at(other)] = true;
                open.push(other);
            }
        }
    }
    graph.tasks().filter(|task| seen[at(*task)]).collect()
}
