//! Which components can reach each other.

/// Returns the groups of two or more nodes of a graph that can reach each other, each in ascending order (Tarjan 1972, without
/// recursion).
pub(super) fn cycles(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); nodes];
    edges.for_each(|(from, to)| children[from].push(to));
    let mut search = Search {
        children,
        index: vec![None; nodes],
        low: vec![0; nodes],
        is_open: vec![false; nodes],
        ..Search::default()
    };
    for node in 0..nodes {
        if search.index[node].is_none() {
            search.visit(node);
        }
    }
    search.found.sort_unstable();
    search.found
}

#[derive(Default)]
struct Search {
    children: Vec<Vec<usize>>,
    index: Vec<Option<usize>>,
    /// How many nodes have an index.
    met: usize,
    low: Vec<usize>,
    stack: Vec<usize>,
    /// Which nodes are on the stack.
    is_open: Vec<bool>,
    found: Vec<Vec<usize>>,
}

impl Search {
    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if *next == 0 && self.index[node].is_none() {
                (self.index[node], self.low[node]) = (Some(self.met), self.met);
                self.met += 1;
                self.stack.push(node);
                self.is_open[node] = true;
            }
            let Some(child) = self.children[node].get(*next).copied() else {
                self.close(node);
                path.pop();
                if let Some((parent, _)) = path.last() {
                    self.low[*parent] = self.low[*parent].min(self.low[node]);
                }
                continue;
            };
            *next += 1;
            match self.index[child] {
                None => path.push((child, 0)),
                Some(number) if self.is_open[child] => self.low[node] = self.low[node].min(number),
                Some(_) => {}
            }
        }
    }

    /// Takes the group of a node from the stack, if the node is the first of its group.
    fn close(&mut self, node: usize) {
        if self.index[node] != Some(self.low[node]) {
            return;
        }
        let first =
            self.stack.iter().rposition(|it| *it == node).expect("a node is on the stack until its group is closed");
        let mut group = self.stack.split_off(first);
        group.iter().for_each(|node| self.is_open[*node] = false);
        if group.len() > 1 {
            group.sort_unstable();
            self.found.push(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cycles;

    #[test]
    fn groups_are_what_can_reach_each_other() {
        type Case = (usize, &'static [(usize, usize)], &'static [&'static [usize]]);
        let cases: [Case; 5] = [
            (3, &[(0, 1), (1, 2)], &[]),
            (2, &[(0, 0), (0, 1)], &[]),
            (3, &[(0, 1), (1, 0), (1, 2)], &[&[0, 1]]),
            (6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)], &[&[0, 1, 2], &[3, 4, 5]]),
            (4, &[(0, 1), (1, 2), (2, 3), (3, 1), (2, 0)], &[&[0, 1, 2, 3]]),
        ];
        for (nodes, edges, expected) in cases {
            assert_eq!(cycles(nodes, edges.iter().copied()), expected, "{edges:?}");
        }
    }
}
