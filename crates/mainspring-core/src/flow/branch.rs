//! Components that run on every node: what a node runs of a flow that another one owns.
//!
//! Such a node has a *branch* of the flow for each of these components. What its bodies make waits in an inbox until the owner has
//! taken it into the queues of the flow. In a branch these queues hold what waits, so that they are its back-pressure.

use std::ops::Range;

use super::body::{Body, Definition, Part};
use super::definition::{Component, Connection, Placement};

/// How many ids an inbox has.
const IDS: i64 = 1 << 36;

/// Returns the ids of what the inbox of a number holds. They are below zero, so that they are never those of items in a queue.
///
/// ```
/// use mainspring_core::flow::inbox_ids;
/// assert_eq!(inbox_ids(1).end, 0);
/// assert_eq!(inbox_ids(2).end, inbox_ids(1).start);
/// ```
#[must_use]
pub const fn inbox_ids(number: i64) -> Range<i64> {
    -number.saturating_mul(IDS)..-(number - 1).saturating_mul(IDS)
}

impl Definition {
    /// Names of the components that run on every node.
    pub fn on_every_node(&self) -> impl Iterator<Item = &str> {
        let parts = self.parts.iter().map(|part| &part.component);
        parts.filter(|it| it.placement == Placement::EveryNode).map(|it| it.name.as_str())
    }

    /// Returns the branch of a component that runs on every node: the component, and the queues behind it. Those who take items out
    /// of these are there by their names alone. Items expire and leave in order where the owner has them.
    #[must_use]
    pub fn branch(&self, component: &str) -> Option<Self> {
        let is_it = |part: &Part| part.component.name == component && part.component.placement == Placement::EveryNode;
        let place = self.parts.iter().position(is_it)?;
        let mut parts = vec![self.parts[place].clone()];
        let mut connections = Vec::new();
        for it in self.connections.iter().filter(|it| it.from == place) {
            let name = &self.parts[it.to].component.name;
            let known = parts.iter().position(|part| part.component.name == *name);
            let to = known.unwrap_or(parts.len());
            if known.is_none() {
                parts.push(stand_in(name));
            }
            connections.push(Connection { from: 0, to, expire_after_ms: 0, prioritizers: Vec::new(), ..it.clone() });
        }
        Some(Self { parts, connections })
    }
}

/// A component that does nothing.
fn stand_in(name: &str) -> Part {
    let ended = ["success".to_owned()].into();
    Part { component: Component { is_passive: true, ended, ..Component::new(name) }, body: Body::Funnel }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, placement: Placement) -> Part {
        Part { component: Component { placement, ..Component::new(name) }, body: Body::Funnel }
    }

    #[test]
    fn a_branch_has_the_queues_of_its_component_under_their_numbers() {
        let mut end = part("end", Placement::One);
        end.component.ended = ["success".to_owned()].into();
        let parts = vec![part("other", Placement::One), part("tick", Placement::EveryNode), end];
        let connection = Connection { max_items: 3, expire_after_ms: 9, ..Connection::new(1, 2) };
        let flow = Definition { parts, connections: vec![Connection::new(0, 2), connection] };
        assert!(flow.compile().is_ok());
        assert_eq!(flow.on_every_node().collect::<Vec<_>>(), ["tick"]);
        assert!(flow.branch("other").is_none());
        let branch = flow.branch("tick").expect("it is there");
        assert!(branch.compile().is_ok());
        assert_eq!(branch.connection_numbers(), [flow.connection_numbers()[1]]);
        let names: Vec<&str> = branch.parts.iter().map(|part| part.component.name.as_str()).collect();
        assert_eq!(names, ["tick", "end"]);
        assert_eq!((branch.connections[0].max_items, branch.connections[0].expire_after_ms), (3, 0));
    }
}
