//! Strongly connected parts of a graph: which of its nodes can reach each other.

/// The mark of a node that was not seen.
const NEVER: u32 = u32::MAX;

/// Returns the strongly connected parts of the nodes that are not in `apart`, each ascending: Tarjan's algorithm (1972) with a stack of
/// its own, in linear time. No cycle goes through a node that is in `apart`.
///
/// ```
/// let children: [&[u32]; 4] = [&[1], &[2], &[1], &[0]];
/// let mut parts = mainspring_core::strong::parts(4, |node| children[node as usize], &[]);
/// parts.sort();
/// assert_eq!(parts, [vec![0], vec![1, 2], vec![3]]);
/// ```
///
/// # Panics
/// With 2^32 nodes or more.
pub fn parts<'a>(nodes: usize, children: impl Fn(u32) -> &'a [u32], apart: &[u32]) -> Vec<Vec<u32>> {
    let mut tarjan = Tarjan {
        children,
        found_at: vec![NEVER; nodes],
        reaches: vec![NEVER; nodes],
        done: vec![false; nodes],
        found: 0,
        open: Vec::new(),
        parts: Vec::new(),
    };
    for &node in apart {
        tarjan.done[at(node)] = true;
    }
    for node in 0..u32::try_from(nodes).expect("graphs have bounds far below") {
        tarjan.visit(node);
    }
    tarjan.parts
}

const fn at(node: u32) -> usize {
    node as usize
}

struct Tarjan<F> {
    children: F,
    /// The place of each node in the order in which they were found.
    found_at: Vec<u32>,
    /// The earliest found node that each one is known to reach.
    reaches: Vec<u32>,
    done: Vec<bool>,
    found: u32,
    /// Found, and in no part yet.
    open: Vec<u32>,
    parts: Vec<Vec<u32>>,
}

impl<'a, F: Fn(u32) -> &'a [u32]> Tarjan<F> {
    fn visit(&mut self, root: u32) {
        if self.done[at(root)] {
            return;
        }
        let mut path = vec![(self.find(root), 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some(&child) = (self.children)(node).get(*next) else {
                path.pop();
                self.leave(node, path.last().map(|(parent, _)| *parent));
                continue;
            };
            *next += 1;
            if self.done[at(child)] {
                continue;
            }
            if self.found_at[at(child)] == NEVER {
                path.push((self.find(child), 0));
            } else {
                self.reaches[at(node)] = self.reaches[at(node)].min(self.found_at[at(child)]);
            }
        }
    }

    fn find(&mut self, node: u32) -> u32 {
        self.found_at[at(node)] = self.found;
        self.reaches[at(node)] = self.found;
        self.found += 1;
        self.open.push(node);
        node
    }

    fn leave(&mut self, node: u32, parent: Option<u32>) {
        if self.reaches[at(node)] == self.found_at[at(node)] {
            let first =
                self.open.iter().rposition(|open| *open == node).expect("a node is open until its part is known");
            let mut part = self.open.split_off(first);
            part.iter().for_each(|node| self.done[at(*node)] = true);
            part.sort_unstable();
            self.parts.push(part);
        }
        if let Some(parent) = parent {
            self.reaches[at(parent)] = self.reaches[at(parent)].min(self.reaches[at(node)]);
        }
    }
}
