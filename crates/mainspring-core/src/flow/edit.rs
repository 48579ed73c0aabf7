//! Which components an edit of a flow touches: these have to be stopped for it, and others run on.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::body::Definition;
use super::definition::Connection;
use super::moves::Moves;

impl Definition {
    /// Returns where its components and connections are in `next`.
    #[must_use]
    pub fn moves_to(&self, next: &Self) -> Moves {
        let touched = self.touched_by(next);
        let names = || self.parts.iter().map(|part| part.component.name.as_str());
        let places: BTreeMap<&str, usize> =
            next.parts.iter().enumerate().map(|(place, part)| (part.component.name.as_str(), place)).collect();
        let mut there = BTreeMap::<i64, Vec<usize>>::new();
        for (place, number) in next.connection_numbers().into_iter().enumerate().rev() {
            there.entry(number).or_default().push(place);
        }
        let connections: Vec<Option<usize>> =
            self.connection_numbers().iter().map(|number| there.get_mut(number)?.pop()).collect();
        let differs = |(before, place): (&Connection, &Option<usize>)| {
            place.is_some_and(|place| settings(before) != settings(&next.connections[place]))
        };
        Moves {
            components: names().map(|name| places.get(name).copied()).collect(),
            touched: names().map(|name| touched.contains(name)).collect(),
            changed: self.connections.iter().zip(&connections).map(differs).collect(),
            connections,
        }
    }

    /// Returns the names of components that are other ones in `next`, or gone, or have other connections there.
    #[must_use]
    pub fn touched_by(&self, next: &Self) -> BTreeSet<&str> {
        let (components, connections) = (self.texts(), self.connections_by_number());
        let (next_components, next_connections) = (next.texts(), next.connections_by_number());
        let differs = |name: &str| components.get(name) != next_components.get(name);
        let numbers = connections.keys().chain(next_connections.keys());
        let moved = numbers.filter(|number| connections.get(number) != next_connections.get(number));
        let ends: BTreeSet<&str> = moved
            .flat_map(|number| [connections.get(number), next_connections.get(number)])
            .flatten()
            .flatten()
            .flat_map(|(from, to, _)| [*from, *to])
            .collect();
        components.keys().copied().filter(|name| differs(name) || ends.contains(name)).collect()
    }

    fn texts(&self) -> BTreeMap<&str, Value> {
        self.parts.iter().map(|part| (part.component.name.as_str(), value(part))).collect()
    }

    /// Connections with the names of their ends, as those may have other places in another definition.
    fn connections_by_number(&self) -> BTreeMap<i64, Vec<(&str, &str, Value)>> {
        let mut found = BTreeMap::<i64, Vec<_>>::new();
        for (number, it) in self.connection_numbers().into_iter().zip(&self.connections) {
            let name = |place: usize| self.parts[place].component.name.as_str();
            found.entry(number).or_default().push((name(it.from), name(it.to), settings(it)));
        }
        found
    }
}

/// What a connection is like, without its ends: their places say nothing.
fn settings(it: &Connection) -> Value {
    let mut settings = value(it);
    for end in ["from", "to"] {
        settings.as_object_mut().map(|members| members.remove(end));
    }
    settings
}

fn value(it: &impl serde::Serialize) -> Value {
    serde_json::to_value(it).expect("a definition is plain data")
}

#[cfg(test)]
mod tests {
    use super::super::Component;
    use super::super::body::{Body, Content, Part};
    use super::*;

    fn part(name: &str, payload: &str) -> Part {
        let content = Content { payload: payload.into(), ..Content::default() };
        Part { component: Component::new(name), body: Body::Generate { content, count: 1 } }
    }

    fn abc() -> Definition {
        Definition {
            parts: ["a", "b", "c"].map(|name| part(name, "x")).into(),
            connections: vec![Connection::new(0, 1), Connection::new(1, 2)],
        }
    }

    /// What is edited, how, and which components that touches.
    type Edit = (&'static str, fn(&mut Definition), &'static [&'static str]);

    #[test]
    fn an_edit_touches_what_it_changes_and_what_it_connects_anew() {
        let edits: [Edit; 8] = [
            ("nothing", |_| {}, &[]),
            ("a body", |it| it.parts[2] = part("c", "y"), &["c"]),
            ("a setting", |it| it.parts[0].component.concurrency = 2, &["a"]),
            ("a limit of a queue", |it| it.connections[1].max_items = 7, &["b", "c"]),
            ("a component that is new", |it| it.parts.push(part("d", "x")), &[]),
            (
                "a connection to it",
                |it| {
                    it.parts.push(part("d", "x"));
                    it.connections.push(Connection::new(2, 3));
                },
                &["c"],
            ),
            (
                "a connection that goes",
                |it| {
                    it.connections.remove(0);
                },
                &["a", "b"],
            ),
            (
                "a component that goes",
                |it| {
                    it.parts.pop();
                    it.connections.pop();
                },
                &["b", "c"],
            ),
        ];
        for (what, edit, touched) in edits {
            let mut next = abc();
            edit(&mut next);
            assert_eq!(abc().touched_by(&next), touched.iter().copied().collect(), "{what}");
        }
    }

    #[test]
    fn the_order_of_components_and_connections_says_nothing() {
        let turned = Definition {
            parts: ["c", "b", "a"].map(|name| part(name, "x")).into(),
            connections: vec![Connection::new(1, 0), Connection::new(2, 1)],
        };
        assert_eq!(abc().touched_by(&turned), BTreeSet::new());
    }
}
