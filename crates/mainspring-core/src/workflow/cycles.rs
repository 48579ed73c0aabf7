//! Names the cycles of edges that make no graph.

use std::collections::VecDeque;

use super::at;
use super::graph::{Graph, Rows};
use crate::strong::parts;

/// How many edges are followed in search of the shortest cycles. Beyond it, the shortest that was found is named.
const STEPS_MAX: usize = 10_000_000;

/// The mark of a task that was not seen.
const NEVER: u32 = u32::MAX;

/// Returns the shortest cycle of each strongly connected part, at most [`Graph::CYCLES_MAX`], by their smallest task.
/// `sorted` holds tasks that are in no cycle.
pub(super) fn shortest_cycles(children: &Rows, sorted: &[u32]) -> Vec<Vec<u32>> {
    let mut parts = parts(children.len(), |task| children.of(task), sorted);
    parts.retain(|part| part.len() > 1 || children.of(part[0]).contains(&part[0]));
    parts.sort_unstable_by_key(|part| part[0]);
    parts.truncate(Graph::CYCLES_MAX);
    let mut search = Search { children, part_of: vec![NEVER; children.len()], steps: STEPS_MAX };
    (0..).zip(&parts).map(|(number, part)| search.shortest(number, part)).collect()
}

struct Search<'a> {
    children: &'a Rows,
    part_of: Vec<u32>,
    steps: usize,
}

impl Search<'_> {
    /// Returns the shortest cycle of a part, from its smallest task on.
    fn shortest(&mut self, number: u32, part: &[u32]) -> Vec<u32> {
        part.iter().for_each(|task| self.part_of[at(*task)] = number);
        let mut before = vec![NEVER; self.children.len()];
        let mut best: Option<Vec<u32>> = None;
        for &start in part {
            let shorter_than = best.as_ref().map_or(usize::MAX, Vec::len);
            if shorter_than == 1 || best.is_some() && self.steps == 0 {
                break;
            }
            best = self.through(start, shorter_than, &mut before).or(best);
        }
        let mut cycle = best.expect("each task of a strongly connected part lies on a cycle");
        let smallest = (0..cycle.len()).min_by_key(|place| cycle[*place]).unwrap_or(0);
        cycle.rotate_left(smallest);
        cycle
    }

    /// Returns the shortest cycle through `start`, if it is shorter than `shorter_than`: a search by breadth.
    fn through(&mut self, start: u32, shorter_than: usize, before: &mut [u32]) -> Option<Vec<u32>> {
        let mut seen = vec![start];
        let mut queue = VecDeque::from([(start, 1)]);
        let mut last = None;
        while let Some((task, length)) = queue.pop_front() {
            if length >= shorter_than || last.is_some() {
                break;
            }
            for &child in self.children.of(task) {
                self.steps = self.steps.saturating_sub(1);
                if child == start {
                    last = Some(task);
                    break;
                }
                if self.part_of[at(child)] == self.part_of[at(start)] && before[at(child)] == NEVER {
                    before[at(child)] = task;
                    seen.push(child);
                    queue.push_back((child, length + 1));
                }
            }
        }
        let cycle = last.map(|last| path(start, last, before));
        seen.iter().for_each(|task| before[at(*task)] = NEVER);
        cycle
    }
}

/// Returns the way from `start` to `last`, both included.
fn path(start: u32, last: u32, before: &[u32]) -> Vec<u32> {
    let mut path: Vec<u32> =
        std::iter::successors(Some(last), |task| (*task != start).then(|| before[at(*task)])).collect();
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::super::GraphError;
    use super::*;

    fn cycles(tasks: usize, edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
        match Graph::new(tasks, edges) {
            Err(GraphError::Cycles(cycles)) => cycles,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_shortest_cycle_of_each_part_is_named() {
        // 0 → 1 → 2 → 3 → 0 with a short cut 2 → 1; 5 needs itself; 6 hangs below; 7 ⇄ 8.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 1), (3, 6), (5, 5), (5, 6), (4, 0), (8, 7), (7, 8)];
        assert_eq!(cycles(9, &edges), [vec![1, 2], vec![5], vec![7, 8]]);
    }

    #[test]
    fn five_of_many_cycles_are_named() {
        let edges: Vec<(u32, u32)> = (0..50_000).flat_map(|n| [(2 * n, 2 * n + 1), (2 * n + 1, 2 * n)]).collect();
        assert_eq!(cycles(100_000, &edges), [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]);
    }

    #[test]
    fn a_cycle_of_all_tasks_is_found_without_recursion() {
        let edges: Vec<(u32, u32)> = (0..100_000).map(|task| (task, (task + 1) % 100_000)).collect();
        assert_eq!(cycles(100_000, &edges).concat().len(), 100_000);
    }

    #[test]
    fn a_dense_part_is_searched_within_bounds() {
        // Layers of 300 tasks, each needed by the whole next layer, and the last layer by the first.
        let layers = 10_u32;
        let edges: Vec<(u32, u32)> = (0..layers)
            .flat_map(|l| (0..300).flat_map(move |a| (0..300).map(move |b| (l * 300 + a, (l + 1) % layers * 300 + b))))
            .collect();
        assert_eq!(cycles(3_000, &edges), [(0..layers).map(|layer| layer * 300).collect::<Vec<_>>()]);
    }
}
