//! Which components can reach each other.

use crate::strong::parts;

/// Returns the groups of two or more nodes of a graph that can reach each other, each in ascending order.
pub(super) fn cycles(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); nodes];
    edges.for_each(|(from, to)| children[from].push(u32::try_from(to).expect("flows have a bound far below")));
    let groups = parts(nodes, |node| &children[node as usize], &[]).into_iter().filter(|group| group.len() > 1);
    let mut groups: Vec<Vec<usize>> = groups.map(|group| group.into_iter().map(|it| it as usize).collect()).collect();
    groups.sort_unstable();
    groups
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
