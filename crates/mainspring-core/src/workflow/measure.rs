//! What `check` says about a graph.

use super::{Graph, at};

/// How many steps a search for redundant edges takes at most.
const STEPS_MAX: usize = 20_000_000;

/// Returns the wave of each task, from 1: one more than the latest wave of the tasks that it needs. Tasks of one wave can run at
/// the same time.
#[must_use]
pub fn waves(graph: &Graph) -> Vec<u32> {
    let mut waves = vec![1; graph.len()];
    for &task in graph.order() {
        waves[at(task)] = 1 + graph.parents(task).iter().map(|parent| waves[at(*parent)]).max().unwrap_or(0);
    }
    waves
}

/// Returns a longest path, from a task that needs nothing on. Of equally long ones, it ends at the last task and comes from the
/// first.
///
/// ```
/// use mainspring_core::workflow::{Graph, measure};
/// let graph = Graph::new(5, &[(0, 1), (1, 2), (2, 4), (0, 4), (3, 4)])?;
/// assert_eq!(measure::longest_path(&graph), [0, 1, 2, 4]);
/// assert_eq!(measure::waves(&graph), [1, 2, 3, 1, 4]);
/// assert_eq!(measure::redundant_edges(&graph), [(0, 4, 2)]); // implied by 2, which needs 0
/// # Ok::<(), mainspring_core::workflow::GraphError>(())
/// ```
#[must_use]
pub fn longest_path(graph: &Graph) -> Vec<u32> {
    let waves = waves(graph);
    let Some(last) = graph.tasks().max_by_key(|task| waves[at(*task)]) else { return Vec::new() };
    let before = |task: &u32| {
        let earlier = |parent: &&u32| waves[at(**parent)] + 1 == waves[at(*task)];
        graph.parents(*task).iter().find(earlier).copied()
    };
    let mut path: Vec<u32> = std::iter::successors(Some(last), before).collect();
    path.reverse();
    path
}

/// Returns the edges that others imply, as (needed, needs it, also needed and lies between). Very large graphs are searched in
/// part: an edge that is not listed may be redundant, one that is listed is.
#[must_use]
pub fn redundant_edges(graph: &Graph) -> Vec<(u32, u32, u32)> {
    let waves = waves(graph);
    let mut found = Vec::new();
    let mut seen = vec![u32::MAX; graph.len()];
    let mut steps = 0;
    for &task in graph.order() {
        let parents = graph.parents(task);
        let Some(earliest) = parents.iter().map(|parent| waves[at(*parent)]).min() else { continue };
        // From the latest parent on, so that what it implies is found from it.
        let mut by_wave = parents.to_vec();
        by_wave.sort_by_key(|parent| std::cmp::Reverse(waves[at(*parent)]));
        for &parent in by_wave.iter().filter(|_| parents.len() > 1) {
            let mut open = vec![parent];
            while let Some(other) = open.pop() {
                for &above in graph.parents(other) {
                    steps += 1;
                    if seen[at(above)] == task || waves[at(above)] < earliest {
                        continue;
                    }
                    seen[at(above)] = task;
                    open.push(above);
                    if parents.binary_search(&above).is_ok() {
                        found.push((above, task, parent));
                    }
                }
            }
            if steps > STEPS_MAX {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nine_tasks_of_the_article() {
        // A to I; the edges of the guide's example.
        let edges = [(0, 3), (1, 3), (1, 4), (2, 4), (0, 5), (3, 5), (3, 6), (4, 6), (3, 7), (4, 7), (2, 8), (4, 8)];
        let graph = Graph::new(9, &edges).unwrap();
        assert_eq!(waves(&graph), [1, 1, 1, 2, 2, 3, 3, 3, 3]);
        assert_eq!(longest_path(&graph), [1, 4, 8]);
        assert_eq!(redundant_edges(&graph), [(0, 5, 3), (2, 8, 4)]);
    }

    #[test]
    fn an_empty_graph_has_no_path() {
        let graph = Graph::new(0, &[]).unwrap();
        assert!(longest_path(&graph).is_empty() && redundant_edges(&graph).is_empty());
    }
}
